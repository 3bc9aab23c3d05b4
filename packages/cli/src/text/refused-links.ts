// Links that were not followed, in words: by which rule, and where they led.
import type { RefusedByRule } from '@avocet/core/tools'
import { printable } from './printable.ts'
import { formatCount, formatCountOf } from './quantity.ts'

/** What each rule says of links; what a plugin refused is not here. */
const RULES: Readonly<Record<string, string>> = {
  'off-host': 'to hosts out of scope (scope.within, scope.hosts)',
  'blocked-host': 'to blocked hosts (scope.blockedHosts)',
  'too-deep': 'too deep (scope.maxDepth)',
  'not-allowed': 'not matched by scope.allow',
  denied: 'matched by scope.deny',
  'bad-port': 'to ports of other protocols than HTTP',
  'bad-host': 'to names that no name server can know',
  'not-http': 'not to http(s) (mailto:, javascript: and others)',
  malformed: 'that are no URLs',
  'url-too-long': 'to URLs that are too long (2,083 bytes)',
  'url-limit': 'to URLs with too many segments (32) or parameters (64)',
  trap: 'to paths that repeat a segment (five times)',
  'closed-pattern': 'of closed patterns',
  'link-budget': 'beyond what a page, a host or a site may add (discoveryLimits)',
}

/** `to hosts out of scope (scope.within, scope.hosts)`. */
export function ruleInWords(rule: string): string {
  return RULES[rule] ?? `refused by ${printable(rule)}`
}

/** `380 to hosts out of scope (scope.within, scope.hosts), 12 matched by scope.deny`. */
export function refusedInWords(refused: readonly Pick<RefusedByRule, 'rule' | 'count'>[]): string {
  return refused.map(({ rule, count }) => `${formatCount(count)} ${ruleInWords(rule)}`).join(', ')
}

/** `412 to hosts out of scope (scope.within, scope.hosts): other.example 380, third.example 20, others 12`. */
export function refusedLine({ rule, count, hosts, others }: RefusedByRule): string {
  const where = hosts.map((host) => `${printable(host.hostKey)} ${formatCount(host.count)}`)
  const all = hosts.length > 0 && others > 0 ? [...where, `others ${formatCount(others)}`] : where
  return `${formatCount(count)} ${ruleInWords(rule)}${all.length === 0 ? '' : `: ${all.join(', ')}`}`
}

/** A section; none where every link was followed. */
export function refusedLines(refused: readonly RefusedByRule[]): string[] {
  if (refused.length === 0) return []
  const count = refused.reduce((sum, each) => sum + each.count, 0)
  return ['', `not followed: ${formatCountOf(count, 'link')}`, ...refused.map((each) => `  ${refusedLine(each)}`)]
}
