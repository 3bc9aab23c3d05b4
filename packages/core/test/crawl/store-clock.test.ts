// The crawl's time on a shared store: a process that follows another keeps its time, and goes on from it.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { StoreClock } from '../../src/store/store-clock.ts'
import type { Clock } from '@avocet/core/store'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A clock that was put forward by somebody, over the true one. */
class Jumping implements Clock {
  aheadMs = 0
  readonly #truth: Clock

  constructor(truth: Clock) {
    this.#truth = truth
  }

  now(): number {
    return this.#truth.now() + this.aheadMs
  }

  monotonic(): number {
    return this.#truth.monotonic()
  }

  at(epochMs: number, wake: () => void): Disposable {
    return this.#truth.at(epochMs - this.aheadMs, wake)
  }

  hold(name: string): Disposable {
    return this.#truth.hold(name)
  }
}

function given(): { truth: VirtualClock; own: Jumping; clock: StoreClock; start: number } {
  const truth = new VirtualClock()
  const own = new Jumping(truth)
  return { truth, own, clock: new StoreClock(own), start: truth.now() }
}

describe('a process that is the first on its store', () => {
  it('goes by its own clock', async () => {
    const { truth, own, clock, start } = given()
    await truth.advance(MINUTE)
    expect(clock.now()).toBe(start + MINUTE)
    own.aheadMs = HOUR
    clock.follow(undefined)
    expect(clock.now()).toBe(start + MINUTE + HOUR)
  })
})

describe('a process that follows', () => {
  it('looks every ten seconds whether what it waits for has come, for the time of the store may jump', async () => {
    const { truth, clock, start } = given()
    clock.join(0)
    let woken = false
    clock.at(start + 100_000, () => (woken = true))
    await truth.advance(1_000)
    clock.follow(95_000)
    await truth.advance(10_000)

    expect(woken).toBe(true)
  })

  it('waits for two minutes before it takes a jump of the first one for one that its own clock never hears of', async () => {
    const { truth, own, clock, start } = given()
    clock.join(0)
    clock.follow(HOUR)
    await truth.advance(90_000)
    clock.follow(undefined)
    own.aheadMs = HOUR
    clock.follow(undefined)

    expect(clock.now()).toBe(start + 90_000 + HOUR)
  })

  it('has the time of the store from the beginning, and waits by it', async () => {
    const { truth, clock, start } = given()
    clock.join(-2 * HOUR)
    expect(clock.now()).toBe(start - 2 * HOUR)
    let wokenAt = 0
    clock.at(start - 2 * HOUR + 25_000, () => (wokenAt = truth.now()))
    await truth.advance(MINUTE)
    expect(wokenAt).toBe(start + 25_000)
  })

  it('does not hear its own wall clock, so that one jump counts once', async () => {
    const { truth, own, clock, start } = given()
    clock.follow(0)
    own.aheadMs = 8 * HOUR
    expect(clock.now()).toBe(start)
    let woken = false
    clock.at(start + MINUTE, () => (woken = true))
    await truth.advance(50_000)
    expect(woken).toBe(false)
    clock.follow(8 * HOUR)
    expect(clock.now()).toBe(start + 50_000 + 8 * HOUR)
    await truth.advance(10_000)
    expect(woken).toBe(true)
  })

  it('never goes back while the store is behind', async () => {
    const { truth, clock, start } = given()
    clock.follow(0)
    clock.follow(-5_000)
    expect(clock.now()).toBe(start)
    await truth.advance(10_000)
    expect(clock.now()).toBeCloseTo(start + 10_000)
  })

  it('leaves less than a second alone', () => {
    const { clock, start } = given()
    clock.follow(0)
    clock.follow(900)
    expect(clock.now()).toBe(start)
  })

  it('goes on from the time that it has when the first one ends, and follows its own clock from then on', async () => {
    const { truth, own, clock, start } = given()
    clock.join(2 * HOUR)
    await truth.advance(MINUTE)
    clock.follow(undefined)
    expect(clock.now()).toBe(start + MINUTE + 2 * HOUR)
    own.aheadMs = HOUR
    expect(clock.now()).toBe(start + MINUTE + 3 * HOUR)
  })
})

describe('a process that takes over shortly after the machine was suspended for 8 h', () => {
  it.each<[string, (own: Jumping, clock: StoreClock) => void]>([
    [
      'before the first one had noticed',
      (own, clock) => {
        own.aheadMs = 8 * HOUR
        clock.follow(undefined)
      },
    ],
    [
      'before the first one had noticed, which beat once more',
      (own, clock) => {
        own.aheadMs = 8 * HOUR
        clock.follow(0)
        clock.follow(undefined)
      },
    ],
    [
      'before it had noticed itself',
      (own, clock) => {
        clock.follow(8 * HOUR)
        clock.follow(undefined)
        own.aheadMs = 8 * HOUR
      },
    ],
    [
      'when both had',
      (own, clock) => {
        clock.follow(8 * HOUR)
        own.aheadMs = 8 * HOUR
        clock.follow(0)
        clock.follow(undefined)
      },
    ],
  ])('has the time of the machine, and counts the jump once: %s', async (_, wakeUp) => {
    const { truth, own, clock, start } = given()
    clock.join(2 * HOUR)

    wakeUp(own, clock)
    const woken = clock.now()
    for (let beat = 0; beat < 30; beat++) {
      await truth.advance(10_000)
      clock.follow(undefined)
    }

    expect(woken).toBeGreaterThanOrEqual(start + 2 * HOUR)
    expect(clock.now()).toBe(start + 5 * MINUTE + 10 * HOUR)
    own.aheadMs += HOUR
    expect(clock.now()).toBe(start + 5 * MINUTE + 11 * HOUR)
  })

  it('keeps what the first one was ahead of it for good', async () => {
    const { truth, own, clock, start } = given()
    clock.join(0)
    clock.follow(HOUR)
    for (let beat = 0; beat < 18; beat++) {
      await truth.advance(10_000)
      clock.follow(0)
    }

    clock.follow(undefined)

    expect(clock.now()).toBe(start + 3 * MINUTE + HOUR)
    own.aheadMs = HOUR
    expect(clock.now()).toBe(start + 3 * MINUTE + 2 * HOUR)
  })
})

describe('a process on a store that keeps the time itself', () => {
  it('goes by it, whatever its own clock shows, and never back', async () => {
    const { truth, own, clock, start } = given()
    let ahead = 2 * HOUR
    clock.keepTo(() => start + ahead + truth.monotonic())
    const first = clock.now()
    own.aheadMs = -HOUR
    await truth.advance(MINUTE)

    expect(clock.now()).toBe(first + MINUTE)
    ahead -= HOUR
    expect(clock.now()).toBe(first + MINUTE)
  })

  it('wakes what waits for a moment of it, also when that comes sooner', async () => {
    const { truth, clock, start } = given()
    let ahead = 2 * HOUR
    clock.keepTo(() => truth.now() + ahead)
    const woken: number[] = []
    clock.at(clock.now() + HOUR, () => woken.push(truth.now() - start))

    await truth.advance(MINUTE)
    ahead += HOUR - 2 * MINUTE
    await truth.advance(2 * MINUTE)

    expect(woken).toEqual([2 * MINUTE])
  })
})
