// Turns of the event loop are shared out: what finds no room in one waits for the next, in order.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { nextTick } from '../../src/ports/clock.ts'
import { LoopBudget, MOST_A_TURN } from '../../src/process/loop-budget.ts'

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

describe('a turn of the event loop', () => {
  it('takes no more work than it has room for', async () => {
    const loop = new LoopBudget(new WorkClock())

    expect(loop.take(MOST_A_TURN / 2)).toBe(true)
    expect(loop.take(MOST_A_TURN / 2)).toBe(true)
    expect(loop.take(1)).toBe(false)

    await turn()
    expect(loop.take(1)).toBe(true)
  })

  it('takes what is too much for any, alone', async () => {
    const loop = new LoopBudget(new WorkClock())

    expect(loop.take(10 * MOST_A_TURN)).toBe(true)
    expect(loop.take(1)).toBe(false)
    await turn()
    expect(loop.take(1)).toBe(true)
    expect(loop.take(10 * MOST_A_TURN)).toBe(false)
  })

  it('has those who wait go on in the order of asking, and nobody pass them', async () => {
    const loop = new LoopBudget(new WorkClock())
    const wentOn: string[] = []
    let turns = 0

    loop.take(MOST_A_TURN)
    const waiting = ['large', 'small', 'another'].map((name, n) =>
      loop.room(n === 0 ? MOST_A_TURN : MOST_A_TURN / 2).then(() => wentOn.push(`${name} ${turns}`)),
    )
    for (turns = 1; turns < 4; turns++) {
      await turn()
      if (turns === 1) expect(loop.take(1)).toBe(false)
    }
    await Promise.all(waiting)

    expect(wentOn).toEqual(['large 1', 'small 2', 'another 2'])
  })

  it('is full after 16 ms of work, however expensive that was thought to be', async () => {
    const clock = new WorkClock()
    const loop = new LoopBudget(clock)
    const cost = MOST_A_TURN / 4
    let taken = 0

    // Each takes 10 ms, a little less than it might.
    for (; loop.take(cost); taken++) clock.work(10)
    expect(taken).toBe(2)

    await turn()
    for (taken = 0; loop.take(cost); taken++) clock.work(1)
    expect(taken).toBe(16)
  })

  it('begins nothing that might take it beyond 50 ms', () => {
    const clock = new WorkClock()
    const loop = new LoopBudget(clock)

    loop.take(MOST_A_TURN / 4)
    clock.work(15)

    expect(loop.take(MOST_A_TURN * 0.75)).toBe(false)
    expect(loop.take(MOST_A_TURN * 0.7)).toBe(true)
  })

  it('that has lasted its time takes nothing more, however cheap what was done was thought to be', async () => {
    const clock = new WorkClock()
    const loop = new LoopBudget(clock)

    loop.take(1)
    clock.work(60)

    expect(loop.take(1)).toBe(false)
    await turn()
    expect(loop.take(1)).toBe(true)
  })

  it('counts work of the promises that follow as well, wherever it was begun', async () => {
    const clock = new WorkClock()
    const loop = new LoopBudget(clock)

    await new Promise<void>((resolve) => {
      setImmediate(() => {
        loop.take(1)
        const chain = Array.from({ length: 20 }).reduce<Promise<void>>(
          (last) => last.then(() => clock.work(3)),
          Promise.resolve(),
        )
        void chain.then(() => process.nextTick(() => process.nextTick(resolve)))
      })
    })

    expect(loop.take(1)).toBe(false)
  })

  it('lasts as long on a clock that runs faster than the machine', () => {
    const clock = Object.assign(new WorkClock(), { scale: 4 })
    const loop = new LoopBudget(clock)
    let taken = 0

    for (; loop.take(MOST_A_TURN / 4); taken++) clock.work(40)

    expect(taken).toBe(2)
  })

  it('counts no time as work in which nothing was begun', async () => {
    const clock = new WorkClock()
    const loop = new LoopBudget(clock)

    loop.take(MOST_A_TURN)
    await Promise.resolve()
    await nextTick()
    clock.work(1)

    expect(loop.take(1)).toBe(false)
  })

  it('has who waits go on when who was before is done, and knows what that really took', async () => {
    const clock = new WorkClock()
    const loop = new LoopBudget(clock)
    const turns = { now: 0 }
    const story: string[] = []
    loop.take(MOST_A_TURN)

    const waiting = ['first', 'second', 'third'].map(async (name) => {
      await loop.room(MOST_A_TURN * 0.9)
      await Promise.resolve()
      clock.work(1)
      story.push(`${name} in turn ${turns.now}`)
    })
    for (turns.now = 1; turns.now < 4; turns.now++) await turn()
    await Promise.all(waiting)

    expect(story).toEqual(['first in turn 1', 'second in turn 1', 'third in turn 1'])
  })

  it('lets nobody pass who waits', async () => {
    const clock = new WorkClock()
    const loop = new LoopBudget(clock)
    loop.take(MOST_A_TURN / 2)
    const large = loop.room(MOST_A_TURN)

    expect(loop.take(1)).toBe(false)

    await large
  })

  it('takes no time of the clock', async () => {
    const clock = new VirtualClock()
    const loop = new LoopBudget(clock)
    const startedAt = clock.now()
    clock.at(startedAt + 1_000, () => {})

    await clock.run(async () => {
      loop.take(MOST_A_TURN)
      for (let n = 0; n < 50; n++) await loop.room(MOST_A_TURN)
    })

    expect(clock.now()).toBe(startedAt)
  })
})

/** A clock of which only work takes time. */
class WorkClock {
  readonly #clock = new VirtualClock()
  #workedMs = 0

  work(ms: number): void {
    this.#workedMs += ms
  }

  monotonic(): number {
    return this.#workedMs
  }

  hold(name: string): Disposable {
    return this.#clock.hold(name)
  }
}
