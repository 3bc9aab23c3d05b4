// The sink contract: what every sink does between the port and its place, whatever dies, fails or hangs in between.
//
// A world is one place, such as a table or a folder. Each delivery acts as a process of its own, on virtual time that stands still while the sink works, so
// that nothing waits for real. Items are `{ n, name }`, with `n` from 1 in the order of their commits.
import type { Sink } from '@avocet/core/sink'
import type { Delivery } from '@avocet/delivery'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ItemStore, type ContractItem } from './sink/item-store.ts'
import { against, deathAt, failing, faultySink, hanging, mortalSink, STEPS } from './sink/failing-sinks.ts'
import type { Death, Fault } from './sink/failing-sinks.ts'

/** A place that a sink writes to. */
export interface SinkWorld {
  /** The sink, as a process begins with it: another object each time, on the same place. */
  sink(): Sink
  /** Every item that is there now, in the order in which it is there. `key` where the place has it. */
  written(): Promise<readonly { readonly n: number; readonly key?: string }[]>
  /** The process with the sink that was made last has died: what the system does then, such as ending its connections. */
  died?(): Promise<void>
  dispose(): Promise<void>
}

/** What the sink promises. */
export interface SinkContractOptions {
  /** Whether each item is there exactly once after a crash at any step; otherwise at least once. */
  readonly exactlyOnce: boolean
  /** Whether the place keeps the order of the items. Default true. */
  readonly ordered?: boolean
  /** Whether a process that was asleep, and continues when another one has written, writes nothing any more. Default false. */
  readonly fenced?: boolean
  /**
   * Whether it keeps items to itself for a while, such as for a file of many rows. They come again after each failure, so nobody but the sink itself can find
   * out which item is to blame: it must refuse such items (`ItemsRefused`). Default false.
   */
  readonly gathers?: boolean
}

const MANY_MS = 3_600_000
/** Few, so that a handful of items is several batches. */
const LIMITS = { maxItems: 2 }

/**
 * Declares the tests that every sink must pass. Needs vitest.
 *
 * @example
 * ```ts
 * // list-sink.test.ts
 * import { sink } from '@avocet/core/sink'
 * import { sinkContract } from '@avocet/testkit/contracts'
 *
 * const place: { n: number }[] = []
 * sinkContract('list', () => ({
 *   sink: () => sink<{ n: number }>((items) => void place.push(...items.map(({ value }) => value)), { name: 'list' }),
 *   written: async () => place,
 *   dispose: async () => void place.splice(0),
 * }), { exactlyOnce: false })
 * ```
 */
export function sinkContract(name: string, makeWorld: () => SinkWorld | Promise<SinkWorld>, options: SinkContractOptions): void {
  const make = async (items: number): Promise<Place> => {
    const world = await makeWorld()
    onTestFinished(() => world.dispose())
    return new Place(world, await ItemStore.with(items), options)
  }
  describe(`sink ${name}`, () => {
    delivering(make)
    describe('killed', () => killed(make))
    describe('in trouble', () => inTrouble(make))
    describe('with an item that cannot be written', () => withBadItem(make, options))
    if (options.fenced) fenced(make)
  })
}

/** A world with a store, and processes between them. */
class Place {
  readonly world: SinkWorld
  readonly store: ItemStore
  readonly clock: VirtualClock = new VirtualClock()
  readonly #options: SinkContractOptions

  constructor(world: SinkWorld, store: ItemStore, options: SinkContractOptions) {
    this.world = world
    this.store = store
    this.#options = options
  }

  /** One process, which delivers what is there and ends, or dies. */
  async process({ fault, filter, death }: { fault?: Fault; filter?: Sink['filter']; death?: Death } = {}): Promise<Delivery> {
    const real = mortalSink(this.world.sink(), { clock: this.clock, limits: LIMITS, ...(death && { death }) })
    const sink = fault ? faultySink(real, fault) : real
    const delivery = this.store.delivery(filter ? { ...sink, filter } : sink, this.clock, death)
    await this.clock.run(() => Promise.race([this.#life(delivery), ...(death ? [death.died] : [])]))
    if (death?.isDead) await this.world.died?.()
    return delivery
  }

  async #life(delivery: Delivery): Promise<void> {
    await delivery.open()
    delivery.begin()
    await delivery.finish({ until: this.clock.now() + MANY_MS, interrupted: false })
    expect(this.store.failed).toBeUndefined()
  }

  /** Asserts that exactly these items are there, and as often as the sink promises. `mayRepeat`: also where it promises each once. */
  async expectItems(wanted: readonly number[], mayRepeat = false): Promise<void> {
    const written = (await this.world.written()).map(({ n }) => n)
    const firsts = [...new Set(written)]
    const { ordered = true, exactlyOnce } = this.#options
    expect(ordered && !mayRepeat ? firsts : firsts.sort((a, b) => a - b)).toEqual(wanted)
    if (exactlyOnce) expect(written).toHaveLength(wanted.length)
  }
}

type Make = (items: number) => Promise<Place>

function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, n) => n + 1)
}

function delivering(make: Make): void {
  it('has every item once, in order, over several processes', async () => {
    const place = await make(5)
    await place.process()
    await place.expectItems(upTo(5))

    await place.store.commit(4)
    await place.process()
    await place.expectItems(upTo(9))
  })

  it('opens and finishes without an item', async () => {
    const place = await make(0)
    await place.process()
    await place.expectItems([])
  })

  it('has only what its filter lets through', async () => {
    const place = await make(7)
    const filter: Sink['filter'] = ({ value }) => (value as unknown as ContractItem).n % 2 === 0
    await place.process({ filter })
    await place.store.commit(3)
    await place.process({ filter })

    await place.expectItems([2, 4, 6, 8, 10])
  })

  it('gives the same key to an item that comes again', async () => {
    const place = await make(3)
    await place.process({ fault: failing(1, 'after') })

    const written = await place.world.written()
    const keys = new Map(written.map(({ n, key }) => [n, key]))
    for (const { n, key } of written) expect(key).toBe(keys.get(n))
  })
}

function killed(make: Make): void {
  for (const step of STEPS)
    for (const nth of [1, 2])
      it(`at '${step}', for the ${nth === 1 ? 'first' : 'second'} time, it continues without a gap`, async () => {
        const place = await make(5)
        await place.process({ death: deathAt(step, nth) })
        await place.store.commit(2)
        await place.process()

        await place.expectItems(upTo(7))
      })

  it('again and again, it continues without a gap', async () => {
    const place = await make(6)
    for (const step of STEPS) await place.process({ death: deathAt(step, 2) })
    await place.process()

    await place.expectItems(upTo(6))
  })
}

function inTrouble(make: Make): void {
  for (const when of ['before', 'after'] as const) {
    it(`catches up when writes fail ${when} they arrive`, async () => {
      const place = await make(5)
      await place.process({ fault: failing(2, when) })
      await place.expectItems(upTo(5))
    })

    it(`is abandoned when it never answers, and opened anew; it hangs ${when} it has written`, async () => {
      const place = await make(5)
      await place.process({ fault: hanging(when) })
      await place.expectItems(upTo(5))
    })
  }

  it('has an item once that came alone, after failures, and whose answer was lost', async () => {
    const place = await make(5)
    const [before, after] = [failing(4, 'before'), failing(2, 'after')]
    let batches = 0
    await place.process({ fault: (batch, write) => (++batches <= 4 ? before : after)(batch, write) })
    await place.expectItems(upTo(5), true)
  })

  it('sets nothing aside while everything fails, and has it all when it works again', async () => {
    const place = await make(9)
    await place.process({ fault: failing(40, 'before') })

    expect(place.store.rejected).toEqual([])
    await place.expectItems(upTo(9), true)
  })
}

function withBadItem(make: Make, { gathers = false }: SinkContractOptions): void {
  for (const n of [1, 3, 5])
    it(`sets item ${n} aside with its reason when the sink refuses it, and has the others in order`, async () => {
      const place = await make(5)
      await place.process({ fault: against(n, 'refuses') })

      expect(place.store.rejected.map(({ reason }) => reason)).toEqual(['no such thing here'])
      await place.expectItems(upTo(5).filter((each) => each !== n))
    })

  if (gathers) return
  it('sets an item aside that fails alone again and again while others pass', async () => {
    const place = await make(9)
    await place.process({ fault: against(3, 'throws') })

    expect(place.store.rejected.map(({ reason }) => reason)).toEqual(['no room for such a thing'])
    await place.expectItems(
      upTo(9).filter((each) => each !== 3),
      true,
    )
  })
}

function fenced(make: Make): void {
  it('lets a process that was asleep write nothing more', async () => {
    const place = await make(4)
    const asleep = place.world.sink()
    const session = {
      crawl: { name: 'contract', id: 'c0ffee' },
      clock: place.clock,
      problem: () => {},
      notice: () => {},
      keep: async () => {},
    }
    const { signal } = new AbortController()
    await asleep.open?.({ ...session, signal })
    const records = await place.store.frontier.reader.items({ afterSeq: 0, limit: 2 })
    const items = records.map(({ seq, url, json, requestId, ordinal }) => {
      return { seq, url, json, key: `${requestId}.0.${ordinal}`, value: JSON.parse(json) as never }
    })
    await place.process()

    const late = async (): Promise<unknown> => asleep.write({ items, mark: { itemSeq: 2 }, signal })
    await late().catch(() => undefined)
    await asleep.close?.()
    await place.expectItems(upTo(4))
  })
}
