// How long plugins may take to open: their own time counts, and not what they wait for the store.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { AvocetError } from '../../src/values/errors.ts'
import { opened } from '../../src/crawl/open-and-close.ts'
import { Pause } from '../../src/store/pause.ts'
import { Stations } from '../../src/hooks/stations.ts'
import { StoreCalls } from '../../src/store/store-calls.ts'
import { sleepUntil } from '../../src/ports/clock.ts'

const MINUTE = 60_000

/** Opens with a store that is locked for so many minutes; `work` is what a plugin does meanwhile. */
function opening(
  lockedForMinutes: number,
  work: (calls: StoreCalls, wait: (minutes: number) => Promise<void>) => Promise<unknown>,
) {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const calls = new StoreCalls({ clock, pause: new Pause(clock, () => {}), patienceMs: Infinity, problem: () => {} })
  const read = (): Promise<void> =>
    calls.make('read', async () => {
      if (clock.now() < startedAt + lockedForMinutes * MINUTE) throw new AvocetError('AVO_FRONTIER_BUSY', 'locked')
    })
  const stations = new Stations({ problem: () => {}, quietly: () => {} }, () => {})
  const wait = (minutes: number): Promise<void> => sleepUntil(clock, clock.now() + minutes * MINUTE)
  const done = clock.run(() =>
    opened(
      read().then(() => work(calls, wait)),
      { clock, stations, calls },
    ),
  )
  return { done, tookMinutes: () => (clock.now() - startedAt) / MINUTE }
}

describe('the five minutes in which plugins open', () => {
  it('stand still while the store is waited for', async () => {
    const { done } = opening(600, (_calls, wait) => wait(4))

    await expect(done).resolves.toBeUndefined()
  })

  it('go on once it can be used: a plugin that never opens ends the crawl', async () => {
    const { done, tookMinutes } = opening(20, () => new Promise(() => {}))

    await expect(done).rejects.toMatchObject({ code: 'AVO_PLUGIN_OPEN' })
    expect(tookMinutes()).toBeGreaterThan(24.9)
    expect(tookMinutes()).toBeLessThan(27)
  })

  it('are five minutes to the moment where the store is never in trouble', async () => {
    const { done, tookMinutes } = opening(0, () => new Promise(() => {}))

    await expect(done).rejects.toMatchObject({ code: 'AVO_PLUGIN_OPEN' })
    expect(tookMinutes()).toBe(5)
  })
})
