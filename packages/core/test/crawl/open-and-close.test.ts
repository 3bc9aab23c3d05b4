// How long plugins may take to open.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { opened } from '../../src/crawl/open-and-close.ts'
import { Stations } from '../../src/hooks/stations.ts'
import { sleepUntil } from '../../src/ports/clock.ts'

const MINUTE = 60_000

/** Opens plugins, which do `work`. */
function opening(work: (wait: (minutes: number) => Promise<void>) => Promise<unknown>) {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const stations = new Stations({ problem: () => {} }, () => {})
  const wait = (minutes: number): Promise<void> => sleepUntil(clock, clock.now() + minutes * MINUTE)
  const done = clock.run(() => opened(work(wait), { clock, stations }))
  return { done, tookMinutes: () => (clock.now() - startedAt) / MINUTE }
}

describe('plugins that open', () => {
  it('may take four minutes', async () => {
    await expect(opening((wait) => wait(4)).done).resolves.toBeUndefined()
  })

  it('end the crawl where they have not opened after five minutes to the moment', async () => {
    const { done, tookMinutes } = opening(() => new Promise(() => {}))

    await expect(done).rejects.toMatchObject({ code: 'AVO_PLUGIN_OPEN' })
    expect(tookMinutes()).toBe(5)
  })
})
