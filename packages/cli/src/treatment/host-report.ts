// What a crawl did to one host: how much, how quick, what was refused, and whether it obeyed what the host asked.
//
// From the store alone: the journal says how the host was treated, and the policies explain from their memory what they found. Of a host that was
// crawled without the journal only the counts are known.
import type { HostOptions, Plugin } from '@avocet/core'
import type { HostRecord } from '@avocet/core/store'
import { coreMemory } from '@avocet/core/tools'
import type { CrawlAtRest } from '@avocet/at-rest'
import { addedLatency, hostYield, journalOf, withinMs } from '@avocet/plugin-journal'
import type { HandlerYield, HostJournal, JournalBucket, JournalEnd, Latency } from '@avocet/plugin-journal'
import { foundRpsOf } from '@avocet/project/plan'
import type { JudgedHost } from '../text/left-undone.ts'
import { courtesyOf, type Courtesy } from './courtesy.ts'

/** Rates and their ends over time. */
interface HostTimeline {
  readonly widthMs: number
  readonly buckets: readonly JournalBucket[]
}

/** One host. Times are epoch ms; null = not known, or never. */
export interface HostReport extends JudgedHost, Pick<HostRecord, 'held'> {
  readonly hostKey: string
  readonly retiredFor: string | null
  /** Of a host that was given up: when it is probed again; null = in a later run. */
  readonly probeAt: number | null
  readonly waiting: number
  readonly done: number
  readonly moved: number
  readonly failed: number
  readonly retried: number
  /** When something of it may be requested: 0 = at once, null = at no moment that is known. */
  readonly readyAt: number | null
  /** How its exchanges ended, the most frequent first. */
  readonly ends: readonly JournalEnd[]
  /** What each handler got from its pages. */
  readonly handlers: readonly HandlerYield[]
  /** Exchanges that ended: refusals (429, 503) and network errors among them. With robots.txt and what was tried again. */
  readonly requests: number
  readonly refusals: number
  readonly networkErrors: number
  readonly wireBytes: number
  readonly firstAt: number | null
  readonly lastAt: number | null
  readonly runs: readonly number[]
  /** Requests a second, as its policy found. Null of a host that never answered with a success, too. */
  readonly foundRps: number | null
  readonly firstByte: Quantiles | null
  readonly courtesy: Courtesy | null
  /** What its last run was told of it. */
  readonly options: HostOptions | null
  readonly timeline: HostTimeline
}

/** How a store's hosts are asked about. */
export interface Asking {
  /** What explains its memory: what was done is told from the store alone. */
  readonly explainersFor: (record: HostRecord) => { readonly plugins: readonly Plugin[] }
  /** Epoch ms. */
  readonly now: number
}

const NO_TIMELINE: HostTimeline = { widthMs: 0, buckets: [] }

/** Puts one together. */
export function hostReport(crawl: CrawlAtRest, record: HostRecord, { explainersFor, now }: Asking): HostReport {
  const { values } = crawl.explain(record, { ...explainersFor(record), now })
  const known = journalOf(record.memory)
  const { proven } = coreMemory.ofHost(record.memory)
  const { hostKey, held, readyAt, waiting, done, moved, failed, retried, retiredFor, probeAt } = record
  return {
    hostKey,
    ...crawl.judge(record, now),
    held,
    retiredFor: retiredFor ?? null,
    probeAt: probeAt ?? null,
    waiting,
    done,
    moved,
    failed,
    retried,
    readyAt: Number.isFinite(readyAt) ? readyAt : null,
    ends: known?.ends ?? [],
    handlers: hostYield(record.memory),
    ...totalsOf(known?.buckets ?? []),
    firstAt: momentOf(known?.firstAt),
    lastAt: momentOf(known?.lastAt),
    runs: known?.runs ?? [],
    // Before the first success it is only what the policy begins with.
    foundRps: (proven === true ? foundRpsOf(values) : undefined) ?? null,
    firstByte: quantilesOf(latencyOf(known)),
    courtesy: known === undefined ? null : courtesyOf(known, values['robots']),
    options: known?.options ?? null,
    timeline: known === undefined ? NO_TIMELINE : { widthMs: known.widthMs, buckets: known.buckets },
  }
}

/** How long its answers took. */
export function latencyOf(known: Pick<HostJournal, 'buckets'> | undefined): Latency {
  return totalOf((known?.buckets ?? []).map(({ firstByte }) => firstByte))
}

function totalsOf(buckets: readonly JournalBucket[]): Pick<HostReport, 'requests' | 'refusals' | 'networkErrors' | 'wireBytes'> {
  const totals = { requests: 0, refusals: 0, networkErrors: 0, wireBytes: 0 }
  for (const { requests, refusals, failures, wireBytes } of buckets) {
    totals.requests += requests
    totals.refusals += refusals
    totals.networkErrors += failures
    totals.wireBytes += wireBytes
  }
  return totals
}

/** 0 stands for a moment that never was. */
function momentOf(at: number | undefined): number | null {
  return at === undefined || at === 0 ? null : at
}

/** Ms, each at most √2 too long. */
export interface Quantiles {
  readonly halfMs: number
  readonly nineInTenMs: number
  readonly most99Ms: number
}

/** Null when there was no answer. */
export function quantilesOf(latency: Latency): Quantiles | null {
  const [halfMs, nineInTenMs, most99Ms] = [0.5, 0.9, 0.99].map((share) => withinMs(latency, share))
  if (halfMs === undefined || nineInTenMs === undefined || most99Ms === undefined) return null
  return { halfMs, nineInTenMs, most99Ms }
}

/** All together. */
export function totalOf(latencies: readonly Latency[]): Latency {
  return latencies.reduce(addedLatency, [])
}
