// Calls to a store that turns some of them away: kept, and made in the order in which they were first made.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { Pause } from '../../src/run/pause.ts'
import { StoreCalls } from '../../src/run/store-calls.ts'
import { sleepUntil } from '../../src/ports/clock.ts'
import { AvocetError, type FatalCode } from '../../src/values/errors.ts'

/** A store that has no room for so long, and notes what it was asked for, and what of it was done. */
class Store {
  readonly clock = new VirtualClock()
  readonly tried: string[] = []
  readonly done: string[] = []
  readonly problems: string[] = []
  readonly calls: StoreCalls
  readonly #startedAt = this.clock.now()
  readonly #fullForMs: number
  readonly #code: FatalCode

  constructor(fullForMs: number, code: FatalCode = 'AVO_FRONTIER_FULL') {
    this.#code = code
    const pause = new Pause(this.clock, () => {})
    this.#fullForMs = fullForMs
    this.calls = new StoreCalls({ clock: this.clock, pause, patienceMs: Infinity, problem: (what) => this.problems.push(what) })
  }

  /** Makes a call. */
  make(name: string): Promise<void> {
    return this.calls.make(name, async () => {
      this.tried.push(name)
      if (this.clock.now() - this.#startedAt < this.#fullForMs)
        throw new AvocetError(this.#code, 'expected room for the store, got none')
      this.done.push(name)
    })
  }

  /** Makes a call `afterMs` after the start. */
  async makeAfter(afterMs: number, name: string): Promise<void> {
    await sleepUntil(this.clock, this.#startedAt + afterMs)
    await this.make(name)
  }
}

describe('calls to a store that has no room for a moment', () => {
  it('are made in their order: what comes once there is room waits for what came before', async () => {
    const store = new Store(500)

    await store.clock.run(() => Promise.all([store.make('first'), store.makeAfter(600, 'second'), store.makeAfter(700, 'third')]))

    expect(store.done).toEqual(['first', 'second', 'third'])
  })

  it('are not made while the first of them is turned away', async () => {
    const store = new Store(5_000)

    await store.clock.run(() =>
      Promise.all([store.make('first'), store.makeAfter(100, 'second'), store.makeAfter(2_000, 'third')]),
    )

    // After 1 s, 2 s more, and 4 s more.
    expect(store.tried).toEqual(['first', 'first', 'first', 'first', 'second', 'third'])
  })

  it('are each made once where several were under way when it began', async () => {
    const store = new Store(500)

    await store.clock.run(() => Promise.all([store.make('first'), store.make('second')]))

    expect(store.done).toEqual(['first', 'second'])
  })

  it('are made where the answer to the last of them brings another', async () => {
    const store = new Store(500)

    await store.clock.run(() => store.make('first').then(() => store.make('next')))

    expect(store.done).toEqual(['first', 'next'])
  })

  it('keep their order also where the answer to one of them brings the next', async () => {
    const store = new Store(500)

    await store.clock.run(() => Promise.all([store.make('first').then(() => store.make('next')), store.makeAfter(600, 'second')]))

    expect(store.done).toEqual(['first', 'second', 'next'])
  })

  it('are made at once again when all that waited have been made', async () => {
    const store = new Store(500)
    const startedAt = store.clock.now()
    let doneAt = 0

    await store.clock.run(() =>
      Promise.all([store.make('first'), store.makeAfter(1_500, 'later').then(() => (doneAt = store.clock.now()))]),
    )

    expect(doneAt - startedAt).toBe(1_500)
  })

  it('are made in the order in which they were first made, whichever failed first', async () => {
    const store = new Store(500)
    const slow = async (): Promise<void> => {
      await Promise.resolve()
      await Promise.resolve()
      if (store.clock.now() - startedAt < 500) throw new AvocetError('AVO_FRONTIER_FULL', 'expected room for the store, got none')
      store.done.push('slow')
    }
    const startedAt = store.clock.now()

    await store.clock.run(() => Promise.all([store.calls.make('slow', slow), store.make('quick')]))

    expect(store.done).toEqual(['slow', 'quick'])
  })

  it('are not kept once it was given up', async () => {
    const store = new Store(500)
    store.calls.giveUp()

    await store.clock.run(() => expect(store.make('first')).rejects.toMatchObject({ code: 'AVO_FRONTIER_FULL' }))

    expect(store.tried).toEqual(['first'])
    expect(store.problems).toEqual([])
  })
})

describe('calls to a store whose server is away', () => {
  it('are tried every five seconds, so that a server that is back knows it before hosts are taken from this process', async () => {
    const store = new Store(60_000, 'AVO_FRONTIER_AWAY')
    const startedAt = store.clock.now()

    await store.clock.run(() => store.make('first'))

    // After 1, 3, 7 and 12 s, then 17, 22, … 57, and 62.
    expect(store.tried).toHaveLength(1 + 4 + 10)
    expect(store.clock.now() - startedAt).toBe(62_000)
  })
})
