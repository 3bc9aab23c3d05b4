// What one more trouble costs a host that is given up: its probe of the day meets that trouble and is in vain. Pure.
//
// That may be another of its own, or one of ours: ten hosts prove that the trouble is ours, one does not: a probe between two rounds is the only exchange for minutes. The next comes after an interval
// that is never longer than the host has been away.
import { probeMs, type Trouble, type WeatherKind } from './trouble.ts'

const DEADLY: ReadonlySet<WeatherKind> = new Set(['network', 'portal', 'outage', 'dns', 'certificate', 'flapping'])

/** The troubles of a host, with a longer grace where a probe may have met one of `own`, which are in the order of `fromMs`. */
export function withProbesInVain(troubles: readonly Trouble[], own: readonly Trouble[]): readonly Trouble[] {
  const others = [...own, ...troubles].filter(({ kind }) => DEADLY.has(kind)).sort((a, b) => a.fromMs - b.fromMs)
  return troubles.map((trouble) => {
    const { fromMs, untilMs, graceMs } = trouble
    if (graceMs < probeMs(untilMs - fromMs)) return trouble
    let lastMs = untilMs + graceMs
    for (const met of others)
      if (met !== trouble && met.fromMs < lastMs && met.untilMs > fromMs)
        lastMs = Math.max(lastMs, met.untilMs + probeMs(met.untilMs - fromMs))
    return { ...trouble, graceMs: lastMs - untilMs }
  })
}
