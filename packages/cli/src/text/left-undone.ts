// How far a crawl is, and what it leaves undone, in words: pages, hosts given up, patterns closed, pages on probation.
import type { CrawlAtRest } from '@avocet/at-rest'
import type { CrawlReport } from '@avocet/core'
import { formatDuration } from '@avocet/core/plugin'
import type { HostRecord } from '@avocet/core/store'
import { commandLine } from '@avocet/project/place'
import { DEAD_LETTERS, deadLetterClassOf } from '@avocet/project/store'
import { formatCount, formatCountOf, printable } from '@avocet/project/text'
import { sinkLine, type ToldSink } from './sink-line.ts'
import { driedUpLine, handlerErrorLine, refusedLine, rejectGroupLine } from './store-words.ts'

/** `1,560 pages known: 1,442 done (3 of them sitemaps or files), 54 moved, 54 failed, 10 waiting`: the parts add up. */
export function knownInWords({ counts, documents = 0 }: Pick<CrawlReport, 'counts' | 'documents'>): string {
  const others = documents === 0 ? '' : ` (${formatCount(documents)} of them sitemaps or files)`
  return `${formatCountOf(counts.known, 'page')} known: ${statesInWords(counts, others)}`
}

/** `308,000 of 1,000,000 offered`, or `28,000 offered so far`. */
export function seedsInWords({ offered, of }: NonNullable<CrawlReport['seeds']>): string {
  return of === undefined ? `${formatCount(offered)} offered so far` : `${formatCount(offered)} of ${formatCount(of)} offered`
}

/** `1,442 done, 54 moved, 54 failed, 10 waiting`: of a store, or of a host. */
export function statesInWords(
  { done, moved, failed, waiting }: Pick<HostRecord, 'done' | 'moved' | 'failed' | 'waiting'>,
  others = '',
): string {
  return `${formatCount(done)} done${others}, ${formatCount(moved)} moved, ${formatCount(failed)} failed, ${formatCount(waiting)} waiting`
}

/** `never answered, 3 times in a row; probed again in 1 d`. `probeAt`: epoch ms; undefined or null: in a later run. */
function givenUpInWords(reason: string, probeAt: number | null | undefined, now: number): string {
  return `${printable(reason)}; probed again ${whenInWords(probeAt ?? Infinity, now)}`
}

/** What a host is like, and why. */
export type JudgedHost = ReturnType<CrawlAtRest['judge']>

/** In the order in which people want to see them. */
export const HOST_CONDITIONS = ['broken layout', 'unreachable', 'blocked', 'refusing', 'paused', 'slow', 'fine'] as const

/** A host, as far as its state is told. `readyAt`: epoch ms; null or Infinity: at no moment that is known. */
interface ToldHost extends JudgedHost, Pick<HostRecord, 'waiting' | 'held' | 'again'> {
  readonly readyAt: number | null
  readonly retiredFor?: string | null
  readonly probeAt?: number | null
}

/** `unreachable: reset, 2 failures in a row; next request in 48 s`. */
export function hostInWords({ condition, why, ...host }: ToldHost, now: number): string {
  return [printable(why === '' ? condition : `${condition}: ${why}`), ...(condition === 'paused' ? [] : nextOf(host, now))].join(
    '; ',
  )
}

/** `9 unreachable, 4 slow, 27 fine`. */
export function conditionsInWords(conditions: CrawlReport['conditions']): string {
  const present = HOST_CONDITIONS.filter((name) => conditions[name])
  return present.map((name) => `${formatCount(conditions[name] ?? 0)} ${name}`).join(', ')
}

function nextOf(
  { waiting, held, again = 0, readyAt, retiredFor, probeAt }: Omit<ToldHost, 'condition' | 'why'>,
  now: number,
): string[] {
  if ((retiredFor ?? undefined) !== undefined) return [`probed again ${whenInWords(probeAt ?? Infinity, now)}`]
  if (held) return ['being crawled']
  if (waiting === 0 && again > 0) return ['nothing waits until pages are due again']
  if (waiting === 0 || (readyAt !== null && readyAt <= now)) return []
  return [Number.isFinite(readyAt ?? Infinity) ? `next request ${whenInWords(readyAt ?? now, now)}` : 'held without a known end']
}

/** `in 12 min`, `now`; Infinity: in a later run. */
export function whenInWords(at: number, now: number): string {
  if (at === Infinity) return 'by the next run'
  return at > now ? `in ${formatDuration(at - now)}` : 'now'
}

/** Why a pattern is closed. */
const CLOSED_FOR = {
  'same-content': 'its pages say the same',
  'new-urls': 'more new URLs than its pages have earned',
  'new-hosts': 'too many hosts of one domain',
}

/** `shop.example/cal?d=*: its pages say the same; 120 pages seen, 3,000 links and requests refused`. */
export function closedLine({ pattern, reason, pages, refused }: CrawlReport['closedPatterns'][number]): string {
  const seen = `${formatCountOf(pages, 'page')} seen`
  return `${printable(pattern)}: ${CLOSED_FOR[reason]}; ${seen}, ${formatCount(refused)} ${reason === 'same-content' ? 'refused' : 'not followed'}`
}

/** `https://shop.example/p: http-404 for 3 h, in 4 visits; requested again in 12 min`. */
function probationLine({ url, why, since, visits, nextAt }: CrawlReport['probation']['requests'][number], now: number): string {
  const how = `${printable(why)} for ${formatDuration(Math.max(0, now - since))}, ${formatCountOf(visits, 'visit')} in a row`
  return `${printable(url)}: ${how}; requested again ${whenInWords(nextAt, now)}`
}

// What a crawl left that somebody may have to look at, in sections of lines: the same after a run and in the report on a store.

/** More are in `--json`. */
const MAX_ROWS = 10
/** A report lists no more of anything. */
const MOST_LISTED = 100

/** A title, and a line for each of the first rows; no line where there is no row. */
export function section<Row>(title: string, all: readonly Row[], line: (row: Row) => string): readonly string[] {
  if (all.length === 0) return []
  const more = all.length - MAX_ROWS
  const least = all.length >= MOST_LISTED ? 'at least ' : ''
  return [
    `${title}:`,
    ...all.slice(0, MAX_ROWS).map((row) => `  ${line(row)}`),
    ...(more > 0 ? [`  and ${least}${formatCount(more)} more`] : []),
  ]
}

/** Pages and items that were lost, and why. Paths are relative to `folder`. */
export function lossSections(
  { failures, handlerErrors, rejects, driedUp }: Pick<CrawlReport, 'failures' | 'handlerErrors' | 'rejects' | 'driedUp'>,
  folder: string,
): readonly (readonly string[])[] {
  return [
    section('broken layout', driedUp, driedUpLine),
    section('failed', failures, failureLine),
    section('errors in handlers', handlerErrors, (group) => handlerErrorLine(group, folder)),
    section('items set aside', rejects, rejectGroupLine),
  ]
}

/** What is left undone, and how far sinks are. `now`: epoch ms. */
export function leftSections(
  left: Pick<CrawlReport, 'retiredHosts' | 'probation' | 'closedPatterns' | 'refusedLinks'> & {
    readonly sinks?: readonly ToldSink[]
  },
  { now, folder }: { readonly now: number; readonly folder: string },
): readonly (readonly string[])[] {
  const { retiredHosts, probation, closedPatterns, refusedLinks, sinks = [] } = left
  return [
    section('hosts given up', retiredHosts, ({ hostKey, waiting, reason, probeAt }) => {
      return `${printable(hostKey)}: ${formatCount(waiting)} left, ${givenUpInWords(reason, probeAt, now)}`
    }),
    section(`missing, ${formatCountOf(probation.pages, 'page')}`, probation.requests, (page) => probationLine(page, now)),
    section('patterns closed', closedPatterns, closedLine),
    section('links not followed', refusedLinks, refusedLine),
    section('sinks', sinks, (sink) => sinkLine(sink, folder)),
  ]
}

/** `1 × robots: robots.txt does not allow it`. */
function failureLine({ reason, count }: CrawlReport['failures'][number]): string {
  return `${formatCount(count)} × ${printable(reason)}: ${DEAD_LETTERS[deadLetterClassOf(reason)]}`
}

// The order of hosts in every list: by name, as people count, so that shop-2 is before shop-10.

/** Made when it is needed: it takes 3 ms. */
let names: Intl.Collator | undefined

/** For `toSorted`. Names that count alike are told apart by their letters, so that the order is always the same. */
export function byName(a: { readonly hostKey: string }, b: { readonly hostKey: string }): number {
  names ??= new Intl.Collator('en', { numeric: true })
  return names.compare(a.hostKey, b.hostKey) || (a.hostKey < b.hostKey ? -1 : Number(a.hostKey > b.hostKey))
}

// How to follow what a crawl does not follow by itself: the command that accepts a pattern, called as this one was, with the store as it was typed.

/** What a crawl left because of a pattern. */
interface Undone {
  readonly closedPatterns: readonly Pick<CrawlReport['closedPatterns'][number], 'pattern' | 'reason'>[]
}

/** What the command depends on. */
interface TypedStore {
  /** As it was typed, or as the next command finds it; absent: by itself. */
  readonly store?: string
  /** How the command was called: `avocet`, or `npx avocet`. */
  readonly command?: string
}

/** For the first pattern that is closed: a sentence, and a command on a line of its own. */
export function scopeSteps({ closedPatterns: [closed] }: Undone, { store, command }: TypedStore = {}): string[] {
  if (closed === undefined) return []
  return [
    closed.reason === 'same-content'
      ? 'to open a closed pattern, accept it, and run the crawl again:'
      : 'to lift a budget, accept its pattern; the next visits of its pages, or a crawl with --fresh, follow all of their links:',
    `  ${commandLine(['scope', 'accept', closed.pattern, ...(store === undefined ? [] : ['--store', store])], command)}`,
  ]
}
