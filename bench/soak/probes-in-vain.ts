// What one more trouble costs a host that is given up: its probe of the day meets that trouble and is in vain. Pure.
//
// That may be another of its own, or one of ours: ten hosts prove that the trouble is ours, one does not: a probe between two rounds is the only exchange for
// minutes. The next comes after an interval that is never longer than the host has been away. And who answers nothing for a day is given up, also if half of
// that day was our network's: after an hour of that failures count.
import { DAY_MS, HOUR_MS } from './soak-spider.ts'
import { COOL_DOWN_MS, probeMs, type Trouble, type WeatherKind } from './trouble.ts'

/** A cool-down is up to a fifth longer. */
const SPREAD = 1.2
const DEADLY: ReadonlySet<WeatherKind> = new Set(['network', 'portal', 'outage', 'dns', 'certificate', 'flapping'])

/** The troubles of a host, with a longer grace where a probe may have met one of `own`, which are in the order of `fromMs`. */
export function withProbesInVain(troubles: readonly Trouble[], own: readonly Trouble[]): readonly Trouble[] {
  const others = [...own, ...troubles].filter(({ kind }) => DEADLY.has(kind)).sort((a, b) => a.fromMs - b.fromMs)
  return troubles.map((alone) => {
    const { fromMs, untilMs } = alone
    const awayMs = awayUntil(alone, others) - fromMs
    // A clock that jumps: of the time in which nobody looked an hour counts, beside what was left of the cool-down.
    const clocks = own.filter((met) => met.kind === 'clock' && met.fromMs < untilMs && met.untilMs > fromMs)
    const countedMs = awayMs + (clocks.length > 0 ? HOUR_MS + SPREAD * COOL_DOWN_MS : 0)
    // By each that is days ahead the probe comes early, is in vain, and doubles the interval.
    const ahead = clocks.filter(({ how }) => Number.parseFloat(how) * HOUR_MS >= DAY_MS)
    const early = ahead.filter((met) => !ahead.some(({ how, untilMs: endMs }) => how === met.how && endMs === met.fromMs)).length
    const probedMs = Math.min(7 * DAY_MS, 2 ** early * probeMs(awayMs))
    const trouble =
      DEADLY.has(alone.kind) && countedMs >= DAY_MS
        ? { ...alone, graceMs: Math.max(alone.graceMs, fromMs + awayMs + probedMs - untilMs) }
        : alone
    const { graceMs } = trouble
    if (graceMs < probeMs(untilMs - fromMs)) return trouble
    let lastMs = untilMs + graceMs
    for (const met of others)
      if (met !== alone && met.fromMs < lastMs && met.untilMs > fromMs)
        lastMs = Math.max(lastMs, met.untilMs + probeMs(met.untilMs - fromMs))
    return { ...trouble, graceMs: lastMs - untilMs }
  })
}

/** When a host was heard again for which one trouble began while it was waited for the end of another. `others` in the order of `fromMs`. */
function awayUntil({ untilMs }: Trouble, others: readonly Trouble[]): number {
  let lastMs = untilMs
  for (const { fromMs, untilMs: endMs } of others) if (fromMs <= lastMs + SPREAD * COOL_DOWN_MS && endMs > lastMs) lastMs = endMs
  return lastMs
}
