// The scope of the last run, as a store keeps it: what it removed from URLs, for the next run, and its rules, for those who ask why a URL is not in the store.
import type { RefusalRule } from '../ports/report.ts'
import type { Scope } from '../ports/spider.ts'
import { DroppedParameters } from './dropped-parameters.ts'
import { compileScope, joinedOf, type CompiledScope } from './scope.ts'

/** Memory of the crawl is read and written as a whole: what would take more is left out. */
const MAX_HOSTS = 500
const MAX_RULES_CHARACTERS = 16_384

/** A scope in JSON. */
export interface ScopeAtRest {
  /** As they are compared. */
  readonly dropped: readonly string[]
  /** Absent: too large to keep. */
  readonly rules?: RulesAtRest
}

type PlainRules = Pick<Scope, 'within' | 'hosts' | 'blockedHosts' | 'maxDepth'>
interface RulesAtRest extends PlainRules {
  readonly allow?: readonly PatternAtRest[]
  readonly deny?: readonly PatternAtRest[]
  /** Keys. */
  readonly seedHosts: readonly string[]
}
type PatternAtRest = readonly [source: string, flags: string]

/** What is kept of `scope`; `seedHosts`: the keys of the hosts of all seeds. */
export function scopeAtRest(
  scope: Scope,
  { dropped, seedHosts }: { readonly dropped: readonly string[]; readonly seedHosts: readonly string[] },
): ScopeAtRest {
  const { within, hosts, blockedHosts, maxDepth, allow, deny } = scope
  const hostsOnce = new Set(seedHosts)
  const rules: RulesAtRest = {
    ...(within !== undefined && { within }),
    ...(hosts && { hosts }),
    ...(blockedHosts && { blockedHosts }),
    // JSON has no Infinity, which is no limit.
    ...(maxDepth !== undefined && Number.isFinite(maxDepth) && { maxDepth }),
    ...(allow && { allow: allow.map(patternAtRest) }),
    ...(deny && { deny: deny.map(patternAtRest) }),
    seedHosts: [...hostsOnce],
  }
  const isSmall = hostsOnce.size <= MAX_HOSTS && JSON.stringify(rules).length <= MAX_RULES_CHARACTERS
  return { dropped, ...(isSmall && { rules }) }
}

function patternAtRest({ source, flags }: RegExp): PatternAtRest {
  return [source, flags]
}

/** A scope that was read. */
export interface LastScope {
  /** Of a store that does not have it: what any crawl follows. */
  readonly scope: Scope
  /** Keys of the hosts of seeds, and of those that joined because a seed redirected to them. */
  readonly seedHosts: readonly string[]
  /** `url` without the parameters that it removed. */
  shortened(url: string): string
  /** The rule of the last run's scope that refuses a URL of a host, however few links from a seed it is; undefined: none that is known. */
  refusal(url: string, hostKey: string): RefusalRule | undefined
}

/**
 * The scope of the last run that left one, by core's memory of the crawl. What cannot be read says nothing: a reader is no judge of a store. `kept`: names of
 * parameters, as they are compared, that it did not remove.
 */
export function lastScope(left: readonly ScopeMemory[], kept: readonly string[] = []): LastScope {
  const { scope: { dropped, rules } = { dropped: [] }, scopeHosts = [] } = left.findLast(({ scope }) => scope !== undefined) ?? {}
  const { seedHosts, allow, deny, ...plain } = rules ?? { within: 'any', seedHosts: [] }
  const parameters = new DroppedParameters(dropped, (name) => kept.includes(name))
  const read = (scope: Scope, hosts: readonly string[]): LastScope => ({
    ...{ scope, seedHosts: hosts },
    shortened: (url) => parameters.from(url),
    refusal: (url, hostKey) => compileScope(scope, hosts, () => {}).refusal(parameters.from(url), hostKey, 0),
  })
  try {
    const patterns = { ...(allow && { allow: allow.map(pattern) }), ...(deny && { deny: deny.map(pattern) }) }
    return read({ ...plain, ...patterns }, [...seedHosts, ...joinedOf(scopeHosts, seedHosts)])
  } catch {
    return read({ within: 'any' }, scopeHosts)
  }
}

/** Whether the rules of today may let in links that a rule refused before; they led to the host, or `''` where it is not known. New seeds do not count. */
export function mayLetIn(
  { scope: before }: LastScope,
  { scope: today, seedHosts }: LastScope,
): (rule: string, hostKey: string) => boolean {
  const { maxDepth = Infinity, allow = [], deny = [] } = before
  const { maxDepth: depth = Infinity, allow: allowed = [], deny: denied = [] } = today
  const wider = new Set([
    ...(depth > maxDepth ? ['too-deep'] : []),
    ...(lacks(denied, deny) ? ['denied'] : []),
    ...(allowed.length === 0 || lacks(allow, allowed) ? ['not-allowed'] : []),
  ])
  const [was, is] = [before, today].map((scope) => compileScope(scope, seedHosts, () => {}))
  return (rule, hostKey) => wider.has(rule) || (refusesHost(was, rule, hostKey) && !refusesHost(is, rule, hostKey))
}

function lacks(patterns: readonly RegExp[], others: readonly RegExp[]): boolean {
  const texts = new Set(patterns.map(String))
  return others.some((other) => !texts.has(String(other)))
}

function refusesHost(scope: CompiledScope | undefined, rule: string, hostKey: string): boolean {
  return hostKey !== '' && scope?.refusal(`http://${hostKey}/`, hostKey, 0) === rule
}

/** What core's memory of the crawl has of it. */
interface ScopeMemory {
  readonly scope?: ScopeAtRest
  readonly scopeHosts?: readonly string[]
}

function pattern([source, flags]: PatternAtRest): RegExp {
  return new RegExp(source, flags)
}
