// One host, as a page shows it: what `avocet why` knows of it, its journal as a series, and some of its pages.
import type { HostLine, HostOrders, HostPicture, KnownFacts, PageLine, Series, History } from '@avocet/dashboard'
import type { HostRecord, RequestRecord, MemoryParts } from '@avocet/core/store'
import { journalOf, withinMs, crawlHistory, hostHistory } from '@avocet/plugin-journal'
import type { CrawlAtRest } from '@avocet/at-rest'
import type { Explanation } from '@avocet/core/tools'
import { valuesInWords } from '@avocet/project/place'
import { deadLetterClass } from '@avocet/project/store'
import { isDueAgain } from '../store/dead-letters.ts'
import { answerOf, type Answer, type Question } from '../why/answer.ts'
import { whyLines } from '../why/why.ts'
import { holdLine } from './host-rows.ts'

/** What a host is asked with. */
export interface HostQuestion extends Omit<Question, 'url'> {
  readonly line: HostLine
  readonly folder: string
}

const MAX_PAGES = 10

/** The picture of a host. */
export async function hostPicture({ line, folder, ...question }: HostQuestion): Promise<HostPicture> {
  const { record, reader, now } = question
  const { hostKey } = record
  const answer = await answerOf(question)
  return {
    hostKey,
    line,
    retiredFor: record.retiredFor ?? null,
    probeAt: record.probeAt ?? null,
    holds: answer.holds.flatMap(({ until, ...hold }) => holdLine({ ...hold, until: until ?? Infinity }, now) ?? []),
    orders: ordersOf(answer.orders),
    known: factsOf(answer.values, now),
    series: journalSeries(record),
    rates: historyOfHost(record.memory, now),
    story: whyLines(answer, question.storePath, folder),
    pages: [
      ...(await reader.requests({ state: 'failed', hostKey, limit: MAX_PAGES })),
      ...(await reader.requests({ state: 'waiting', hostKey, limit: MAX_PAGES })),
    ].map(pageLine),
  }
}

function ordersOf({ pausedUntil, limits = {} }: Answer['orders']): HostOrders {
  const { maxRps = null, maxInFlight = null, delayMs = null } = limits
  return { isPaused: pausedUntil !== undefined, maxRps, maxInFlight, delayMs }
}

function factsOf(values: Explanation['values'], now: number): readonly KnownFacts[] {
  return Object.entries(values)
    .filter(([, known]) => Object.keys(known).length > 0)
    .map(([by, known]) => ({ by, facts: valuesInWords(known, now) }))
}

/** Its journal. */
function journalSeries({ memory }: Pick<HostRecord, 'memory'>): Series {
  const known = journalOf(memory)
  const points = (known?.buckets ?? []).map(({ at, requests, refusals, failures, firstByte }) => ({
    ...{ at, requests, refusals, failures },
    halfMs: withinMs(firstByte, 0.5) ?? null,
    nineInTenMs: withinMs(firstByte, 0.9) ?? null,
  }))
  return { widthMs: known?.widthMs ?? 0, points }
}

/** A request in a list. */
export function pageLine(record: RequestRecord): PageLine {
  const { id, url, state, reason = null, attempts, freeAttempts } = record
  const found = deadLetterClass(record)
  const canBeDropped = found !== undefined && found !== 'dropped' && !isDueAgain(record)
  return { id, url, state, reason, attempts: attempts + freeAttempts, canBeDropped }
}

// The history of a crawl, and of one host, as the page draws it: the last hour, day and week, and the whole time.

const HOUR_MS = 3_600_000
/** How far each reaches back. */
const REACH_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS, whole: Infinity } as const
/** Steps of a chart. */
const POINTS = 200

/** Of all processes together. `now`: epoch ms. */
export function historyOfCrawl(crawl: CrawlAtRest, now: number): History {
  return inSpans(now, (query) => {
    const { widthMs, steps } = crawlHistory(crawl, query)
    const points = steps.map(({ at, requests, refusals, failures, quantiles }) => ({
      ...{ at, requests, refusals, failures },
      halfMs: quantiles?.p50Ms ?? null,
      nineInTenMs: quantiles?.p90Ms ?? null,
    }))
    return { widthMs, points }
  })
}

/** Of a host, from its memory in the store, with the rate that its policy had found. */
function historyOfHost(memory: MemoryParts, now: number): History {
  return inSpans(now, (query) => {
    const { widthMs, steps } = hostHistory(memory, query)
    const points = steps.map(({ at, requests, refusals, pacedRps }) => ({
      ...{ at, requests, refusals, failures: null, halfMs: null, nineInTenMs: null },
      foundRps: pacedRps ?? null,
    }))
    return { widthMs, points }
  })
}

function inSpans(now: number, of: (query: { from?: number; points: number }) => Series): History {
  const series = Object.entries(REACH_MS).map(
    ([span, reach]) => [span, of({ points: POINTS, ...(reach < Infinity && { from: now - reach }) })] as const,
  )
  return Object.fromEntries(series) as Record<keyof typeof REACH_MS, Series>
}
