// A body that is being received, and what will go wrong with it: known when it begins, for it comes at an even pace.
import { formatDuration, type FailureCode } from '@avocet/core/plugin'
import type { TimeLimits } from '@avocet/core/store'
import type { FeltEnd } from '../felt.ts'
import type { SitePage } from '../site-model/site.ts'

/** The minimum throughput is an average over this time (port `TimeLimits`). */
const THROUGHPUT_WINDOW_MS = 30_000

/** One body. */
export interface BodyFlow {
  readonly page: SitePage
  /** Bytes that come, at this throughput; fewer than announced when it is cut short. */
  readonly bytes: number
  readonly bytesPerSecond: number
  readonly cutShort: boolean
  readonly end: FeltEnd
}

/** What goes wrong, and when: ms from the first byte. */
export interface FlowTrouble {
  readonly inMs: number
  readonly code: FailureCode
  readonly message: string
  readonly wireBytes: number
}

/** Of a body that is longer than what is wanted of it only that part; the client hangs up on the rest. */
export function wantedPart(flow: BodyFlow, keepBytes: number): BodyFlow {
  if (flow.bytes <= keepBytes) return flow
  const body = flow.page.body.subarray(0, keepBytes)
  return { ...flow, page: { ...flow.page, body }, bytes: keepBytes, cutShort: false, end: 'failed' }
}

/** How long it takes. */
export function bodyMsOf({ bytes, bytesPerSecond }: BodyFlow): number {
  return bytes === 0 ? 0 : (bytes / bytesPerSecond) * 1_000
}

/** The limit that the body will exceed first, if it exceeds one before it ends. `restMs`: what is left of the total time; Infinity: it has none. */
export function troubleOf(
  flow: BodyFlow,
  limits: Pick<TimeLimits, 'idleMs' | 'totalMs' | 'minBytesPerSecond'> & { readonly restMs: number; readonly most: number },
): FlowTrouble | undefined {
  const { idleMs, totalMs, minBytesPerSecond, restMs, most } = limits
  const perSecond = flow.bytesPerSecond
  const troubles: Omit<FlowTrouble, 'wireBytes'>[] = []
  if (restMs !== Infinity)
    troubles.push({ inMs: restMs, code: 'AVO_TOTAL_TIMEOUT', message: `not over within ${formatDuration(totalMs)}` })
  if (1_000 / perSecond > idleMs)
    troubles.push({ inMs: idleMs, code: 'AVO_IDLE_TIMEOUT', message: `no byte for ${formatDuration(idleMs)}` })
  if (perSecond < minBytesPerSecond) {
    const message = `${String(perSecond)} bytes a second came, ${String(minBytesPerSecond)} are the least`
    troubles.push({ inMs: THROUGHPUT_WINDOW_MS, code: 'AVO_TOO_SLOW', message })
  }
  if (flow.bytes > most) {
    troubles.push({
      inMs: (most / perSecond) * 1_000,
      code: 'AVO_BODY_TOO_LARGE',
      message: `more than ${String(most)} bytes came`,
    })
  }
  const first = troubles.toSorted((a, b) => a.inMs - b.inMs)[0]
  if (first === undefined || (first.inMs >= bodyMsOf(flow) && first.code !== 'AVO_BODY_TOO_LARGE')) return undefined
  const wireBytes = first.code === 'AVO_BODY_TOO_LARGE' ? most : Math.floor((first.inMs / 1_000) * perSecond)
  return { ...first, wireBytes }
}
