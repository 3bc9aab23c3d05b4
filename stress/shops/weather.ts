// What befalls a shop for a while though nothing about its prices changes: it is away for a day, or says 404 for hours, at all of its addresses or at some.
import type { failure } from '@avocet/core/store'
import type { Draws } from './draws.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Span } from './week.ts'

/** A status, or what becomes of the connection. */
export type TroubleStyle =
  | number
  | Extract<Parameters<typeof failure>[0], 'AVO_CONNECT_REFUSED' | 'AVO_RESET' | 'AVO_FIRST_BYTE_TIMEOUT' | 'AVO_DNS_FAILED'>

export interface Trouble extends Span {
  readonly style: TroubleStyle
  /** Of its addresses. */
  readonly share: number
}

/** Of shops: away for 26 hours in a week, and 404 for hours. */
const AWAY = 0.15
const MISSING = 0.15
const AWAY_MS = 26 * HOUR_MS
const STYLES: readonly TroubleStyle[] = [
  503,
  502,
  500,
  'AVO_CONNECT_REFUSED',
  'AVO_RESET',
  'AVO_FIRST_BYTE_TIMEOUT',
  'AVO_DNS_FAILED',
]

/** Draws the troubles of a shop. */
export function troublesOf(span: Span, draws: Draws): readonly Trouble[] {
  const weeks = (span.untilMs - span.fromMs) / (7 * DAY_MS)
  const at = (lengthMs: number): Span => {
    const fromMs = Math.round(draws.between(span.fromMs + HOUR_MS, Math.max(span.fromMs + HOUR_MS, span.untilMs - lengthMs)))
    return { fromMs, untilMs: fromMs + Math.round(lengthMs) }
  }
  const away = draws.isHit(AWAY * weeks) ? [{ ...at(AWAY_MS), style: draws.pick(STYLES), share: 1 }] : []
  const missing = draws.isHit(MISSING * weeks)
    ? [{ ...at(draws.between(1, 14) * HOUR_MS), style: 404, share: draws.isHit(0.5) ? 1 : draws.between(0.2, 0.8) }]
    : []
  const brief = Array.from({ length: draws.whole(0, Math.round(3 * weeks)) }, () => ({
    ...at(draws.logNormal(4, 1) * MINUTE_MS),
    style: draws.pick(STYLES),
    share: 1,
  }))
  return [...away, ...missing, ...brief]
}
