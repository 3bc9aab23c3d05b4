// Parts of which only complete ones count: what the mark says at every step, for what is behind it comes again.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { PartSeries, type PartWriting } from '../src/part-series.ts'
import type { SinkItem, SinkMark } from '@avocet/core/sink'

const MINUTE = 60_000

function items(...seqs: number[]): SinkItem<unknown>[] {
  return seqs.map((seq) => ({ key: `${seq}.0.0`, seq, url: 'https://shop.test/', json: String(seq), value: seq }))
}

/** Parts of three items, or of a minute, and what was kept of their marks. */
function series({ mark, complete = async () => {} }: { mark?: SinkMark; complete?: () => Promise<void> } = {}) {
  const clock = new VirtualClock()
  const ending = new AbortController()
  const written: number[][] = []
  const kept: SinkMark[] = []
  let part: number[] = []
  const writing: PartWriting = {
    what: 'a part',
    everyMs: MINUTE,
    async write(given) {
      const taken = given.slice(0, 3 - part.length)
      part.push(...taken.map(({ seq }) => seq))
      return taken.length
    },
    isFull: () => part.length === 3,
    async complete() {
      await complete()
      written.push(part)
      part = []
      return { next: written.length + 1 }
    },
    async discard() {
      part = []
    },
  }
  const parts = new PartSeries(writing, {
    ...{ crawl: { name: 'shop', id: 'one' }, clock, signal: ending.signal, problem: () => {}, notice: () => {} },
    ...(mark && { mark }),
    keep: async (one) => void kept.push(one),
  })
  const add = (given: readonly SinkItem<unknown>[], itemSeq: number): Promise<SinkMark> =>
    parts.add(given, { itemSeq }, ending.signal)
  return { parts, add, clock, ending, written, kept, begun: () => part }
}

describe('a series of parts', () => {
  it('is as far as its last complete part, also in the middle of a batch', async () => {
    const { add, written } = series()

    expect(await add(items(1, 2), 2)).toEqual({ itemSeq: 0 })
    expect(await add(items(3, 4), 4)).toEqual({ itemSeq: 3, state: { next: 2 } })
    expect(await add(items(5, 6, 7, 8, 9), 9)).toEqual({ itemSeq: 9, state: { next: 4 } })
    expect(written).toEqual([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
    ])
  })

  it('goes past items that were left out where none waits, and only there', async () => {
    const { add } = series({ mark: { itemSeq: 10, state: { next: 5 } } })

    expect(await add(items(11, 13), 20)).toEqual({ itemSeq: 10, state: { next: 5 } })
    expect(await add(items(21), 30)).toEqual({ itemSeq: 30, state: { next: 2 } })
  })

  it('completes a part a minute after its first items, though no more come, and keeps the mark', async () => {
    const { add, clock, written, kept } = series()

    await add(items(1), 1)
    await clock.advance(MINUTE - 1)
    expect(written).toEqual([])
    await clock.advance(2)

    expect(written).toEqual([[1]])
    expect(kept).toEqual([{ itemSeq: 1, state: { next: 2 } }])
  })

  it('completes no part by time once nobody waits for it, or it is closed', async () => {
    for (const end of ['aborted', 'closed']) {
      const { parts, add, clock, ending, written, begun } = series()
      await add(items(1), 1)
      if (end === 'closed') await parts.close()
      else ending.abort()
      await clock.advance(2 * MINUTE)

      expect([end, written]).toEqual([end, []])
      expect(begun()).toEqual(end === 'closed' ? [] : [1])
    }
  })

  it('completes the part of an item that was set aside at once: it is behind the mark, and would not come again', async () => {
    const { add, written } = series({ mark: { itemSeq: 10, state: { next: 5 } } })

    expect(await add(items(4), 10)).toEqual({ itemSeq: 10, state: { next: 2 } })

    expect(written).toEqual([[4]])
  })

  it('leaves it to the answer to keep the mark of an item that was set aside, in one step with the end of its reject', async () => {
    const { add, kept } = series({ mark: { itemSeq: 10, state: { next: 5 } } })

    await add(items(4), 10)

    expect(kept).toEqual([])
  })

  it('that could not complete a part by time says so to the next call, and to every one after it', async () => {
    const { parts, add, clock, kept } = series({ complete: () => Promise.reject(new Error('the disk is full')) })

    await add(items(1), 1)
    await clock.advance(2 * MINUTE)

    await expect(add(items(2), 2)).rejects.toThrow('the disk is full')
    await expect(parts.finish()).rejects.toThrow('the disk is full')
    expect(kept).toEqual([])
  })

  it('that ends without an item has written nothing, and keeps the mark that it had', async () => {
    const { parts, written, kept } = series({ mark: { itemSeq: 10, state: { next: 5 } } })

    await parts.finish()

    expect(written).toEqual([])
    expect(kept).toEqual([{ itemSeq: 10, state: { next: 5 } }])
  })

  it('makes one call after another, also where nobody waited for the first', async () => {
    const { parts, add, written } = series()

    const answers = [add(items(1, 2), 2), add(items(3, 4), 4), parts.finish()]
    await Promise.all(answers)

    expect(written).toEqual([[1, 2, 3], [4]])
  })

  it('ends where a part takes nothing, and does not offer it the same item for ever', async () => {
    const { ending } = series()
    const writing: PartWriting = {
      ...{ what: 'a part', everyMs: MINUTE, isFull: () => false, complete: async () => null, discard: async () => {} },
      write: async () => 0,
    }
    const parts = new PartSeries(writing, {
      ...{ crawl: { name: 'shop', id: 'one' }, clock: new VirtualClock(), signal: ending.signal },
      ...{ problem: () => {}, notice: () => {}, keep: async () => {} },
    })

    await expect(parts.add(items(1), { itemSeq: 1 }, ending.signal)).rejects.toThrow(
      'expected a part to take an item, got none taken',
    )
  })
})
