// What happens to all products of a shop at once, or to many: new prices by the dozen, sales and their ends, an index, a holiday.
import type { Draws } from './draws.ts'
import type { Burst, ShopEvents } from './product-life.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, momentsIn, type Span } from './week.ts'

/** Draws them. One shop in a hundred is on holiday in a week. */
export function eventsOf(span: Span, draws: Draws): ShopEvents {
  const bursts: Burst[] = []
  const perDay = Math.min(3, draws.logNormal(0.35, 0.8))
  for (const at of momentsIn(span, perDay, draws)) {
    const [kind, spreadMs] = [draws.next(), draws.isHit(0.5) ? 0 : draws.between(1, 20) * MINUTE_MS]
    if (kind < 0.7) bursts.push({ at, share: draws.between(0.3, 1), spreadMs })
    else if (kind < 0.9) {
      const share = draws.isHit(0.5) ? 1 : draws.between(0.3, 1)
      bursts.push({ at, factor: draws.between(0.5, 0.92), share, spreadMs })
      bursts.push({ at: at + draws.logNormal(30, 0.7) * HOUR_MS, factor: 1, share: 1, spreadMs })
    } else bursts.push({ at, factor: draws.between(1.01, 1.06), share: 1, spreadMs })
  }
  const isClosed = draws.isHit((0.01 * (span.untilMs - span.fromMs)) / (7 * DAY_MS))
  const fromMs = Math.round(draws.between(span.fromMs, span.untilMs))
  return { bursts, closed: isClosed ? [{ fromMs, untilMs: fromMs + Math.round(draws.between(20, 60)) * HOUR_MS }] : [] }
}
