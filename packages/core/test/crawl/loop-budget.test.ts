// Turns of the event loop are shared out: what finds no room in one waits for the next, in order.
import { systemClock } from '@avocet/core'
import { VirtualClock } from '@avocet/testkit'
import { describe, expect, it } from 'vitest'
import { LoopBudget, MOST_A_TURN } from '../../src/crawl/loop-budget.ts'

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

describe('a turn of the event loop', () => {
  it('takes no more work than it has room for', async () => {
    const loop = new LoopBudget(systemClock())

    expect(loop.take(MOST_A_TURN / 2)).toBe(true)
    expect(loop.take(MOST_A_TURN / 2)).toBe(true)
    expect(loop.take(1)).toBe(false)

    await turn()
    expect(loop.take(1)).toBe(true)
  })

  it('takes what is too much for any, alone', async () => {
    const loop = new LoopBudget(systemClock())

    expect(loop.take(10 * MOST_A_TURN)).toBe(true)
    expect(loop.take(1)).toBe(false)
    await turn()
    expect(loop.take(1)).toBe(true)
    expect(loop.take(10 * MOST_A_TURN)).toBe(false)
  })

  it('has those who wait go on in the order of asking, and nobody pass them', async () => {
    const loop = new LoopBudget(systemClock())
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

  it('has room again for what was taken and not needed, and only while it lasts', async () => {
    const loop = new LoopBudget(systemClock())
    loop.take(MOST_A_TURN)
    const { turn: first } = loop
    expect(loop.take(1)).toBe(false)

    loop.giveBack(MOST_A_TURN / 2, first)
    expect([loop.take(MOST_A_TURN / 2), loop.take(1)]).toEqual([true, false])

    await turn()
    loop.take(MOST_A_TURN)
    loop.giveBack(MOST_A_TURN / 2, first)
    expect(loop.take(1)).toBe(false)
  })

  it('has who waits go on when who was before is done, and has given back what it did not need', async () => {
    const loop = new LoopBudget(systemClock())
    const story: string[] = []
    let turns = 0
    loop.take(MOST_A_TURN)

    const waiting = ['first', 'second', 'third'].map(async (name) => {
      await loop.room(MOST_A_TURN - 1)
      story.push(`${name} ${turns}`)
      await Promise.resolve()
      story.push(`${name} is done`)
      loop.giveBack(MOST_A_TURN - 2, loop.turn)
    })
    turns = 1
    await turn()
    await Promise.all(waiting)

    expect(story).toEqual(['first 1', 'first is done', 'second 1', 'second is done', 'third 1', 'third is done'])
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
