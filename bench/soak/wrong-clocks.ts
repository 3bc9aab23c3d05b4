// What a clock that was ahead costs beyond its time: a wait that it wrote down and that nobody can tell from one that a right clock wrote. Pure.
//
// Where the host was last asked longer ago than the clock was ahead, or is not looked at until then because it asked for a long wait, the moment of that lies
// in the past of the right clock too. Such a wait lasts longer by what the clock was ahead, which is less than the time that has passed since. By hours that
// happens, by days it does not: no run is so long.
import type { Shift } from './own-weather.ts'
import type { Span, Trouble } from './trouble.ts'

/** The troubles of a host, those that such a clock saw with a longer grace. `runs`: of all processes. */
export function throughWrongClocks(troubles: readonly Trouble[], runs: readonly (readonly Shift[])[]): readonly Trouble[] {
  const ahead = runs.flatMap((shifts) => shifts.flatMap((shift, n) => aheadIn(shift, shifts.slice(n + 1))))
  return troubles.map((trouble) => {
    // What a host asks for (Retry-After) ends with its closure.
    const waitUntil = trouble.kind === 'closure' ? trouble.untilMs : 0
    const met = ahead.filter(
      ({ fromMs, untilMs, rightMs, aheadMs }) =>
        fromMs < trouble.untilMs && untilMs > trouble.fromMs && aheadMs <= Math.max(rightMs, waitUntil) - fromMs,
    )
    return { ...trouble, graceMs: trouble.graceMs + Math.max(0, ...met.map(({ aheadMs }) => aheadMs)) }
  })
}

/** The run, if its clock is ahead, and when the clock is right again. */
function aheadIn(
  { fromMs, untilMs, clockAheadMs }: Shift,
  later: readonly Shift[],
): (Span & { rightMs: number; aheadMs: number })[] {
  const rightMs = later.find((shift) => shift.clockAheadMs < clockAheadMs)?.fromMs ?? untilMs
  return clockAheadMs > 0 ? [{ fromMs, untilMs, rightMs, aheadMs: clockAheadMs }] : []
}
