// What the journal remembers of one host, its form in the store, and how it is read back from there.
import type { HostOptions } from '@avocet/core'
import { type MemoryParts, storedJson } from '@avocet/core/store'
import type { EndRow, Waits } from './laws/starts-and-ends.ts'
import type { Latency } from './laws/latency.ts'
import { binsOfRing, type OpenRings, paceRps, RINGS } from './laws/rate-ring.ts'
import { type Bucket, bucketLatency, EMPTY_TIMELINE, FIRST_WIDTH_MS, openedAt, type Timeline } from './laws/timeline.ts'

/** Host memory. Of starts: when the first byte of a request was written. Absent = there was none. */
export interface JournalMemory {
  /** Epoch ms of the first start and the last; 0 = never. */
  firstAt: number
  lastAt: number
  /** Most starts in any second, and in any minute. */
  inSecond: number
  inMinute: number
  /** Starts in the minute up to the last. */
  lately: number
  smallestGapMs?: number
  /** Epoch ms at which a document that a plugin required (robots.txt) was last answered, and the smallest gap before any start since. */
  requiredAt?: number
  gapSinceMs?: number | undefined
  waits?: Waits
  /** How its exchanges ended. */
  ends?: EndRow[]
  /** Requests sent, by what was done about robots.txt. */
  robots?: RobotsTreatment
  /** What the last run that asked this host was told of it: limits, whether robots.txt is ignored. */
  options?: HostOptions | undefined
  /** Epoch ms at which the last run began that asked this host. */
  runAt: number
  /** Of the open bucket, and of the closed ones in the blob. */
  widthMs: number
  open: number[]
  /** Open bins of what was asked lately. */
  rings?: OpenRings
  /** What each handler got from its pages; read it with `hostYield`. */
  yields?: YieldRow[]
  /** Links of its pages that were not followed: rule, host or nothing, links. */
  refusedLinks?: [string, string, number][]
  /** Closed buckets, where one can be put behind them as it is: unknown before the first, and after the width has changed. */
  kept?: number | undefined
}

/**
 * As they are kept: name, pages, items, dropped, spoiled, fruitful, barren, what older ones wrote, yielding, rejects, then its last visits, `1` for
 * one that failed, the latest last, and goodAt. Older rows are shorter.
 */
export type YieldRow = [
  ...[string, number, number, number, number, number, number, number, number],
  ...[number?, string?, number?],
]

/** Requests sent to a host, without those for robots.txt itself. */
export interface RobotsTreatment {
  /** While a policy `robots` decided. */
  obeyed: number
  /** While it was there, and told to ignore robots.txt. */
  ignored: number
  /** Without such a policy. */
  without: number
  /** Epoch ms of the last one that is not among `obeyed`. */
  lastUnruledAt?: number
}

/** What is in the blob. */
export interface KeptTimeline extends Timeline {
  /** Epoch ms at which earlier runs began, oldest first. */
  readonly runs: readonly number[]
}

/** Name of the blob, and of the plugin that it belongs to. */
export const TIMELINE_BLOB = 'journal timeline'

/** Of the plugin. */
export const NAME = 'journal'

/** A stretch of time at one host. */
export interface JournalBucket {
  /** Epoch ms; it lasts `widthMs` of its journal. */
  readonly at: number
  /** Exchanges that ended in it, refusals (429, 503) and failures among them. */
  readonly requests: number
  readonly refusals: number
  readonly failures: number
  readonly wireBytes: number
  readonly firstByte: Latency
}

/** How exchanges with a host ended. */
export interface JournalEnd {
  /** A status (`404`), or a failure (`dns-not-found`); `others`: further kinds, together. */
  readonly how: string
  readonly count: number
  /** Epoch ms. */
  readonly lastAt: number
  /** The last URL that ended so; absent for what went well. */
  readonly url?: string
}

/** What a host was asked in a stretch of time lately: `at`, epoch ms. */
interface RecentBin {
  readonly at: number
  readonly requests: number
  readonly refusals: number
  /** Requests a second that its rate policy had found at the end of it. */
  readonly pacedRps?: number
}

/** What the journal knows of one host. */
export interface HostJournal extends Omit<
  JournalMemory,
  'open' | 'runAt' | 'lately' | 'kept' | 'ends' | 'rings' | 'yields' | 'refusedLinks'
> {
  /** The most frequent first. */
  readonly ends: readonly JournalEnd[]
  /** Oldest first, without those in which nothing happened. */
  readonly buckets: readonly JournalBucket[]
  /** Epoch ms at which the runs began that asked it, oldest first. */
  readonly runs: readonly number[]
  /** The last hour in steps of 20 s, the last day of 10 min, the last month of 3 h; steps in which nothing happened are not there. */
  readonly recent: readonly (readonly RecentBin[])[]
}

/** Memory of a host that was never met. */
export function freshJournal(): JournalMemory {
  return { firstAt: 0, lastAt: 0, inSecond: 0, inMinute: 0, lately: 0, runAt: 0, widthMs: FIRST_WIDTH_MS, open: openedAt(0) }
}

/** Reads the text of the blob. */
export function keptTimeline(text: string | undefined): KeptTimeline {
  return text === undefined || text === '' ? { ...EMPTY_TIMELINE, runs: [] } : (JSON.parse(text) as KeptTimeline)
}

/** Writes it. The buckets stand last, so that one can be put behind them. */
export function timelineText({ runs, widthMs, buckets }: KeptTimeline): string {
  return JSON.stringify({ runs, widthMs, buckets })
}

/** A text that has buckets, with one more. */
export function withBucket(text: string, bucket: Bucket): string {
  return `${text.slice(0, -2)},${JSON.stringify(bucket)}]}`
}

/**
 * What the journal left of a host in a store; undefined when it was not part of the crawl.
 *
 * @example
 * ```ts
 * journalOf({ core: '[1,{}]' }) // undefined
 * ```
 */
export function journalOf(memory: MemoryParts): HostJournal | undefined {
  const own = savedJournal(memory)
  if (own === undefined) return undefined
  const { open, runAt, lately: _lately, kept: _kept, yields: _yields, refusedLinks: _refused, ends = [], rings, ...known } = own
  const { runs, buckets } = keptTimeline(memory[`#${TIMELINE_BLOB}`])
  const all = (open[1] ?? 0) > 0 ? [...buckets, open] : buckets
  return {
    ...known,
    ends: ends.map(readEnd).toSorted((a, b) => b.count - a.count),
    runs: runAt > 0 ? [...runs, runAt] : runs,
    buckets: inTime(all.map((bucket) => read(bucket, own.widthMs))),
    recent: RINGS.map(({ name, widthMs }, ring) =>
      binsOfRing(ring, memory[`#${name}`], rings).map(({ place, pace, ...counts }): RecentBin => {
        const pacedRps = paceRps(pace)
        return { at: place * widthMs, ...counts, ...(pacedRps !== undefined && { pacedRps }) }
      }),
    ),
  }
}

/** What is in the memory of a host; nothing where the journal was not part of the crawl. Throws AVO_FRONTIER_CORRUPT. */
export function savedJournal({ [NAME]: text }: MemoryParts): JournalMemory | undefined {
  const [version, own] = text === undefined ? [] : (storedJson(text, 'the memory of a host') as [number, JournalMemory])
  return version === 1 ? own : undefined
}

function readEnd([how, count, lastAt, url]: EndRow): JournalEnd {
  return { how, count, lastAt, ...(url !== undefined && { url }) }
}

/** A clock that went back left later buckets before earlier ones. */
function inTime(buckets: readonly JournalBucket[]): readonly JournalBucket[] {
  return buckets.toSorted((a, b) => a.at - b.at)
}

function read(bucket: Bucket, widthMs: number): JournalBucket {
  const [place = 0, requests = 0, refusals = 0, failures = 0, wireBytes = 0] = bucket
  return { at: place * widthMs, requests, refusals, failures, wireBytes, firstByte: bucketLatency(bucket) }
}
