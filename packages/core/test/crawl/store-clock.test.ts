// The crawl's time on a shared store: that of the machine, of the store, or of processes that are ahead of the machine.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { StoreClock } from '../../src/run/store-clock.ts'
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

describe('a process whose store has no other time', () => {
  it('goes by the clock of its machine', async () => {
    const { truth, own, clock, start } = given()
    await truth.advance(MINUTE)
    expect(clock.now()).toBe(start + MINUTE)
    own.aheadMs = HOUR
    expect(clock.now()).toBe(start + MINUTE + HOUR)
  })
})

describe('a process whose store keeps the time', () => {
  it('goes by that, and looks every ten seconds whether what it waits for has come, for that time may jump', async () => {
    const { truth, clock, start } = given()
    let aheadMs = 0
    clock.keepTo(() => truth.now() + aheadMs)
    let woken = false
    clock.at(start + 100_000, () => (woken = true))
    await truth.advance(1_000)
    aheadMs = 95_000

    expect(clock.now()).toBe(start + 96_000)
    await truth.advance(4_000)
    expect(woken).toBe(false)
    await truth.advance(5_000)
    expect(woken).toBe(true)
  })

  it('hears nothing of a wall clock that is set', () => {
    const { truth, own, clock, start } = given()
    clock.keepTo(() => truth.now() - HOUR)
    own.aheadMs = 8 * HOUR
    expect(clock.now()).toBe(start - HOUR)
  })
})

describe('a process that opens a store of which the others are an hour ahead of the machine', () => {
  it('goes by their time', async () => {
    const { truth, clock, start } = given()
    clock.goAheadBy(HOUR)
    let woken = 0
    clock.at(start + HOUR + MINUTE, () => (woken = clock.now()))

    expect(clock.now()).toBe(start + HOUR)
    await truth.advance(2 * MINUTE)
    expect(clock.now()).toBe(start + HOUR + 2 * MINUTE)
    expect(woken).toBe(start + HOUR + MINUTE)
  })

  it('counts a clock that is put right no second time, as the others do', async () => {
    const { truth, own, clock, start } = given()
    clock.goAheadBy(HOUR)
    own.aheadMs = HOUR
    await truth.advance(MINUTE)
    expect(clock.now()).toBe(start + HOUR + MINUTE)
  })

  it('is ahead no more once the clock of the machine has caught up', () => {
    const { own, clock, start } = given()
    clock.goAheadBy(HOUR)
    own.aheadMs = 8 * HOUR
    expect(clock.now()).toBe(start + 8 * HOUR)
  })
})
