// The timelines of many hosts as one, in steps of one width: what a chart of the whole crawl draws.
//
// A host that was crawled for long has wider buckets than one that was crawled briefly. The step is the finest that the whole span allows; what
// comes in wider buckets is spread evenly over its steps, so counts of a step may have a fraction, and their sum is still the sum.
import type { CrawlAtRest } from '@avocet/core/tools'
import { addedLatency, crawlHistory, type JournalBucket, type Latency } from '@avocet/plugin-journal'
import { quantilesOf, type HostReport, type Quantiles } from './host-report.ts'

/** A stretch of time of the whole crawl. */
interface CrawlStep {
  /** Epoch ms. */
  readonly at: number
  readonly requests: number
  readonly refusals: number
  readonly failures: number
  readonly wireBytes: number
  readonly firstByte: Quantiles | null
}

/** Steps in which something happened, oldest first. */
export interface CrawlTimeline {
  readonly widthMs: number
  readonly steps: readonly CrawlStep[]
}

/** More cannot be told apart in a chart. */
const MAX_STEPS = 96

type Counts = Omit<CrawlStep, 'firstByte'> & { readonly latency: Latency }
type Timed = Pick<HostReport, 'timeline' | 'firstAt' | 'lastAt'>

/** Of the history of the crawl: a chart has room for so many. */
const MAX_HISTORY_STEPS = 200

/**
 * The timeline of a whole crawl: its history, or that of its hosts where that is finer, as in the first minutes, or where the history does not reach back
 * to the first request. What an older version crawled is known of its hosts alone.
 */
export function wholeTimeline(crawl: CrawlAtRest, hosts: readonly Timed[]): CrawlTimeline {
  const { widthMs, steps } = crawlHistory(crawl, { points: MAX_HISTORY_STEPS })
  const firstAt = least(hosts.map((host) => host.firstAt ?? Infinity))
  const ofHosts = crawlTimeline(hosts)
  if ((steps[0]?.at ?? Infinity) > firstAt || ofHosts.widthMs <= widthMs) return ofHosts
  return {
    widthMs,
    steps: steps.map(({ at, requests, refusals, failures, wireBytes, firstByte }) => ({
      ...{ at, requests, refusals, failures, wireBytes },
      firstByte: quantilesOf(firstByte),
    })),
  }
}

/** Joins them. */
export function crawlTimeline(hosts: readonly Timed[]): CrawlTimeline {
  const widthMs = stepMs(hosts)
  const steps = new Map<number, Counts>()
  for (const host of hosts) {
    for (const bucket of host.timeline.buckets) {
      const places = placesOf(bucket, host, widthMs)
      for (const at of places) steps.set(at, joined(steps.get(at), bucket, { at, share: 1 / places.length }))
    }
  }
  const inOrder = [...steps.values()].toSorted((a, b) => a.at - b.at)
  return {
    widthMs,
    steps: inOrder.map(({ latency, ...counts }) => ({ ...counts, firstByte: quantilesOf(latency) })),
  }
}

/** The finest of their widths, doubled until all of it fits. */
function stepMs(hosts: readonly Timed[]): number {
  const used = hosts.filter(({ timeline }) => timeline.buckets.length > 0)
  if (used.length === 0) return 0
  let widthMs = least(used.map(({ timeline }) => timeline.widthMs))
  const from = least(used.map(({ timeline }) => timeline.buckets[0]?.at ?? Infinity))
  const until = -least(used.map(({ timeline }) => -(timeline.buckets.at(-1)?.at ?? 0)))
  while ((until - from) / widthMs >= MAX_STEPS) widthMs *= 2
  return widthMs
}

/** Where the steps of a bucket begin: all within it, as far as the host was asked by then. */
function placesOf({ at }: JournalBucket, { timeline, firstAt, lastAt }: Timed, widthMs: number): readonly number[] {
  if (timeline.widthMs <= widthMs) return [Math.floor(at / widthMs) * widthMs]
  const places: number[] = []
  const until = Math.min(at + timeline.widthMs, (lastAt ?? Infinity) + widthMs)
  for (let place = at; place < until; place += widthMs) if (place + widthMs > (firstAt ?? 0)) places.push(place)
  return places.length === 0 ? [at] : places
}

function joined(step: Counts | undefined, bucket: JournalBucket, part: { readonly at: number; readonly share: number }): Counts {
  const { at, share } = part
  return {
    at,
    requests: (step?.requests ?? 0) + bucket.requests * share,
    refusals: (step?.refusals ?? 0) + bucket.refusals * share,
    failures: (step?.failures ?? 0) + bucket.failures * share,
    wireBytes: (step?.wireBytes ?? 0) + bucket.wireBytes * share,
    latency: addedLatency(step?.latency ?? [], bucket.firstByte),
  }
}

/** Of any number of them: `Math.min(...)` takes no hundred thousand arguments. */
function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Infinity)
}
