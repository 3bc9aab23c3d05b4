// Whether a break was noticed, and what was alarmed about that was none: pure, from what a shop answered and when its host was suspect.
import { HOUR_MS } from '@avocet/stress/shops'

/** From when to when, epoch ms. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** A break is noticed within two rounds. */
const NOTICED_MS = 2 * HOUR_MS
/** After its end, pages of two rounds bear it out that all is well. */
export const RECOVERED_MS: number = 2.5 * HOUR_MS

/** What became of one break. */
export interface Notice {
  /** Epoch ms of the first answer that was not as the shop is. Absent: no visit saw the break. */
  readonly seenAt?: number
  /** How long after that the host was suspect. Absent: it was not, while the break lasted. */
  readonly afterMs?: number
  readonly isInTime: boolean
  /** Times in which the host was suspect without a break. */
  readonly alarms: readonly Span[]
}

/** Judges one host. `brokenAt`: moments of answers that a break spoiled. */
export function noticed(brokenAt: readonly number[], suspect: readonly Span[], broken?: Span): Notice {
  const inBreak = (span: Span): boolean =>
    broken !== undefined && span.untilMs >= broken.fromMs && span.fromMs < broken.untilMs + RECOVERED_MS
  const alarms = suspect.filter((span) => !inBreak(span) || (broken !== undefined && span.fromMs < broken.fromMs))
  const [seenAt] = brokenAt
  if (seenAt === undefined || broken === undefined) return { isInTime: false, alarms }
  const first = suspect.find((span) => inBreak(span) && span.untilMs >= seenAt)
  const afterMs = first && Math.max(0, first.fromMs - seenAt)
  return { seenAt, isInTime: afterMs !== undefined && afterMs <= NOTICED_MS, alarms, ...(afterMs !== undefined && { afterMs }) }
}
