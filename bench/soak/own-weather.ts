// What happens to the crawler itself in a month: runs that are killed and begun again, its clock, its disk, its network. Pure.
import type { ClientOutage } from '@avocet/simulator'
import { diceOf } from './dice.ts'
import { troubleOf, type Span, type Trouble, type WeatherKind } from './trouble.ts'

/** A run of one process: when, how it ends, and by how much its clock is wrong. */
export interface Shift extends Span {
  readonly ending: 'kill' | 'stop'
  readonly clockAheadMs: number
}

/** The weather of the crawler. */
export interface OwnWeather {
  /** Of each process, one list; in the order of time. */
  readonly shifts: readonly (readonly Shift[])[]
  readonly clientOutages: readonly ClientOutage[]
  readonly suspends: readonly Span[]
  /** Times in which nothing can be written to the store. */
  readonly disk: readonly Span[]
  /** Troubles of all hosts, in the order of `fromMs`. */
  readonly troubles: readonly Trouble[]
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const CLOCK_STEPS_MS = [2 * HOUR_MS, 3 * DAY_MS, 365 * DAY_MS, -5 * MINUTE_MS, -2 * HOUR_MS]

/** How often each of them comes, a week. Every kind comes once at least. */
const A_WEEK = { network: 1.5, portal: 1.5, suspend: 1.5, disk: 2, kill: 7, restart: 2, clock: 1.5 } as const

/** The weather of `lengthMs`. */
export function ownWeather({
  seed,
  lengthMs,
  kinds,
  processes,
}: {
  seed: string
  lengthMs: number
  kinds: ReadonlySet<WeatherKind>
  processes: number
}): OwnWeather {
  const times = (kind: keyof typeof A_WEEK): number =>
    kinds.has(kind) ? Math.max(1, Math.round((A_WEEK[kind] * lengthMs) / (7 * DAY_MS))) : 0
  // The first two hours are quiet for those, so that there is something to lose.
  const whole: Span = { fromMs: 2 * HOUR_MS, untilMs: lengthMs }
  const most = lengthMs / 6
  const spans = (kind: keyof typeof A_WEEK, from: number, to: number): Span[] => {
    const dice = diceOf(seed, kind)
    return Array.from({ length: times(kind) }, () => dice.span(Math.min(most, dice.log(from, to)), whole))
  }
  const networks = spans('network', 10 * MINUTE_MS, 10 * HOUR_MS)
  const portals = spans('portal', 5 * MINUTE_MS, 6 * HOUR_MS)
  const style = diceOf(seed, 'style')
  const clientOutages = [
    ...networks.map((span) => ({ style: style.pick(['unreachable', 'no-route', 'blackhole'] as const), ...span })),
    ...portals.map((span) => ({ style: 'certificate' as const, ...span })),
  ].sort((a, b) => a.fromMs - b.fromMs)
  const suspends = spans('suspend', 30 * MINUTE_MS, 8 * HOUR_MS)
  const disk = spans('disk', MINUTE_MS, 4 * HOUR_MS)
  const shifts = Array.from({ length: processes }, (_, process) => shiftsOf({ seed, lengthMs, process, times }))
  const troubles = [
    ...clientOutages.map((span) => troubleOf(span.style === 'certificate' ? 'portal' : 'network', span.style, span)),
    ...suspends.map((span) => troubleOf('suspend', 'suspend', span)),
    ...disk.map((span) => troubleOf('disk', 'full', span)),
    ...shifts.flatMap(troublesOfShifts),
  ].sort((a, b) => a.fromMs - b.fromMs)
  return { shifts, clientOutages, suspends, disk, troubles }
}

function shiftsOf({
  seed,
  lengthMs,
  process,
  times,
}: {
  seed: string
  lengthMs: number
  process: number
  times: (kind: 'kill' | 'restart' | 'clock') => number
}): Shift[] {
  const dice = diceOf(seed, 'process', process)
  const whole: Span = { fromMs: process === 0 ? 10 * MINUTE_MS : 0, untilMs: lengthMs }
  const clocks = Array.from({ length: times('clock') }, () => {
    return {
      ...dice.span(Math.min(lengthMs / 12, dice.log(30 * MINUTE_MS, 12 * HOUR_MS)), whole),
      aheadMs: dice.pick(CLOCK_STEPS_MS),
    }
  }).sort((a, b) => a.fromMs - b.fromMs)
  const kills = Array.from({ length: times('kill') }, () => ({ atMs: dice.span(0, whole).fromMs, ending: 'kill' as const }))
  const stops = Array.from({ length: times('restart') }, () => ({ atMs: dice.span(0, whole).fromMs, ending: 'stop' as const }))
  const edges = clocks
    .flatMap(({ fromMs, untilMs }) => [fromMs, untilMs])
    .map((atMs) => ({ atMs, ending: dice.pick(['kill', 'stop'] as const) }))
  const ends = [...kills, ...stops, ...edges].sort((a, b) => a.atMs - b.atMs)
  const shifts: Shift[] = []
  let fromMs = process * 2_000
  for (const { atMs, ending } of [...ends, { atMs: lengthMs, ending: 'stop' as const }]) {
    // A stop may drain for half a minute.
    if (atMs < fromMs + MINUTE_MS) continue
    const middle = (fromMs + atMs) / 2
    const clock = clocks.find((span) => middle >= span.fromMs && middle < span.untilMs)
    shifts.push({ fromMs, untilMs: atMs, ending, clockAheadMs: clock?.aheadMs ?? 0 })
    fromMs = atMs + MINUTE_MS + Math.round(dice.next() ** 3 * 20 * MINUTE_MS)
  }
  return shifts
}

/** The pauses between runs, and the runs with a wrong clock. A pause is a trouble although another process may go on: hosts change hands. */
function troublesOfShifts(shifts: readonly Shift[]): Trouble[] {
  return shifts.flatMap((shift, n) => {
    const next = shifts[n + 1]
    const pause =
      next &&
      troubleOf(shift.ending === 'kill' ? 'kill' : 'restart', shift.ending, { fromMs: shift.untilMs, untilMs: next.fromMs })
    const wrong =
      shift.clockAheadMs !== 0 &&
      troubleOf('clock', `${String(shift.clockAheadMs / HOUR_MS)} h`, {
        fromMs: shift.fromMs,
        untilMs: next?.fromMs ?? shift.untilMs,
      })
    return [...(pause ? [pause] : []), ...(wrong ? [wrong] : [])]
  })
}
