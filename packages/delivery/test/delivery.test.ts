// The batches of a sink that takes time to write, while items keep coming.
import { type Sink, SinkElsewhere, type SinkLimits } from '@avocet/core/sink'
import { PartSeries, type PartWriting } from '../src/part-series.ts'
import { type FrontierInfo, type ItemRecord, type SinkRecord, type SinkStanding, sleepUntil } from '@avocet/core/store'
import type { SinkStatus } from '@avocet/core/tools'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { Delivery } from '../src/delivery.ts'
import type { DeliveryParts } from '../src/delivery-parts.ts'

interface Run {
  /** An item is committed this often, */
  readonly everyMs: number
  readonly items: number
  /** and a batch takes so long to write. */
  readonly writeMs: number
  readonly limits?: Partial<SinkLimits>
}

/** What the sink got: size of each batch, and the longest time from commit to write. */
async function delivered({ everyMs, items, writeMs, limits = {} }: Run): Promise<{ sizes: number[]; latestMs: number }> {
  const clock = new VirtualClock()
  const records: ItemRecord[] = []
  const committedAt = new Map<number, number>()
  const sizes: number[] = []
  let latestMs = 0
  const delivery = new Delivery({
    ...surroundings(records),
    clock,
    sink: {
      name: 'slow',
      limits,
      async write(batch) {
        sizes.push(batch.items.length)
        for (const { seq } of batch.items) latestMs = Math.max(latestMs, clock.now() - (committedAt.get(seq) ?? NaN))
        await sleepUntil(clock, clock.now() + writeMs)
      },
    },
  })
  await clock.run(async () => {
    await delivery.open()
    delivery.begin()
    for (let seq = 1; seq <= items; seq++) {
      await sleepUntil(clock, clock.now() + everyMs)
      records.push(itemOf(seq))
      committedAt.set(seq, clock.now())
      delivery.committed(1, 2)
    }
    await delivery.finish({ until: Infinity, interrupted: false })
  })
  return { sizes, latestMs }
}

const INFO: FrontierInfo = { name: 'quotes', createdAt: 0, liveProcesses: 1, memories: [] }

function itemOf(seq: number): ItemRecord {
  return { seq, requestId: seq, url: `https://quotes.test/${seq}`, ordinal: 0, json: '{}' }
}

/** A store that has these items, and everything that a delivery needs and this test does not look at. */
function surroundings(records: readonly ItemRecord[]): Omit<DeliveryParts, 'clock' | 'sink'> {
  let kept: SinkRecord | undefined
  const nothing = (): void => {}
  return {
    store: {
      sinks: {
        get: async () => kept,
        keep: async (record) => ((kept = record), true),
        claim: async () => true,
        free: async () => {},
      },
      reader: {
        items: async ({ afterSeq = 0, limit }) => records.filter(({ seq }) => seq > afterSeq).slice(0, limit),
        changes: async () => [],
        info: async () => INFO,
        sinks: async () => [],
        counts: async () => ({
          known: 0,
          waiting: 0,
          done: 0,
          moved: 0,
          failed: 0,
          items: records.length,
          hosts: 0,
          retiredHosts: 0,
          retired: 0,
        }),
      },
    },
    rejects: {
      setAside: async (items) => items.length,
      behind: async () => new Map(),
      forget: async (ids) => ids.length,
      count: async () => 0,
    },
    crawl: { name: 'quotes', id: 'quotes' },
    isShared: false,
    make: async (_name, call) => call(),
    hold: () => ({ [Symbol.dispose]: nothing }),
    room: async () => {},
    chance: () => 0.5,
    problem: nothing,
    notice: nothing,
    hidden: (message) => message,
    fail: (error) => {
      throw error
    },
  }
}

describe('a delivery to a slow sink', () => {
  it('hands over the items of a second at once, not those of each write', async () => {
    const { sizes, latestMs } = await delivered({ everyMs: 100, items: 100, writeMs: 150 })

    expect(sizes.length).toBeLessThanOrEqual(11)
    expect(sizes.reduce((sum, size) => sum + size)).toBe(100)
    expect(latestMs).toBeLessThanOrEqual(1_150)
  })

  it('waits for no second when a batch has filled up', async () => {
    const { sizes } = await delivered({ everyMs: 10, items: 100, writeMs: 15, limits: { maxItems: 10 } })

    expect(sizes).toEqual(Array.from({ length: 10 }, () => 10))
  })

  it('leaves no item longer than maxWaitMs, be it what a full batch left', async () => {
    const { sizes, latestMs } = await delivered({
      everyMs: 30,
      items: 33,
      writeMs: 400,
      limits: { maxItems: 10, maxWaitMs: 500 },
    })

    expect(sizes.reduce((sum, size) => sum + size)).toBe(33)
    expect(latestMs).toBeLessThanOrEqual(900)
  })
})

describe('a delivery to a sink that gathers items', () => {
  it('has written none of them, and is behind by all, where nobody waits for its end', async () => {
    const clock = new VirtualClock()
    const records = Array.from({ length: 10 }, (_, n) => itemOf(n + 1))
    const sink = { name: 'gathers', write: async () => ({ mark: { itemSeq: 0 } }) }
    const delivery = new Delivery({ ...surroundings(records), clock, sink })

    await clock.run(async () => {
      await delivery.open()
      delivery.begin()
      delivery.committed(10, 20)
      await sleepUntil(clock, clock.now() + 3_000)
      expect(delivery.status).toMatchObject({ written: 10, behind: 0 })
      delivery.letGo()
      await delivery.finish({ until: clock.now() + 10_000, interrupted: true })
    })

    expect(delivery.status).toMatchObject({ written: 0, behind: 10 })
  })
})

describe('a delivery that suspects items, because all of them failed for minutes', () => {
  it('moves the mark with a suspect that is next: a sink that goes on from its mark has each item once over a kill', async () => {
    const clock = new VirtualClock()
    const around = surroundings([1, 2, 3].map(itemOf))
    const file: number[] = []
    let tries = 0
    const sink: Sink = {
      name: 'file',
      open: ({ mark }) => void (file.length = Number(mark?.state ?? 0)),
      async write({ items, mark: { itemSeq } }) {
        if (++tries <= 7) throw new Error('it did not answer')
        file.push(...items.map(({ seq }) => seq))
        return { mark: { itemSeq, state: file.length } }
      },
    }
    const begun = async (store = around.store): Promise<Delivery> => {
      const delivery = new Delivery({ ...around, store, clock, sink })
      await delivery.open()
      delivery.begin()
      return delivery
    }

    await clock.run(async () => {
      const killed: Delivery = await begun({
        ...around.store,
        sinks: {
          ...around.store.sinks,
          keep: async (record) => {
            if (file.length === 1) killed.letGo()
            return around.store.sinks.keep(record)
          },
        },
      })
      await sleepUntil(clock, clock.now() + 600_000)
      await killed.close()
      const next = await begun()
      await next.finish({ until: Infinity, interrupted: false })
    })

    expect(file).toEqual([1, 2, 3])
  })

  it('hands them to a series of parts in their order, and sets none aside when it works again', async () => {
    const clock = new VirtualClock()
    const worksAt = clock.now() + 720_000
    const around = surroundings(Array.from({ length: 40 }, (_, n) => itemOf(n + 1)))
    const aside: unknown[] = []
    const rejects = { ...around.rejects, setAside: async (items: readonly unknown[]) => aside.push(...items) }
    const complete: number[][] = []
    const part: number[] = []
    let series: PartSeries | undefined
    const writing: PartWriting = {
      what: 'a part',
      everyMs: 60_000,
      async write(items) {
        if (clock.now() < worksAt) throw new Error('it did not answer')
        const taken = items.slice(0, 3 - part.length)
        part.push(...taken.map(({ seq }) => seq))
        return taken.length
      },
      isFull: () => part.length === 3,
      complete: async () => complete.push(part.splice(0)),
      discard: async () => void part.splice(0),
    }
    const sink: Sink = {
      name: 'parts',
      open: (session) => void (series = new PartSeries(writing, session)),
      write: async ({ items, mark, signal }) => ({ mark: (await series?.add(items, mark, signal)) ?? mark }),
      finish: async () => series?.finish(),
      close: async () => series?.close(),
    }
    const delivery = new Delivery({ ...around, rejects, clock, sink })

    await clock.run(async () => {
      await delivery.open()
      delivery.begin()
      await sleepUntil(clock, clock.now() + 3_600_000)
      await delivery.finish({ until: Infinity, interrupted: false })
    })

    expect(aside).toEqual([])
    expect(complete.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
    expect(delivery.status).toMatchObject({ written: 40, behind: 0 })
  })
})

describe('a delivery to a sink that another process still has open', () => {
  /** What is written, and how often the sink was opened, where the other process has it for so long. */
  async function handedOver(
    heldMs: number,
    { isShared = true, isDone = false } = {},
  ): Promise<{ written: number[]; opened: number; behind: number; elsewhere: boolean; problems: string[] }> {
    const problems: string[] = []
    const clock = new VirtualClock()
    const freeAt = clock.now() + heldMs
    const records = [1, 2, 3].map(itemOf)
    const written: number[] = []
    let opened = 0
    const sink: Sink = {
      name: 'file',
      open() {
        opened++
        if (clock.now() < freeAt) throw new SinkElsewhere('process 7 has it', { cause: new Error('expected no other writer') })
      },
      write: ({ items }) => void written.push(...items.map(({ seq }) => seq)),
    }
    const delivery = new Delivery({
      ...surroundings(records),
      isShared,
      clock,
      sink,
      problem: (message) => void problems.push(message),
    })
    await clock.run(async () => {
      await delivery.open()
      delivery.begin()
      await sleepUntil(clock, clock.now() + 5_000)
      await delivery.finish({ until: clock.now() + 30_000, interrupted: false, isDone })
    })
    const { behind, elsewhere = false } = delivery.status
    return { written, opened, behind, elsewhere, problems }
  }

  it('begins the run, and writes all items once that one has let go of it', async () => {
    expect(await handedOver(2_500)).toEqual({ written: [1, 2, 3], opened: 5, behind: 0, elsewhere: false, problems: [] })
  })

  it('leaves the rest to that one where the run is over before it lets go: nothing is wrong with the sink', async () => {
    expect(await handedOver(3_600_000)).toMatchObject({ written: [], elsewhere: true })
  })

  it('is waited for at the end of the crawl, for as long as a stop waits: whoever has it may never wake', async () => {
    expect(await handedOver(32_500, { isDone: true })).toMatchObject({ written: [1, 2, 3], elsewhere: false })
    expect(await handedOver(36_000, { isDone: true })).toMatchObject({ written: [], behind: 3, elsewhere: true })
    expect(await handedOver(32_500)).toMatchObject({ written: [], elsewhere: true })
  })

  it('is told of once where that one does not let go of it for so long that it probably sleeps', async () => {
    expect((await handedOver(19_000, { isDone: true })).problems).toEqual([])
    expect((await handedOver(3_600_000, { isDone: true })).problems).toEqual([
      'sink file waits for a process that does not let go of it, and probably sleeps: process 7 has it',
    ])
  })

  it('throws what is behind it where no other process can have the store', async () => {
    await expect(handedOver(2_500, { isShared: false })).rejects.toThrow('expected no other writer')
  })
})

describe('a delivery to a sink that another process runs, at the end of the crawl', () => {
  /** How long the end took, and what the sink got here. The other process writes `late` items at once, and is dead once `freeMs` have passed. */
  async function ended(
    { wroteMs, freeMs }: { readonly wroteMs: number; readonly freeMs: number },
    end: { readonly interrupted: boolean; readonly isDone: boolean; readonly until?: number } = {
      interrupted: false,
      isDone: true,
    },
  ): Promise<{ tookMs: number; written: number[]; behind: number }> {
    const clock = new VirtualClock()
    const around = surroundings([1, 2, 3].map(itemOf))
    const endsAt = clock.now() + 5_000
    const written: number[] = []
    const mark = (): { mark?: { itemSeq: number } } => (clock.now() >= endsAt + wroteMs ? { mark: { itemSeq: 3 } } : {})
    const standing = (): SinkStanding => ({
      name: 'file',
      written: 0,
      behind: clock.now() >= endsAt + wroteMs ? 0 : 3,
      ...mark(),
    })
    const reader = { ...around.store.reader, sinks: async () => [standing()] }
    const store = {
      ...around.store,
      reader,
      sinks: {
        ...around.store.sinks,
        claim: async () => clock.now() >= endsAt + freeMs,
        get: async () => ({ name: 'file', written: 0, ...mark() }),
      },
    }
    const sink: Sink = { name: 'file', write: ({ items }) => void written.push(...items.map(({ seq }) => seq)) }
    const delivery = new Delivery({ ...around, store, isShared: true, clock, sink })
    let tookMs = 0
    await clock.run(async () => {
      await delivery.open()
      delivery.begin()
      await sleepUntil(clock, endsAt)
      await delivery.finish({ until: clock.now() + 30_000, ...end })
      tookMs = clock.now() - endsAt
    })
    return { tookMs, written, behind: delivery.status.behind }
  }

  it('is over as soon as that one has written all items', async () => {
    expect(await ended({ wroteMs: 0, freeMs: Infinity })).toEqual({ tookMs: 0, written: [], behind: 0 })
    expect(await ended({ wroteMs: 250, freeMs: Infinity })).toEqual({ tookMs: 300, written: [], behind: 0 })
  })

  it('looks for its last items after 100 ms, and doubles that to once a second', async () => {
    expect((await ended({ wroteMs: 750, freeMs: Infinity })).tookMs).toBe(1_500)
    expect((await ended({ wroteMs: 1_600, freeMs: Infinity })).tookMs).toBe(2_500)
    expect((await ended({ wroteMs: 2_600, freeMs: Infinity })).tookMs).toBe(3_500)
  })

  it('writes them itself once that one is known to be dead', async () => {
    expect(await ended({ wroteMs: Infinity, freeMs: 7_500 })).toEqual({ tookMs: 7_500, written: [1, 2, 3], behind: 0 })
  })

  it('waits for that one also where a stop may wait for ever', async () => {
    const until = Infinity
    expect(await ended({ wroteMs: 90_000, freeMs: Infinity }, { interrupted: false, isDone: true, until })).toMatchObject({
      tookMs: 90_500,
      behind: 0,
    })
  })

  it('is behind where that one does neither for as long as a stop waits', async () => {
    expect(await ended({ wroteMs: Infinity, freeMs: Infinity })).toEqual({ tookMs: 30_000, written: [], behind: 3 })
  })

  it.each([
    { interrupted: true, isDone: true },
    { interrupted: false, isDone: false },
  ])('waits for nothing where it is stopped, or the crawl goes on: %j', async (end) => {
    expect(await ended({ wroteMs: Infinity, freeMs: Infinity }, end)).toMatchObject({ tookMs: 0, written: [] })
  })
})

describe('deliveries of two processes to one sink, both at the end of their runs', () => {
  /** How each ended, and what the sink got. The one that runs it takes `finishMs` to finish it, the other commits two items at its own end, `laterMs` later. */
  async function bothEnded({
    finishMs,
    laterMs,
    waitsMs = 30_000,
    isDown = false,
  }: {
    readonly finishMs: number
    readonly laterMs: number
    readonly waitsMs?: number
    readonly isDown?: boolean
  }): Promise<{ written: number[]; first: SinkStatus; second: SinkStatus }> {
    const clock = new VirtualClock()
    const records = [1, 2, 3].map(itemOf)
    const around = surroundings(records)
    const written: number[] = []
    let holder: string | undefined
    const deliveryOf = (process: string): Delivery => {
      const sinks = async (): Promise<readonly SinkStanding[]> => {
        const kept = (await around.store.sinks.get('bucket')) ?? { name: 'bucket', written: 0 }
        return [{ ...kept, behind: records.filter(({ seq }) => seq > (kept.mark?.itemSeq ?? 0)).length }]
      }
      const store = {
        ...around.store,
        reader: { ...around.store.reader, sinks },
        sinks: {
          ...around.store.sinks,
          claim: async () => (holder ??= process) === process,
          free: async () => void (holder = holder === process ? undefined : holder),
        },
      }
      const sink: Sink = {
        name: 'bucket',
        write({ items }) {
          if (isDown) throw new Error('down')
          written.push(...items.map(({ seq }) => seq))
        },
        finish: () => sleepUntil(clock, clock.now() + finishMs),
      }
      return new Delivery({ ...around, store, isShared: true, clock, sink })
    }
    const [first, second] = [deliveryOf('first'), deliveryOf('second')]
    await clock.run(async () => {
      for (const delivery of [first, second]) {
        await delivery.open()
        delivery.begin()
      }
      await sleepUntil(clock, clock.now() + 5_000)
      const until = clock.now() + waitsMs
      const over = first.finish({ until, interrupted: false })
      await sleepUntil(clock, clock.now() + laterMs)
      records.push(itemOf(4), itemOf(5))
      second.committed(2, 4)
      await second.finish({ until: clock.now() + 30_000, interrupted: false })
      await over
    })
    return { written, first: first.status, second: second.status }
  }

  it('writes what the other one committed while it finished the sink', async () => {
    const { written, first, second } = await bothEnded({ finishMs: 2_000, laterMs: 500 })

    expect(written).toEqual([1, 2, 3, 4, 5])
    expect(first).toMatchObject({ written: 5, behind: 0 })
    expect(second).toMatchObject({ behind: 2, elsewhere: true })
  })

  it('is behind by that where no time is left for it', async () => {
    const { written, first, second } = await bothEnded({ finishMs: 2_000, laterMs: 500, waitsMs: 2_000 })

    expect(written).toEqual([1, 2, 3])
    expect(first).toMatchObject({ written: 3, behind: 2 })
    expect(first.elsewhere).toBeUndefined()
    expect(second).toMatchObject({ behind: 2, elsewhere: true })
  })

  it('is behind by no more than it lacks where the sink fails until no time is left', async () => {
    const { first } = await bothEnded({ finishMs: 0, laterMs: 60_000, isDown: true })

    expect(first).toMatchObject({ written: 0, behind: 3, error: 'down' })
  })

  it('leaves the rest to the other one where that one can take the sink', async () => {
    const { written, second } = await bothEnded({ finishMs: 2_000, laterMs: 5_000 })

    expect(written).toEqual([1, 2, 3, 4, 5])
    expect(second).toEqual({ name: 'bucket', written: 5, behind: 0, setAside: 0 })
  })
})

describe('a delivery of a process that was ordered to stop with all others', () => {
  /** How it ended, and when. Another process, which has no such sink, commits its last item and gives back its host after `othersMs`. */
  async function stopped(othersMs: number, isOrdered = true): Promise<{ tookMs: number; written: number[]; status: SinkStatus }> {
    const clock = new VirtualClock()
    const startedAt = clock.now()
    const records = [1, 2].map(itemOf)
    const around = surroundings(records)
    const written: number[] = []
    const info = async (): Promise<FrontierInfo> => {
      const hosts = clock.now() < startedAt + othersMs ? 1 : 0
      return {
        ...INFO,
        liveProcesses: 2,
        processes: [1, 2].map((pid) => ({ pid, hosts: pid === 1 ? 0 : hosts })),
      }
    }
    const store = { ...around.store, reader: { ...around.store.reader, info } }
    const sink: Sink = { name: 'list', write: ({ items }) => void written.push(...items.map(({ seq }) => seq)) }
    const delivery = new Delivery({ ...around, store, isShared: true, clock, sink })
    using _last = clock.at(startedAt + othersMs, () => records.push(itemOf(3)))
    await clock.run(async () => {
      await delivery.open()
      delivery.begin()
      await delivery.finish({ until: startedAt + 30_000, interrupted: false, isOrdered })
    })
    return { tookMs: clock.now() - startedAt, written, status: delivery.status }
  }

  it('ends its sink once the others hold nothing any more, and have heard of the order', async () => {
    expect(await stopped(4_000)).toMatchObject({ tookMs: 4_000, written: [1, 2, 3], status: { behind: 0 } })
    expect(await stopped(0)).toMatchObject({ tookMs: 1_000, written: [1, 2, 3] })
  })

  it('may lack items, and says so, where they have not stopped in time', async () => {
    const { tookMs, status } = await stopped(60_000)

    expect(tookMs).toBe(30_000)
    expect(status).toMatchObject({ written: 2, error: 'other processes have not stopped in time, and may commit more items' })
  })

  it('waits for nobody who was not ordered to stop', async () => {
    expect(await stopped(60_000, false)).toMatchObject({ tookMs: 0, written: [1, 2], status: { behind: 0 } })
  })
})

describe('a delivery that has nothing to write', () => {
  it('lets go of a sink that became the one of another process meanwhile', async () => {
    const clock = new VirtualClock()
    const around = surroundings([])
    let isOurs = true
    const calls: string[] = []
    const sink: Sink = {
      name: 'file',
      open: () => void calls.push('open'),
      write: () => {},
      close: () => void calls.push('close'),
    }
    const store = { ...around.store, sinks: { ...around.store.sinks, claim: async () => isOurs } }
    const delivery = new Delivery({ ...around, store, isShared: true, clock, sink })

    await clock.run(async () => {
      await delivery.open()
      delivery.begin()
      await sleepUntil(clock, clock.now() + 60_000)
      isOurs = false
      await sleepUntil(clock, clock.now() + 10_000)
      expect(calls).toEqual(['open', 'close'])
      await delivery.close()
    })

    expect(delivery.status.elsewhere).toBe(true)
  })
})

it('a sink that failed is told of once it has worked for an hour again, not while it fails now and then', async () => {
  const clock = new VirtualClock()
  const beganAt = clock.now()
  const records: ItemRecord[] = []
  const told: string[] = []
  const notice = (message: string): void => void told.push(`${Math.floor((clock.now() - beganAt) / 60_000)} ${message}`)
  const write = (): void => {
    const minute = Math.floor((clock.now() - beganAt) / 60_000)
    if (minute < 10 || minute === 40) throw new Error('the table is locked')
  }
  const delivery = new Delivery({ ...surroundings(records), clock, sink: { name: 'table', write }, notice })

  await clock.run(async () => {
    await delivery.open()
    delivery.begin()
    for (let seq = 1; seq <= 240; seq++) {
      records.push(itemOf(seq))
      delivery.committed(1, 2)
      await sleepUntil(clock, clock.now() + 60_000)
    }
    await delivery.finish({ until: Infinity, interrupted: false })
  })

  expect(told).toEqual(['101 sink table: it has worked again for an hour'])
})

it('a field that no column of a sink takes is told of once, and of a page full of names twenty', async () => {
  const clock = new VirtualClock()
  const told: string[] = []
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}`, n]))
  const values = [{ name: 'Assam', price: 4 }, 'text', { price: 9 }, many]
  const records = values.map((value, n) => ({ ...itemOf(n + 1), json: JSON.stringify(value) }))
  const sink: Sink = { name: 'table', columns: ['name'], limits: { maxItems: 1 }, write: () => undefined }
  const delivery = new Delivery({ ...surroundings(records), clock, sink, notice: (message) => void told.push(message) })

  await clock.run(async () => {
    await delivery.open()
    delivery.begin()
    await delivery.finish({ until: Infinity, interrupted: false })
  })

  expect(told).toHaveLength(20)
  expect(told.join()).not.toContain('did you mean')
  expect(told.slice(0, 2)).toEqual([
    'sink table: field "price" is not written, because no column has it',
    'sink table: field "f0" is not written, because no column has it',
  ])
})

it('a misspelt column of a sink is named, with the field that was meant', async () => {
  const clock = new VirtualClock()
  const told: string[] = []
  const records = [1, 2].map((n) => ({ ...itemOf(n), json: JSON.stringify({ name: 'Assam', price: n }) }))
  const sink: Sink = { name: 'table', columns: ['name', 'pirce'], write: () => undefined }
  const delivery = new Delivery({ ...surroundings(records), clock, sink, notice: (message) => void told.push(message) })

  await clock.run(async () => {
    await delivery.open()
    delivery.begin()
    await delivery.finish({ until: Infinity, interrupted: false })
  })

  expect(told).toEqual([
    `sink table: field "price" is not written, because no column has it; column "pirce" is empty (did you mean 'price'?)`,
  ])
})
