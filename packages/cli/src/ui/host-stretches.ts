// The last exchanges of one host in stretches of five seconds, from one process or from several, and as a chart draws them.
import type { Series, SeriesPoint } from '@avocet/dashboard'
import type { HostStretch } from '../view/live-hosts.ts'

const STRETCH_MS = 5_000
/** Of more the oldest are left out: an hour. */
const MAX_STRETCHES = 720

/** What matters of an exchange. */
interface EndedExchange {
  /** Epoch ms. */
  readonly at: number
  /** Absent without an answer. */
  readonly firstByteMs?: number
  readonly isRefused: boolean
}

/** Exchanges of a host, in stretches of time, oldest first. */
export function stretchesOf(exchanges: readonly EndedExchange[]): readonly HostStretch[] {
  return joinedStretches(
    exchanges.map(({ at, firstByteMs, isRefused }) => ({
      at: Math.floor(at / STRETCH_MS) * STRETCH_MS,
      requests: 1,
      refusals: isRefused ? 1 : 0,
      firstByteMs: firstByteMs === undefined ? [] : [firstByteMs],
    })),
  )
}

/** One for each stretch of time. */
export function joinedStretches(all: readonly HostStretch[]): readonly HostStretch[] {
  const byTime = new Map<number, { at: number; requests: number; refusals: number; firstByteMs: number[] }>()
  for (const { at, requests, refusals, firstByteMs } of all) {
    const joined = byTime.get(at) ?? { at, requests: 0, refusals: 0, firstByteMs: [] }
    byTime.set(at, joined)
    joined.requests += requests
    joined.refusals += refusals
    for (const ms of firstByteMs) joined.firstByteMs.push(ms)
  }
  return [...byTime.values()].sort((a, b) => a.at - b.at).slice(-MAX_STRETCHES)
}

/** As a chart draws them. */
export function seriesOfStretches(stretches: readonly HostStretch[]): Series {
  return { widthMs: STRETCH_MS, points: stretches.map(pointOf) }
}

function pointOf({ at, requests, refusals, firstByteMs }: HostStretch): SeriesPoint {
  const times = firstByteMs.toSorted((a, b) => a - b)
  const within = (share: number): number | null => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? null
  const failures = requests - times.length
  return { at, requests, refusals, failures, halfMs: within(0.5), nineInTenMs: within(0.9) }
}
