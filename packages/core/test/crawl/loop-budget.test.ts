// Turns of the event loop are shared out: what finds no room in one waits for the next, in order.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { LoopBudget, MOST_A_TURN } from '../../src/process/loop-budget.ts'

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

describe('a turn of the event loop', () => {
  it('takes no more work than it has room for', async () => {
    const loop = new LoopBudget(new VirtualClock())

    expect(loop.take(MOST_A_TURN / 2)).toBe(true)
    expect(loop.take(MOST_A_TURN / 2)).toBe(true)
    expect(loop.take(1)).toBe(false)

    await turn()
    expect(loop.take(1)).toBe(true)
  })

  it('takes what is too much for any, alone', async () => {
    const loop = new LoopBudget(new VirtualClock())

    expect(loop.take(10 * MOST_A_TURN)).toBe(true)
    expect(loop.take(1)).toBe(false)
    await turn()
    expect(loop.take(1)).toBe(true)
    expect(loop.take(10 * MOST_A_TURN)).toBe(false)
  })

  it('has those who wait go on in the order of asking, and nobody pass them', async () => {
    const loop = new LoopBudget(new VirtualClock())
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

  it('lets nobody pass who waits', async () => {
    const loop = new LoopBudget(new VirtualClock())
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
