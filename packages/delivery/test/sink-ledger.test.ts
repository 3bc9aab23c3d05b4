// The book of a sink: what it has, what it may still lose, and what of that is in the store.
import { AvocetError } from '@avocet/core'
import type { SinkRecord, SinkStore } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { SinkLedger } from '../src/sink-ledger.ts'

function ledger(found?: SinkRecord, keep: SinkStore['keep'] = async () => true): { ledger: SinkLedger; kept: SinkRecord[] } {
  const kept: SinkRecord[] = []
  const store = {
    get: async () => found,
    keep: async (record: SinkRecord) => {
      kept.push(record)
      return keep(record)
    },
  } as unknown as SinkStore
  return { ledger: new SinkLedger({ name: 'pg', store, make: (_name, call) => call() }), kept }
}

describe('the items of a sink', () => {
  it('count when they are handed over, and are safe when its mark has passed them', () => {
    const { ledger: book } = ledger()
    book.handed(10, 10)
    book.handed(5, 15)
    book.mark({ itemSeq: 12 })

    expect([book.written, book.record.written, book.isGathering, book.itemSeq]).toEqual([15, 12, true, 12])
    book.mark({ itemSeq: 15 })
    expect([book.written, book.record.written, book.isGathering]).toEqual([15, 15, false])
  })

  it('are counted up to the middle of a batch, where a part of the sink ended and the rest of the batch was lost', () => {
    const { ledger: book } = ledger()
    book.handed(10, 10)
    book.handed(10, 20)
    book.mark({ itemSeq: 13 })
    book.moved({ itemSeq: 13 })

    expect([book.written, book.record.written, book.isGathering]).toEqual([13, 13, false])
  })

  it('are counted as a whole however many batches it gathers', () => {
    const { ledger: book } = ledger()
    for (let n = 1; n <= 5_000; n++) book.handed(2, 2 * n)
    const gathered = book.written
    book.mark({ itemSeq: 10_000 })

    expect([gathered, book.record.written]).toEqual([10_000, 10_000])
  })

  it.each([
    ['ahead of what was known', 30, 30],
    ['behind', 5, 5],
    ['at the beginning', 0, 0],
  ])('follow a sink that is %s', async (_where, itemSeq, written) => {
    const { ledger: book } = ledger({ name: 'pg', written: 10, mark: { itemSeq: 10 } })
    await book.load()
    book.handed(7, 17)
    book.moved({ itemSeq })

    expect([book.written, book.itemSeq, book.isGathering]).toEqual([written, itemSeq, false])
  })
})

describe('what is kept of a sink', () => {
  it('is written when it changed, and not otherwise', async () => {
    const { ledger: book, kept } = ledger({ name: 'pg', written: 10, mark: { itemSeq: 10 } })
    await book.load()
    await book.save()
    book.trouble({ since: 1, error: 'no' })
    await book.save()
    await book.save()
    book.trouble(undefined)
    await book.save()

    expect(kept).toEqual([
      { name: 'pg', written: 10, mark: { itemSeq: 10 }, trouble: { since: 1, error: 'no' } },
      { name: 'pg', written: 10, mark: { itemSeq: 10 } },
    ])
  })

  it('is tried again where another process has the sink, or the store failed', async () => {
    const answers = [false, true]
    const { ledger: book, kept } = ledger(undefined, async () => answers.shift() ?? true)
    book.mark({ itemSeq: 1 })

    expect([await book.save(), await book.save(), await book.save()]).toEqual([false, true, true])
    expect(kept).toHaveLength(2)
  })

  it("is nobody's loss in a store that was removed, and an error in one that is broken", async () => {
    const failing = (code: 'AVO_FRONTIER_MISSING' | 'AVO_FRONTIER_IO'): Promise<boolean> => {
      const { ledger: book } = ledger(undefined, () => Promise.reject(new AvocetError(code, 'gone')))
      book.mark({ itemSeq: 1 })
      return book.save()
    }

    expect(await failing('AVO_FRONTIER_MISSING')).toBe(true)
    await expect(failing('AVO_FRONTIER_IO')).rejects.toMatchObject({ code: 'AVO_FRONTIER_IO' })
  })
})
