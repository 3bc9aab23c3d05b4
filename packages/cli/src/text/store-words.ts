// What a store says of a crawl, in lines for people: links not followed, handlers without items, files, rejects, errors of handlers.
import { isAbsolute, relative } from 'node:path'
import type { CrawlReport } from '@avocet/core'
import { FAILURES, formatDuration } from '@avocet/core/plugin'
import { HELD_SOURCE, type HandlerError, type HandlerErrorGroup, type RejectGroup, type RequestRecord } from '@avocet/core/store'
import { commandName } from '@avocet/project/place'
import { codeOfReason } from '@avocet/project/store'
import { printable, formatCount, formatCountOf, formatBytes } from '@avocet/project/text'

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
  'url-too-long': 'to URLs that are too long (8,000 bytes)',
  'url-limit': 'to URLs with too many segments (32) or parameters (64)',
  trap: 'to paths that repeat a segment (five times)',
  'link-budget': 'beyond what a page, a host or a site may add (discoveryLimits)',
}

/** `to hosts out of scope (scope.within, scope.hosts)`. */
export function ruleInWords(rule: string): string {
  return RULES[rule] ?? `refused by ${printable(rule)}`
}

/** `380 to hosts out of scope (scope.within, scope.hosts), 12 matched by scope.deny`. */
export function refusedInWords(refused: readonly { readonly rule: string; readonly count: number }[]): string {
  return refused.map(({ rule, count }) => `${formatCount(count)} ${ruleInWords(rule)}`).join(', ')
}

/** `412 to hosts out of scope (scope.within, scope.hosts): other.example 380, third.example 20, others 12`. */
export function refusedLine({ rule, count, hosts, others }: CrawlReport['refusedLinks'][number]): string {
  const where = hosts.map((host) => `${printable(host.hostKey)} ${formatCount(host.count)}`)
  const all = hosts.length > 0 && others > 0 ? [...where, `others ${formatCount(others)}`] : where
  return `${formatCount(count)} ${ruleInWords(rule)}${all.length === 0 ? '' : `: ${all.join(', ')}`}`
}

// Handlers that used to get items from a host and get none any more, in words: its pages have probably changed.

/** `shop.example: no items in the last 40 pages of handler product, after 400 items`. */
export function driedUpLine({ hostKey, why }: CrawlReport['driedUp'][number]): string {
  return `${printable(hostKey)}: ${printable(why)}`
}

/** Handlers of a host beyond the first ones are not told apart. */
export function handlerInWords(handler: string | undefined): string {
  return handler === undefined ? 'other handlers' : `handler ${printable(handler)}`
}

// What a crawl saved, on a line: `3 files (1.2 MB) for 5 references, 1 failed`.

/** What there is. */
interface SavedFiles {
  readonly rows: number
  readonly files: number
  readonly bytes: number
  readonly failed: number
  readonly more: boolean
}

/** The line, without a name. */
export function filesLine({ rows, files, bytes, failed, more }: SavedFiles): string {
  const references = rows === files ? '' : ` for ${formatCountOf(rows, 'reference')}`
  const failures = failed === 0 ? '' : `, ${formatCount(failed)} failed`
  return `${more ? 'at least ' : ''}${formatCountOf(files, 'file')} (${formatBytes(bytes)})${references}${failures}`
}

// Items that the schema or a sink refused, by groups of reasons, as people read them.

/** `20 × schema: price: expected number, received string, first at https://…`. */
export function rejectGroupLine({ source, reason, count, url }: RejectGroup): string {
  const at = url === '' ? '' : `, first at ${printable(url)}`
  return `${formatCount(count)} × ${printable(source)}: ${printable(reason)}${at}`
}

/** Items that plugins hold. */
export function heldIn(groups: readonly RejectGroup[]): number {
  return groups.reduce((sum, { source, count }) => sum + (source === HELD_SOURCE ? count : 0), 0)
}

/** None where nothing is held. */
export function heldLines(groups: readonly RejectGroup[]): readonly string[] {
  const held = heldIn(groups)
  return held === 0 ? [] : [`${formatCountOf(held, 'item')} held; ${commandName()} accept HOST publishes those of a host`]
}

// Errors in the user's own code as people read them: how many pages, the line relative to the working folder, and what was thrown.

/** `spiders/shop.ts:17:37 TypeError: …`. */
export function handlerErrorText({ place, message }: HandlerError, folder: string): string {
  return printable(place === undefined ? message : `${nearby(place, folder)} ${message}`)
}

/** `AVO_HANDLER_THREW: shop.ts:3:14 Error: no price`, `AVO_CONNECT_REFUSED: nobody listens at that port`; undefined where the reason is no code. */
export function errorInWords({ handlerError, reason = '' }: RequestRecord, folder: string): string | undefined {
  if (handlerError !== undefined) return `${handlerError.code}: ${handlerErrorText(handlerError, folder)}`
  const code = codeOfReason(reason)
  return code && `${code}: ${FAILURES[code].summary}`
}

/** `2 × spiders/shop.ts:17:37 TypeError: …, first at https://…`. */
export function handlerErrorLine(group: HandlerErrorGroup, folder: string): string {
  return `${formatCount(group.count)} × ${handlerErrorText(group, folder)}, first at ${printable(group.url)}`
}

function nearby(place: string, folder: string): string {
  const path = relative(folder, place)
  return path.startsWith('..') || isAbsolute(path) ? place : path
}

// Rounds of visits to pages that are visited again.

/** `every 1 min: 500 visits due, 400 made, 100 not (100 pages late); next in 40 s`. */
export function roundLine({ everyMs, begunAt, due, visited, late }: CrawlReport['rounds'][number], now: number): string {
  const made =
    due > visited
      ? `${formatCount(visited)} made, ${formatCount(due - visited)} not (${formatCountOf(late, 'page')} late)`
      : 'all made'
  const next = begunAt + everyMs > now ? `next in ${formatDuration(begunAt + everyMs - now)}` : 'next due now'
  return `every ${formatDuration(everyMs)}: ${formatCountOf(due, 'visit')} due, ${made}; ${next}`
}

/** The rounds, and how old what is known has become between them. */
export function roundLines({ rounds, ages }: Pick<CrawlReport, 'rounds' | 'ages'>, now: number): readonly string[] {
  if (ages === undefined) return rounds.map((each) => roundLine(each, now))
  const { medianMs, p99Ms, pages } = ages
  const sample = formatCountOf(pages, 'page')
  return [
    ...rounds.map((each) => roundLine(each, now)),
    `last visited ${formatDuration(medianMs)} ago in the median, ${formatDuration(p99Ms)} at the 99th percentile (of ${sample})`,
  ]
}
