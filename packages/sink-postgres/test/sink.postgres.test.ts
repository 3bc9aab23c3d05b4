// Items become rows of a real PostgreSQL, each exactly once, whatever is in them.
import { postgres, type PostgresOptions } from '@avocet/sink-postgres'
import { describe, expect, it } from 'vitest'
import { deliver, itemOf, type Delivered } from './deliver.ts'
import { missing, serverOfTests } from './server.ts'

const server = serverOfTests()
let tests = 0

/** A table name and a crawl of its own for each test. */
function fresh(): { readonly table: string; readonly id: string } {
  tests += 1
  const table = `t${String(process.pid)}_${String(tests)}`
  return { table, id: `crawl of ${table}` }
}

async function rowsOf(table: string): Promise<readonly unknown[]> {
  const { rows } = await server.client.query<{ row: unknown }>(`SELECT to_jsonb(t) AS row FROM "${table}" t ORDER BY ctid`)
  return rows.map(({ row }) => row)
}

function write(
  place: { readonly table: string; readonly id: string },
  values: readonly unknown[],
  options: PostgresOptions = {},
): Promise<Delivered> {
  const items = values.map((value, n) => itemOf(n + 1, value))
  return deliver(postgres({ url: server.url, table: place.table, ...options }), items, { id: place.id })
}

describe.skipIf(missing !== undefined)(`a table of PostgreSQL ${missing ?? ''}`, () => {
  it('is made from the first items, with a column for each field and one for the fields to come', async () => {
    const place = fresh()

    const { notices, refused } = await write(place, [{ name: 'Assam', price: 4.5, organic: true, tags: ['black'], gone: null }])
    await deliver(postgres({ url: server.url, table: place.table }), [itemOf(2, { name: 'Sencha', grams: 100 })], place)

    expect(refused).toEqual(new Map())
    expect(await rowsOf(place.table)).toEqual([
      { name: 'Assam', price: 4.5, organic: true, tags: ['black'], extra: null },
      { name: 'Sencha', price: null, organic: null, tags: null, extra: { grams: 100 } },
    ])
    expect(notices).toEqual([
      `made the table "public"."${place.table}" from the fields of its first items: name text, price numeric, organic boolean, tags jsonb, extra jsonb`,
    ])
  })

  it('gets columns and types for later items, where a first batch was of one item', async () => {
    const place = fresh()
    const teas = [
      { name: 'Assam' },
      { name: 'Sencha', price: 9, tags: ['green'] },
      { name: 'Kukicha', price: 'ask', extra: 1 },
      { grams: 100 },
    ]
    const items = teas.map((value, n) => itemOf(n + 1, value))

    await deliver(postgres({ url: server.url, table: place.table }), items.slice(0, 3), { ...place, batchItems: 1 })
    await deliver(postgres({ url: server.url, table: place.table }), items, place)

    expect(await rowsOf(place.table)).toEqual([
      { name: 'Assam', price: null, tags: null, extra: null },
      { name: 'Sencha', price: '9', tags: ['green'], extra: null },
      { name: 'Kukicha', price: 'ask', tags: null, extra: { extra: 1 } },
      { name: null, price: null, tags: null, extra: { grams: 100 } },
    ])
  })

  it('says which fields it writes, where it leaves others out', () => {
    const columnsOf = (options: PostgresOptions): unknown => postgres({ url: 'postgres://localhost/shop', ...options }).columns

    expect(columnsOf({ columns: { name: 'text', at: '@url' } })).toEqual(['name', 'at'])
    expect(columnsOf({ columns: { name: 'text', rest: '@extra' } })).toBeUndefined()
    expect([columnsOf({}), columnsOf({ json: true })]).toEqual([undefined, undefined])
  })

  it('is told of once, with the columns that it has, also if some of the first items are refused', async () => {
    const place = fresh()

    const { notices, refused } = await write(place, [{ name: 'Assam' }, { name: 'Gyo\0kuro', grams: 50 }])

    expect([...refused.keys()]).toEqual(['2.0.0'])
    expect(notices).toEqual([
      `made the table "public"."${place.table}" from the fields of its first items: name text, extra jsonb`,
    ])
  })

  it('that is there keeps its columns, types and defaults', async () => {
    const place = fresh()
    await server.client.query(
      `CREATE TABLE "${place.table}" (id serial, name text, tags text[], "at" timestamptz, stock int DEFAULT 7, twice int GENERATED ALWAYS AS (stock * 2) STORED)`,
    )

    const { refused } = await write(place, [
      { name: 'Assam', tags: ['black', 'it\'s "strong", {really}', null], at: '2027-01-02T03:04:05Z' },
      { name: 'Sencha', stock: null },
    ])

    expect(refused).toEqual(new Map())
    expect(await rowsOf(place.table)).toEqual([
      {
        id: 1,
        name: 'Assam',
        tags: ['black', 'it\'s "strong", {really}', null],
        at: '2027-01-02T03:04:05+00:00',
        stock: 7,
        twice: 14,
      },
      { id: 2, name: 'Sencha', tags: null, at: null, stock: null, twice: null },
    ])
  })

  it('without a column for a field takes no item that has the field, until the column is there', async () => {
    const place = fresh()
    await server.client.query(`CREATE TABLE "${place.table}" (name text)`)
    const sink = postgres({ url: server.url, table: place.table })

    const { refused } = await deliver(sink, [itemOf(1, { name: 'Assam' }), itemOf(2, { name: 'Sencha', price: 5 })], place)
    await server.client.query(`ALTER TABLE "${place.table}" ADD price numeric`)
    const later = await deliver(sink, [itemOf(3, { name: 'Oolong', price: 6 })], place)

    expect([...refused]).toEqual([['2.0.0', expect.stringContaining('expected a column for the field price in the table')]])
    expect(later.refused).toEqual(new Map())
    expect(await rowsOf(place.table)).toEqual([
      { name: 'Assam', price: null },
      { name: 'Oolong', price: 6 },
    ])
  })

  it('gets what `columns` names, and nothing else', async () => {
    const place = fresh()
    const columns = { name: 'text', page: '@url', id: '@key', whole: '@item', rest: '@extra', written: '@time' }

    await write(place, [{ name: 'Assam', price: 4.5 }], { columns })
    const [row] = (await rowsOf(place.table)) as { written: string }[]

    const { written, ...others } = row ?? { written: '' }
    expect(Math.abs(Date.parse(written) - Date.now())).toBeLessThan(60_000)
    expect(others).toEqual({
      ...{ name: 'Assam', page: 'https://shop.example/1', id: '1.0.0' },
      ...{ whole: { name: 'Assam', price: 4.5 }, rest: { price: 4.5 } },
    })
  })

  it('with `json` takes items that are no objects', async () => {
    const place = fresh()

    await write(place, ['a text', [1, 2], null, 1e300], { json: true })

    expect(((await rowsOf(place.table)) as { item: unknown }[]).map(({ item }) => item)).toEqual(['a text', [1, 2], null, 1e300])
  })

  it('with a key has one row for it: that of the newest item, also of two in one batch', async () => {
    const place = fresh()
    const options = { key: ['shop', 'sku'], columns: { shop: 'text', sku: 'int', price: 'numeric' } }

    const { refused } = await write(
      place,
      [
        { shop: 'a', sku: 1, price: 10 },
        { shop: 'a', sku: 1, price: 11 },
        { shop: 'b', sku: 1, price: 20 },
        { shop: 'a', price: 5 },
      ],
      options,
    )
    await deliver(
      postgres({ url: server.url, table: place.table, ...options }),
      [itemOf(5, { shop: 'b', sku: 1, price: 21 })],
      place,
    )

    expect(await rowsOf(place.table)).toEqual([
      { shop: 'a', sku: 1, price: 11 },
      { shop: 'b', sku: 1, price: 21 },
    ])
    expect([...refused]).toEqual([['4.0.0', 'expected a value for sku, which is part of the key, got none']])
  })

  it('whose column makes two keys of a batch the same keeps the last of them', async () => {
    const place = fresh()
    const options = { key: ['price'], columns: { price: 'numeric(4,1)', name: 'text' } }

    const { refused, failures } = await write(
      place,
      [
        { price: 1.01, name: 'a' },
        { price: 1.02, name: 'b' },
      ],
      options,
    )

    expect([refused.size, failures]).toEqual([0, []])
    expect(await rowsOf(place.table)).toEqual([{ price: 1, name: 'b' }])
  })

  it('refuses exactly the items that do not fit, and says why', async () => {
    const place = fresh()
    await server.client.query(
      `CREATE TABLE "${place.table}" (n int UNIQUE DEFERRABLE INITIALLY DEFERRED, name varchar(6), price numeric(6,2) CHECK (price > 0), at date NOT NULL DEFAULT '2027-01-01')`,
    )
    const good = Array.from({ length: 40 }, (_, n) => ({ n, name: 'tea' }))
    const bad: readonly (readonly [number, unknown, RegExp])[] = [
      [3, { n: 100, name: 'longer than six' }, /value too long for type character varying\(6\)/],
      [7, { n: 2 ** 31 }, /out of range for type integer/],
      [8, { n: 1.5 }, /invalid input syntax for type integer/],
      [15, { n: 101, name: 'a\0b' }, /unsupported Unicode escape sequence/],
      [16, { n: 102, name: '\ud800' }, /Unicode/],
      [22, { n: 103, price: -1 }, /violates check constraint/],
      [23, { n: 104, price: 1e9 }, /numeric field overflow/],
      [24, { n: 105, at: null }, /null value in column "at"/],
      [31, { n: 106, at: '31 February' }, /invalid input syntax for type date/],
      [38, { n: 37 }, /duplicate key value/],
      [39, 'no object', /expected an object, got "no object"/],
    ]
    const values = good.map((value, n) => bad.find(([at]) => at === n)?.[1] ?? value)

    const { refused, failures } = await write(place, values)

    expect(failures).toEqual([])
    expect([...refused.keys()].sort()).toEqual(bad.map(([at]) => `${String(at + 1)}.0.0`).sort())
    for (const [at, , reason] of bad) expect(refused.get(`${String(at + 1)}.0.0`)).toMatch(reason)
    expect(await rowsOf(place.table)).toHaveLength(29)
  })

  it('is not the place for names of fields to do harm', async () => {
    const place = fresh()
    const names = ['"; DROP TABLE x; --', 'it\'s \\ " here', '__proto__', 'ctid', 'x'.repeat(70), 'extra', 'Größe', '']
    const item = JSON.parse(`{${names.map((name, n) => `${JSON.stringify(name)}: ${String(n)}`).join(',')}}`) as unknown

    const { refused, failures } = await write(place, [item, item])
    const [row] = await rowsOf(place.table)

    expect([refused.size, failures]).toEqual([0, []])
    expect(row).toEqual(
      JSON.parse(
        `{"\\"; DROP TABLE x; --":0,"it's \\\\ \\" here":1,"__proto__":2,"Größe":6,"extra":{"ctid":3,"${'x'.repeat(70)}":4,"extra":5,"":7}}`,
      ),
    )
  })
})
