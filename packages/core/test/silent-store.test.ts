// Calls to a store that is away, once nobody waits for it any more.
import { expect, it } from 'vitest'
import type { Clock } from '../src/ports/clock.ts'
import { AvocetError } from '../src/values/errors.ts'
import { Pause } from '../src/run/pause.ts'
import { StoreCalls } from '../src/run/store-calls.ts'

/** A store, each call to which takes so long and is not answered, or only the first `unanswered`; time goes by in calls and rests alone. */
function awayStore(
  callMs: number,
  unanswered = Infinity,
): { readonly clock: Clock; readonly asked: () => number; readonly call: () => Promise<string> } {
  let now = 0
  let asked = 0
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    at(epochMs, wake) {
      const timer = setImmediate(() => {
        now = Math.max(now, epochMs)
        wake()
      })
      return { [Symbol.dispose]: () => clearImmediate(timer) }
    },
    hold: () => ({ [Symbol.dispose]() {} }),
  }
  const call = async (): Promise<string> => {
    asked++
    if (asked > unanswered) return 'answered'
    now += callMs
    await Promise.resolve()
    throw new AvocetError('AVO_FRONTIER_AWAY', 'expected an answer, got none')
  }
  return { clock, asked: () => asked, call }
}

async function endsAt(callMs: number): Promise<{ readonly asked: number; readonly endedAt: number }> {
  const { clock, asked, call } = awayStore(callMs)
  const calls = new StoreCalls({
    clock,
    pause: new Pause(clock, () => undefined),
    patienceMs: 4_000,
    problem: () => undefined,
  })
  for (const name of ['commit', 'release', 'mark of a sink', 'report', 'close'])
    await expect(calls.make(name, call)).rejects.toMatchObject({ code: 'AVO_FRONTIER_AWAY' })
  return { asked: asked(), endedAt: clock.now() }
}

it('a store that was silent until the patience was over is not waited for by each call that follows', async () => {
  const { asked, endedAt } = await endsAt(15_000)

  expect(asked).toBe(1)
  expect(endedAt).toBe(15_000)
})

it('one that turned calls away at once is asked again by each: it may be back', async () => {
  const { asked, endedAt } = await endsAt(10)

  expect(asked).toBeGreaterThanOrEqual(6)
  expect(endedAt).toBeLessThan(5_000)
})

/** Calls to one that is silent in its first call, with a minute of patience. */
function silentOnce() {
  const { clock, call } = awayStore(15_000, 1)
  const calls = new StoreCalls({ clock, pause: new Pause(clock, () => undefined), patienceMs: 60_000, problem: () => undefined })
  return { calls, make: (name: string) => calls.make(name, call) }
}

it('one that was silent is waited for by calls that come before the patience is over', async () => {
  const { make } = silentOnce()
  const first = make('commit')
  // It has failed by then, and is not made again before its rest is over.
  for (let n = 0; n < 10; n++) await Promise.resolve()

  await expect(make('release')).resolves.toBe('answered')
  await expect(first).resolves.toBe('answered')
})

it('one that has answered since it was silent is asked by the last calls of a run', async () => {
  const { calls, make } = silentOnce()
  await make('commit')

  calls.giveUp()

  await expect(make('close')).resolves.toBe('answered')
})
