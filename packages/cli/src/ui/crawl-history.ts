// The history of a crawl, and of one host, as the page draws it: the last hour, day and week, and the whole time.
import { HISTORY_SPANS, type History, type Series } from '@avocet/dashboard'
import type { MemoryParts } from '@avocet/core/store'
import { crawlHistory, hostHistory } from '@avocet/plugin-journal'

const HOUR_MS = 3_600_000
/** How far each reaches back. */
const REACH_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS, whole: Infinity } as const
/** Steps of a chart. */
const POINTS = 200

/** Of all processes together, from the memories that they left in the store. `now`: epoch ms. */
export function historyOfCrawl(crawlMemories: readonly MemoryParts[], now: number): History {
  return inSpans(now, (query) => {
    const { widthMs, steps } = crawlHistory(crawlMemories, query)
    const points = steps.map(({ at, requests, refusals, failures, quantiles }) => ({
      ...{ at, requests, refusals, failures },
      halfMs: quantiles?.p50Ms ?? null,
      nineInTenMs: quantiles?.p90Ms ?? null,
    }))
    return { widthMs, points }
  })
}

/** Of a host, from its memory in the store, with the rate that its policy had found. */
export function historyOfHost(memory: MemoryParts, now: number): History {
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
  const series = HISTORY_SPANS.map((span) => {
    const reach = REACH_MS[span]
    return [span, of({ points: POINTS, ...(reach < Infinity && { from: now - reach }) })] as const
  })
  return Object.fromEntries(series) as Record<(typeof HISTORY_SPANS)[number], Series>
}
