// What virtual time promises: order, standing still while held, speed, and an error instead of a silent hang.
import { AvocetError } from '@avocet/core'
import { sleepUntil } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../src/index.ts'

describe('virtual clock', () => {
  it('begins at the start of 2026 and passes a day at once', async () => {
    const clock = new VirtualClock()
    expect(new Date(clock.now()).toISOString()).toBe('2026-01-01T00:00:00.000Z')

    await clock.advance(86_400_000)

    expect(new Date(clock.now()).toISOString()).toBe('2026-01-02T00:00:00.000Z')
    expect(clock.monotonic()).toBe(86_400_000)
  })

  it('wakes in the order of time, then of asking', async () => {
    const clock = new VirtualClock({ startAt: 0 })
    const woken: string[] = []
    clock.at(20, () => woken.push('c'))
    clock.at(10, () => woken.push('a'))
    clock.at(10, () => woken.push('b'))
    clock.at(5, () => clock.at(10, () => woken.push('asked later')))

    await clock.advanceTo(20)

    expect(woken).toEqual(['a', 'b', 'asked later', 'c'])
  })

  it('does not wake before it has returned, nor what was forgotten', async () => {
    const clock = new VirtualClock({ startAt: 100 })
    const woken: string[] = []
    clock.at(0, () => woken.push(`past at ${String(clock.now())}`))
    clock.at(150, () => woken.push('forgotten'))[Symbol.dispose]()
    clock.at(Infinity, () => woken.push('never'))
    expect(woken).toEqual([])

    await clock.advance(1_000)

    expect(woken).toEqual(['past at 100'])
    expect(clock.scheduled).toBe(0)
  })

  it('lets promises settle before time moves on', async () => {
    const clock = new VirtualClock({ startAt: 0 })

    const seen = await clock.run(async () => {
      clock.at(1, () => {})
      for (let job = 0; job < 1_000; job++) await Promise.resolve()
      const before = clock.now()
      await sleepUntil(clock, 7)
      return [before, clock.now()]
    })

    expect(seen).toEqual([0, 7])
  })

  it('stands still while something real is held', async () => {
    const clock = new VirtualClock({ startAt: 0 })
    const woken: number[] = []
    clock.at(50, () => woken.push(clock.now()))

    await clock.run(async () => {
      const hold = clock.hold('a real file')
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(clock.now()).toBe(0)
      hold[Symbol.dispose]()
      await sleepUntil(clock, 60)
    })

    expect(woken).toEqual([50])
  })

  it('names the oldest hold when time is stuck', async () => {
    const clock = new VirtualClock({ stuckAfterMs: 30 })
    clock.hold('handler start of http://shop.test/')
    clock.hold('another')

    const run = clock.run(new Promise(() => {}))

    await expect(run).rejects.toThrow(/held by "handler start of http:\/\/shop.test\/" and 1 more/)
    await expect(run).rejects.toBeInstanceOf(AvocetError)
    await expect(run).rejects.toMatchObject({ code: 'AVO_CLOCK_STUCK' })
  })

  it('says so when nothing is scheduled', async () => {
    const run = new VirtualClock({ stuckAfterMs: 30 }).run(new Promise(() => {}))

    await expect(run).rejects.toThrow(/nothing is scheduled/)
  })

  it('passes on what the work throws, and what a wake throws', async () => {
    const clock = new VirtualClock()
    await expect(clock.run(() => Promise.reject(new Error('work')))).rejects.toThrow('work')

    clock.at(clock.now() + 1, () => {
      throw new Error('wake')
    })
    await expect(clock.run(new Promise(() => {}))).rejects.toThrow('wake')
  })

  it('keeps the order of ten thousand wakes when half are forgotten', async () => {
    const clock = new VirtualClock({ startAt: 0 })
    const woken: number[] = []
    const wakes = Array.from({ length: 10_000 }, (_, n) => {
      const at = (n * 7_919) % 10_007
      return clock.at(at, () => woken.push(at))
    })
    for (const [n, wake] of wakes.entries()) if (n % 2 === 0) wake[Symbol.dispose]()

    await clock.advance(20_000)

    expect(woken).toHaveLength(5_000)
    expect(woken).toEqual(woken.toSorted((a, b) => a - b))
  })

  it('lets promise jobs go before what was asked for during a moment, and before time moves on', async () => {
    const clock = new VirtualClock({ startAt: 0 })
    const said: string[] = []
    const say = (what: string): void => void said.push(`${what} ${String(clock.now())}`)
    clock.at(5, () => {
      say('first')
      clock.at(5, () => say('asked meanwhile'))
      // Longer than any chain that one hop would have to run by itself.
      void (async () => {
        for (let step = 0; step < 100; step++) await Promise.resolve()
        say('jobs')
      })()
    })
    clock.at(5, () => say('second'))
    clock.at(6, () => say('later'))

    await clock.advance(10)

    expect(said).toEqual(['first 5', 'second 5', 'jobs 5', 'asked meanwhile 5', 'later 6'])
  })
})
