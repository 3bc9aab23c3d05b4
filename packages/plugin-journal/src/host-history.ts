// The rate of one host over time as readers draw it: what it was asked and what it refused, as finely as it is known so far back.
import type { MemoryParts } from '@avocet/core/store'
import { widthFor, type HistoryQuery } from './crawl-history.ts'
import { journalOf, type HostJournal } from './host-memory.ts'
import { RINGS } from './laws/rate-ring.ts'

/** A step in which something happened. */
export interface HostStep {
  /** Epoch ms. */
  readonly at: number
  /** Exchanges that ended, refusals (429, 503) among them. */
  readonly requests: number
  readonly refusals: number
  /** Requests a second. */
  readonly rps: number
  /** What its rate policy had found at the end of the step. Absent where that is not known: it is for the last month. */
  readonly pacedRps?: number
}

/** Steps of one width, oldest first. What is missing is a rest. */
export interface HostHistory {
  /** Of a step, ms; 0 when there is none. */
  readonly widthMs: number
  readonly steps: readonly HostStep[]
}

interface Bins {
  readonly widthMs: number
  /** Whether nothing has been dropped. */
  readonly isWhole: boolean
  readonly bins: HostJournal['recent'][number]
}

const DEFAULT_POINTS = 400

/**
 * How often a host was requested and refused over time, from its memory in the store: the last hour by 20 s, a day by 10 min, a month by 3 h, and
 * all of it in 96 buckets, which are joined as it grows. Steps of the finest width that reaches back to `from`; at most `points` of them.
 *
 * @example
 * ```ts
 * hostHistory({ core: '[1,{}]' }) // { widthMs: 0, steps: [] }
 * ```
 */
export function hostHistory(memory: MemoryParts, query: HistoryQuery = {}): HostHistory {
  const known = journalOf(memory)
  if (known === undefined || known.firstAt === 0) return { widthMs: 0, steps: [] }
  const from = Math.max(query.from ?? known.firstAt, Math.min(known.firstAt, known.lastAt))
  const to = query.to ?? Infinity
  const { widthMs: finestMs, bins } = finestSince(from, known)
  const within = bins.filter(({ at }) => at + finestMs > from && at < to)
  const [first, last] = [within[0], within.at(-1)]
  if (first === undefined || last === undefined) return { widthMs: 0, steps: [] }
  const widthMs = widthFor({ from: first.at, to: last.at + finestMs, finestMs, points: query.points ?? DEFAULT_POINTS })
  const steps = new Map<number, HostStep>()
  for (const bin of within) {
    const at = Math.floor(bin.at / widthMs) * widthMs
    steps.set(at, withBin(steps.get(at) ?? { at, requests: 0, refusals: 0, rps: 0 }, bin, widthMs))
  }
  for (const { at, pacedRps } of known.recent.toReversed().flat()) {
    const step = steps.get(Math.floor(at / widthMs) * widthMs)
    if (step !== undefined && pacedRps !== undefined) steps.set(step.at, { ...step, pacedRps })
  }
  return { widthMs, steps: [...steps.values()].toSorted((a, b) => a.at - b.at) }
}

function withBin(step: HostStep, { requests: more, refusals }: Bins['bins'][number], widthMs: number): HostStep {
  const requests = step.requests + more
  return { ...step, requests, refusals: step.refusals + refusals, rps: (requests * 1_000) / widthMs }
}

function finestSince(from: number, known: HostJournal): Bins {
  const { buckets, widthMs, recent } = known
  const timeline: Bins = { widthMs, isWhole: true, bins: buckets }
  const rings = RINGS.map(({ widthMs: ringMs, most }, ring): Bins => {
    const bins = recent[ring] ?? []
    return {
      widthMs: ringMs,
      // What an earlier version crawled is in the timeline alone.
      isWhole: bins.length < most && (bins[0]?.at ?? Infinity) < (buckets[0]?.at ?? 0) + widthMs,
      bins,
    }
  })
  const all = [...rings, timeline].toSorted((a, b) => a.widthMs - b.widthMs)
  return all.find(({ isWhole, bins }) => isWhole || (bins[0]?.at ?? Infinity) <= from) ?? timeline
}
