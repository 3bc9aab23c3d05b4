import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SinkMark, SinkSession } from '@avocet/core/sink'
import { sleepUntil } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parquet } from '../src/index.ts'
import { driveSink, sinkItem, type SinkProgress } from '@avocet/testkit/contracts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'avocet-parquet-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const files = (): string[] => readdirSync(folder).sort()
const bufferOf = (name: string): ArrayBuffer => new Uint8Array(readFileSync(join(folder, name))).buffer
const rowsOf = (name: string): Promise<Record<string, unknown>[]> => parquetReadObjects({ file: bufferOf(name) })
const allRows = async (): Promise<Record<string, unknown>[]> => (await Promise.all(files().map(rowsOf))).flat()
const numbers = async (): Promise<unknown[]> => (await allRows()).map(({ n }) => n)
const fresh = (): SinkProgress => ({ refused: new Map() })
const session: SinkSession = {
  ...{ crawl: { name: 'teas', id: 'store-1' }, clock: new VirtualClock(), signal: new AbortController().signal },
  ...{ keep: async () => {}, problem: () => {}, notice: () => {} },
}
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)

describe('parquet', () => {
  it('writes items in order, in files of as many rows as it was told', async () => {
    const items = upTo(25).map((n) => sinkItem(n))

    await driveSink(parquet(folder, { rowsPerFile: 10 }), items, { kept: fresh() })

    expect(files()).toEqual(['part-000001.parquet', 'part-000002.parquet', 'part-000003.parquet'])
    expect(await rowsOf('part-000003.parquet')).toEqual(upTo(5).map((n) => ({ n: n + 20, name: `tea ${n + 20}` })))
    expect(await numbers()).toEqual(upTo(25))
  })

  it('names its files by a pattern', async () => {
    await driveSink(parquet(join(folder, 'teas-{n}.snappy.parquet')), [sinkItem(1)], { kept: fresh() })

    expect(files()).toEqual(['teas-000001.snappy.parquet'])
  })

  it('writes no file for a crawl without items', async () => {
    await driveSink(parquet(folder), [], { kept: fresh() })

    expect(files()).toEqual([])
  })

  it('goes on with the next file in the next run', async () => {
    const kept = fresh()
    const items = upTo(7).map((n) => sinkItem(n))

    await driveSink(parquet(folder), items.slice(0, 3), { kept })
    await driveSink(parquet(folder), items, { kept })

    expect(files()).toHaveLength(2)
    expect(await numbers()).toEqual(upTo(7))
  })

  it('finishes a file at a size, and keeps no more than that waiting', async () => {
    const items = upTo(40).map((n) => sinkItem(n, { n, text: `${n}`.repeat(100) }))

    await driveSink(parquet(folder, { maxBytes: 2_000 }), items, { kept: fresh() })

    expect(files().length).toBeGreaterThan(2)
    expect(await numbers()).toEqual(upTo(40))
  })

  it('finishes a file at an age although no item comes, and keeps the mark', async () => {
    const clock = new VirtualClock()
    const kept = fresh()
    const seen: unknown[] = []
    const between = async (): Promise<void> => {
      seen.push(kept.mark?.itemSeq)
      await clock.run(() => sleepUntil(clock, clock.now() + 61_000))
      await expect.poll(() => kept.mark?.itemSeq).toBe(2)
      seen.push(files().length)
    }

    await driveSink(parquet(folder, { everyMs: 60_000 }), [sinkItem(1), sinkItem(2)], { kept, clock, between })

    expect(seen).toEqual([0, 1])
  })

  it('has types for what JSON has: texts, numbers, flags, and JSON for the rest', async () => {
    const value = { text: 'é', price: 4.99, there: false, tags: ['a', 1], maker: { name: 'x' }, none: null }

    await driveSink(parquet(folder), [sinkItem(1, value), sinkItem(2, { text: null })], { kept: fresh() })

    expect(await allRows()).toEqual([value, { text: null, price: null, there: null, tags: null, maker: null, none: null }])
    const { schema, row_groups: groups } = await parquetMetadataAsync(bufferOf('part-000001.parquet'))
    expect(schema.slice(1).map(({ type, converted_type: as }) => as ?? type)).toEqual([
      'UTF8',
      'DOUBLE',
      'BOOLEAN',
      'JSON',
      'JSON',
      'JSON',
    ])
    expect(groups[0]?.columns[0]?.meta_data?.codec).toBe('SNAPPY')
  })

  it('takes whole numbers for int64 once there are a hundred, and not before', async () => {
    await driveSink(parquet(join(folder, 'few-{n}.parquet')), [sinkItem(1)], { kept: fresh() })
    await driveSink(
      parquet(join(folder, 'many-{n}.parquet')),
      upTo(100).map((n) => sinkItem(n)),
      { kept: fresh() },
    )

    expect(await rowsOf('few-000001.parquet')).toEqual([{ n: 1, name: 'tea 1' }])
    expect((await rowsOf('many-000001.parquet')).at(-1)).toEqual({ n: 100n, name: 'tea 100' })
  })

  it('refuses what does not fit also in the batch in which the first file is finished', async () => {
    const kept = fresh()
    const items = [
      sinkItem(1, { price: 1.5 }),
      sinkItem(2, { price: 2.5 }),
      sinkItem(3, { price: 'sold out' }),
      sinkItem(4, { rare: 'yes' }),
    ]

    await driveSink(parquet(folder, { rowsPerFile: 2 }), [...items, sinkItem(5, { price: 3 })], { kept, batch: 5 })

    expect(await allRows()).toEqual([{ price: 1.5 }, { price: 2.5 }, { price: 3 }])
    expect([...kept.refused.keys()]).toEqual(['3.0.0', '4.0.0'])
  })

  it('refuses what does not fit also in the batch in which the first row group is written', async () => {
    const kept = fresh()
    const items = upTo(4_020).map((n) => sinkItem(n, n === 4_010 ? { n: 'many' } : { n }))

    await driveSink(parquet(folder), items, { kept, batch: 100 })

    expect(await allRows()).toHaveLength(4_019)
    expect([...kept.refused.keys()]).toEqual(['4010.0.0'])
  })

  it('refuses an item with more fields than a mark can name, and goes on with the others', async () => {
    const kept = fresh()
    const wide = Object.fromEntries(upTo(4_000).map((n) => [`field ${n}`, n]))

    await driveSink(parquet(folder), [sinkItem(1, { a: 1 }), sinkItem(2, wide), sinkItem(3, { a: 3 })], { kept })

    expect(await allRows()).toEqual([{ a: 1 }, { a: 3 }])
    expect([...kept.refused.values()]).toEqual([
      'expected the names of all columns to take at most 60000 bytes, got more with "field 1"; name the fields to write in columns',
    ])
  })

  it('writes no file together with another sink of the same folder: the first one has it, the other says so', async () => {
    const [one, other] = [parquet(folder, { name: 'one' }), parquet(folder, { name: 'other' })]
    const write = async (sink: typeof one, n: number): Promise<unknown> =>
      sink.write({ items: [sinkItem(n)], mark: { itemSeq: n }, signal: session.signal })
    await one.open?.(session)
    await other.open?.(session)
    await write(one, 1)
    await write(other, 2)

    await one.finish?.({ interrupted: false })
    await expect(Promise.resolve(other.finish?.({ interrupted: false }))).rejects.toThrow('does another sink write there?')

    await Promise.all([one.close?.(), other.close?.()])
    expect(files()).toEqual(['part-000001.parquet'])
    expect(await numbers()).toEqual([1])
  })

  it('keeps the types of the first file, also in the next run, and refuses what does not fit with the reason', async () => {
    const kept = fresh()
    await driveSink(parquet(folder), [sinkItem(1, { price: 1.5 })], { kept })

    const more = [
      sinkItem(2, { price: 'free' }),
      sinkItem(3, { price: 2 }),
      sinkItem(4, { price: 3, colour: 'red' }),
      sinkItem(5, 'text'),
    ]
    await driveSink(parquet(folder), more, { kept })

    expect(await allRows()).toEqual([{ price: 1.5 }, { price: 2 }])
    expect([...kept.refused]).toEqual([
      ['2.0.0', 'expected price to be a number, got "free"; to change the column, set columns: { price: … }'],
      ['4.0.0', 'expected the fields of the first file, got "colour" as well; name all fields in columns'],
      ['5.0.0', 'expected an object with a field for each column, got another kind of item'],
    ])
  })

  it('writes the columns that it was told, of the types that it was told', async () => {
    const columns = { seenAt: 'timestamp', n: 'int64', any: 'json' } as const
    const values = [
      { n: 2 ** 53 - 1, seenAt: '2026-11-23T10:00:00+01:00', any: 1, other: 'left out' },
      { n: -1, seenAt: 0, any: 'x' },
      { n: 0, seenAt: '2026-11-23 10:00', any: [null] },
    ]
    const kept = fresh()

    const wrong = [
      sinkItem(4, { n: 1.5 }),
      sinkItem(5, { n: 2 ** 53 }),
      sinkItem(6, { seenAt: '1' }),
      sinkItem(7, { seenAt: '2026-02-99' }),
      sinkItem(8, { seenAt: '2026-02-30' }),
      sinkItem(9, { seenAt: '2026-02-29T10:00:00Z' }),
    ]
    await driveSink(parquet(folder, { columns }), [...values.map((value, n) => sinkItem(n + 1, value)), ...wrong], { kept })

    expect(await allRows()).toEqual([
      { seenAt: new Date('2026-11-23T09:00:00Z'), n: 9_007_199_254_740_991n, any: 1 },
      { seenAt: new Date(0), n: -1n, any: 'x' },
      { seenAt: new Date('2026-11-23T10:00:00Z'), n: 0n, any: [null] },
    ])
    expect([...kept.refused.keys()]).toEqual(wrong.map(({ key }) => key))
  })

  it('has a field called __proto__ or constructor like any other', async () => {
    const columns = Object.fromEntries(['constructor', 'toString'].map((name) => [name, 'string' as const]))
    const value = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Record<string, string>

    await driveSink(parquet(folder, { columns }), [sinkItem(1, value)], { kept: fresh() })

    expect(await allRows()).toEqual([{ constructor: 'b', toString: null }])
  })

  it('touches no file of another crawl or another sink, and says which is in the way', async () => {
    await driveSink(parquet(folder, { name: 'mine' }), [sinkItem(1)], { kept: fresh() })
    const before = readFileSync(join(folder, 'part-000001.parquet'))

    const other = driveSink(parquet(folder, { name: 'mine' }), [sinkItem(9)], { kept: fresh(), storeId: 'store-2' })
    await expect(other).rejects.toThrow(/expected .*part-000001\.parquet to be free .* move it away/)
    await expect(driveSink(parquet(folder, { name: 'yours' }), [sinkItem(9)], { kept: fresh() })).rejects.toThrow('another sink')

    writeFileSync(join(folder, 'part-000002.parquet'), 'PAR1 not really PAR1')
    await expect(driveSink(parquet(folder, { name: 'mine' }), [sinkItem(9)], { kept: fresh() })).rejects.toThrow('000002')
    expect(readFileSync(join(folder, 'part-000001.parquet'))).toEqual(before)
  })

  it('finishes the file of an item that comes late, for it is behind the mark', async () => {
    const kept: { mark?: SinkMark | undefined } = {}
    const sink = parquet(folder)
    const { signal } = new AbortController()
    const keep = async (): Promise<void> => {}
    await sink.open?.({
      crawl: { name: 'teas', id: 'store-1' },
      clock: new VirtualClock(),
      signal,
      keep,
      problem() {},
      notice() {},
    })

    kept.mark = (await sink.write({ items: [sinkItem(1), sinkItem(3)], mark: { itemSeq: 3 }, signal }))?.mark
    expect(kept.mark).toMatchObject({ itemSeq: 0 })
    kept.mark = (await sink.write({ items: [sinkItem(2)], mark: { itemSeq: 3 }, signal }))?.mark

    expect(kept.mark).toMatchObject({ itemSeq: 3, state: { next: 2 } })
    expect(await numbers()).toEqual([1, 3, 2])
    await sink.close?.()
  })

  it('begins anew when its mark is gone: the items come again, so the files are replaced', async () => {
    await driveSink(
      parquet(folder, { rowsPerFile: 2 }),
      upTo(6).map((n) => sinkItem(n)),
      { kept: fresh() },
    )

    await driveSink(
      parquet(folder, { rowsPerFile: 5 }),
      upTo(6).map((n) => sinkItem(n)),
      { kept: fresh() },
    )

    expect(files()).toHaveLength(2)
    expect(await numbers()).toEqual(upTo(6))
  })

  it('says what is wrong with a mark of another kind of sink', async () => {
    const kept = { mark: { itemSeq: 3, state: { bytes: 17 } }, refused: new Map<string, string>() }

    await expect(driveSink(parquet(folder), [sinkItem(4)], { kept })).rejects.toThrow('expected the mark of a Parquet sink')
  })

  it.each<readonly [string, object, string]>([
    ['', {}, "expected the path of parquet to be a folder, or a path whose last part has '{n}'"],
    ['offers.parquet', {}, "whose last part has '{n}'"],
    ['{n}/offers.parquet', {}, "whose last part has '{n}'"],
    ['offers', { rowsPerFile: 0 }, 'expected parquet: rowsPerFile to be a whole number of at least 1, got 0'],
    ['offers', { everyMs: Number.NaN }, 'expected parquet: everyMs to be a number above 0, got NaN'],
    ['offers', { columns: {} }, 'expected parquet: columns to be an object with at least one column'],
    ['offers', { columns: { a: 'int' } }, "expected parquet: columns['a'] to be 'string'"],
    ['offers', { rows: 3 }, "parquet has no option 'rows'"],
  ])('refuses %j with %j', (path, options, message) => {
    expect(() => parquet(path, options)).toThrow(message)
  })
})
