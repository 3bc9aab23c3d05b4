// What holds the whole crawl, and for how long.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { sleepUntil } from '../../src/ports/clock.ts'
import { Pause } from '../../src/run/pause.ts'

/** A pause on virtual time, and how often it said that something is over. */
function made(): { clock: VirtualClock; pause: Pause; overs: () => number; wait: (ms: number) => Promise<void> } {
  const clock = new VirtualClock()
  let overs = 0
  const pause = new Pause(clock, () => overs++)
  return { clock, pause, overs: () => overs, wait: (ms) => sleepUntil(clock, clock.now() + ms) }
}

describe('a pause', () => {
  it('tells first of the store, then of the user, then of a fault', () => {
    const { pause } = made()
    pause.fault('no network')
    expect([pause.why, pause.by]).toEqual(['no network', 'machine'])
    pause.hold('user', 'lunch')
    expect([pause.why, pause.by]).toEqual(['lunch', 'user'])
    pause.hold('store', 'full disk')
    expect([pause.why, pause.by]).toEqual(['full disk', 'store'])
    pause.close()
  })

  it('by the user or the store is over when they say so, and only then', () => {
    const { pause, overs } = made()
    pause.hold('user', 'lunch')
    pause.hold('store', 'full disk')
    expect(overs()).toBe(0)

    pause.hold('user', undefined)
    pause.hold('store', undefined)
    expect(overs()).toBe(2)
    expect([pause.why, pause.by]).toEqual([undefined, undefined])
  })
})

describe('a fault of this machine', () => {
  it('holds the crawl for 1 s, doubling to a minute until something works', async () => {
    const { clock, pause, overs } = made()
    const rests: number[] = []
    await clock.run(async () => {
      for (let n = 0; n < 8; n++) {
        const from = clock.now()
        pause.fault('no network')
        while (pause.why !== undefined) await sleepUntil(clock, clock.now() + 250)
        rests.push(Math.round((clock.now() - from) / 1_000))
      }
    })

    expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
    expect(overs()).toBe(8)
    pause.works()
    pause.fault('no network')
    await clock.run(() => sleepUntil(clock, clock.now() + 1_001))
    expect(pause.why).toBeUndefined()
  })

  it('is one, however many meet it while the crawl rests', async () => {
    const { clock, pause, wait } = made()
    await clock.run(async () => {
      for (let n = 0; n < 5; n++) pause.fault(`fault ${n}`)
      expect(pause.why).toBe('fault 0')
      await wait(1_001)
      pause.fault('again')
      await wait(1_999)
      expect(pause.why).toBe('again')
      await wait(2)
      expect(pause.why).toBeUndefined()
    })
  })

  it('has a few exchanges feel for the end of it until something works', async () => {
    const { clock, pause, wait } = made()
    expect(pause.isFeeling).toBe(false)
    pause.fault('no network')
    await clock.run(() => wait(1_001))
    expect(pause.isFeeling).toBe(true)

    pause.works()
    expect(pause.isFeeling).toBe(false)
  })

  it('that is lifted is over at once, and wakes nobody later', async () => {
    const { clock, pause, overs, wait } = made()
    pause.fault('no network')
    pause.lift()
    expect([pause.why, pause.isFeeling]).toEqual([undefined, false])

    await clock.run(() => wait(5_000))
    expect(overs()).toBe(0)
  })

  it('wakes nobody once the crawl is closed', async () => {
    const { clock, pause, overs, wait } = made()
    pause.fault('no network')
    pause.close()

    await clock.run(() => wait(5_000))
    expect(overs()).toBe(0)
  })
})
