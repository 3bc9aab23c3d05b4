// What became of a page: a handler would see it, or what keeps it from one, in one line and with its exit code.
import type { CrawlReport } from '@avocet/core'
import { FAILURES, type Failure, formatDuration } from '@avocet/core/plugin'
import type { Outcome } from '@avocet/core/store'
import type { Explanation } from '@avocet/core/tools'
import type { ExitCode } from '@avocet/project/command'
import { printable } from '@avocet/project/text'
import { DEAD_LETTERS, deadLetterClassOf } from '@avocet/project/store'
import { lacksDocument, lastOf, redirectOf, type Hop } from './visit-log.ts'

/** What became of a page. */
export type VisitOutcome =
  /** A handler would see it. */
  | { readonly kind: 'page'; readonly status: number }
  /** Answered, but not with what handlers see. `retryAt`: a crawl would ask again then (epoch ms). */
  | { readonly kind: 'status'; readonly status: number; readonly reason: string; readonly retryAt?: number }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly retryAt?: number }
  /** robots.txt does not allow it. */
  | { readonly kind: 'robots' }
  /** A document that a plugin wants first (robots.txt) cannot be had. `until`: it is asked for again then (epoch ms). */
  | { readonly kind: 'document'; readonly url: string; readonly got: string; readonly until: number }
  /** A plugin, or the crawl's own rules, keep it from being asked. */
  | { readonly kind: 'unasked'; readonly reason: string }
  /** Not before then (epoch ms), which is longer than the patience. */
  | { readonly kind: 'held'; readonly by: string; readonly why: string; readonly until: number }

/** What is known at the end. */
export interface VisitEnd {
  readonly hops: readonly Hop[]
  readonly settled: Outcome | undefined
  readonly report: CrawlReport
  readonly hold?: Explanation['heldFor']
  readonly pausedFor?: string
}

/** Decides what became of the page. */
export function outcomeOf({ hops, settled, report, hold, pausedFor }: VisitEnd): VisitOutcome {
  const last = lastOf(hops)
  if (pausedFor !== undefined) return { kind: 'unasked', reason: pausedFor }
  if (last?.end.kind === 'answered' && settled?.kind === 'done') return { kind: 'page', status: last.end.response.status }
  if (settled?.kind === 'failed' && deadLetterClassOf(settled.reason) === 'robots') return { kind: 'robots' }
  if (settled?.kind === 'moved') {
    const why = `it leads to ${printable(settled.target)}, which was asked already, or which the crawl or a plugin refuses`
    return { kind: 'unasked', reason: why }
  }
  const isOver = settled?.kind === 'failed' || (settled?.kind === 'retry' && last !== undefined && redirectOf(last) === undefined)
  if (isOver) return ended(settled, last)
  const [waiting] = report.waitingHosts
  const [retired] = report.retiredHosts
  if (retired !== undefined) return { kind: 'unasked', reason: retired.reason }
  const until = waiting === undefined ? Infinity : (hold?.until ?? waiting.until)
  const lost = lostDocument(hops.at(-1))
  if (lost !== undefined && Number.isFinite(until)) return { kind: 'document', ...lost, until }
  if (Number.isFinite(until)) return { kind: 'held', ...(hold ?? { by: 'core', why: waiting?.why ?? '' }), until }
  return { kind: 'unasked', reason: 'the crawl or a plugin refuses this URL' }
}

function lostDocument(hop: Hop | undefined): { readonly url: string; readonly got: string } | undefined {
  if (hop === undefined || !lacksDocument(hop)) return undefined
  const { end, request } = hop
  const got = end.kind === 'failed' ? `${end.failure.code}: ${end.failure.message}` : `status ${end.response.status}`
  return { url: request.url, got }
}

function ended(settled: Outcome & { kind: 'failed' | 'retry' }, last: Hop | undefined): VisitOutcome {
  const again = settled.kind === 'retry' ? { retryAt: settled.at } : {}
  const failure = settled.kind === 'failed' ? settled.failure : undefined
  if (failure !== undefined) return { kind: 'failed', failure, ...again }
  if (last?.end.kind === 'failed') return { kind: 'failed', failure: last.end.failure, ...again }
  if (last === undefined) return { kind: 'unasked', reason: settled.reason }
  return { kind: 'status', status: last.end.response.status, reason: settled.reason, ...again }
}

/** The exit code, from the one table: 6 is "not one page", 8 is patience. */
export function exitCodeOfVisit({ kind }: VisitOutcome): ExitCode {
  if (kind === 'page') return 0
  return kind === 'held' ? 8 : 6
}

/** What keeps the page from a handler: expected, got, what to do. Undefined when nothing does. `rule`: the line of robots.txt. */
export function problemOf(outcome: VisitOutcome, { now, rule }: { now: number; rule?: string | undefined }): string | undefined {
  if (outcome.kind === 'page') return undefined
  const line = rule === undefined ? '' : ` (${printable(rule)})`
  switch (outcome.kind) {
    case 'robots':
      return `expected a page that robots.txt allows, got one that it does not${line}; if the site is yours: --ignore-robots`
    case 'status':
      return `expected a page that a handler would see, got status ${outcome.status}; in a crawl: ${nextHopOf(outcome, now)}`
    case 'failed':
      return `expected an answer, got ${outcome.failure.code}: ${printable(outcome.failure.message)}; in a crawl: ${nextHopOf(outcome, now)}`
    case 'document':
      return `expected ${printable(outcome.url)} first, got ${printable(outcome.got)}; ${nextHopOf(outcome, now)}`
    case 'unasked':
      return `expected to request it, but ${printable(outcome.reason)}`
    case 'held':
    default:
      return `expected its turn within the patience, got ${heldBy(outcome)}, for ${formatDuration(outcome.until - now)}; wait that long, or raise --patience`
  }
}

/** What a crawl would do with it. */
export function nextHopOf(outcome: VisitOutcome, now: number): string {
  switch (outcome.kind) {
    case 'page':
      return 'handed to its handler'
    case 'robots':
      return 'failed without a request: robots.txt does not allow it'
    case 'document':
      return `a crawl would ask for it again in ${formatDuration(outcome.until - now)}, and for the page after that`
    case 'unasked':
      return `not requested: ${printable(outcome.reason)}`
    case 'held':
      return `asked in ${formatDuration(outcome.until - now)}: ${heldBy(outcome)}`
    case 'status':
    case 'failed':
    default:
      return outcome.retryAt === undefined
        ? `failed: ${classOf(outcome)}`
        : `asked again in ${formatDuration(outcome.retryAt - now)}`
  }
}

function heldBy({ by, why }: { readonly by: string; readonly why: string }): string {
  return `${printable(by)}: ${printable(why)}`
}

function classOf(outcome: VisitOutcome & { kind: 'status' | 'failed' }): string {
  return outcome.kind === 'failed' ? FAILURES[outcome.failure.code].summary : DEAD_LETTERS[deadLetterClassOf(outcome.reason)]
}
