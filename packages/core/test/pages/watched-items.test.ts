// What of an item counts as a change, and what is said of items that cannot be watched.
import { describe, expect, it } from 'vitest'
import { Holding } from '../../src/hooks/holding.ts'
import { Watch } from '../../src/pages/watched-items.ts'
import type { Json } from '../../src/values/json.ts'

const URL = 'https://shop.example/tea'
const plain = { rejects: [], holding: undefined, isUnchanged: false }

function watching(watch = ['price']) {
  const problems: string[] = []
  const one = new Watch({ key: 'sku', watch, goneAfterVisits: 2 }, (message) => problems.push(message))
  const left = (...items: Json[]) =>
    one.watchedOf(
      items.map((item) => ({ json: JSON.stringify(item) })),
      URL,
    )
  return { one, problems, left, valueOf: (price: Json) => left({ sku: 1, price }).items[0]?.watched?.value }
}

describe('the value of a watched item', () => {
  it.each<[string, Json, Json]>([
    ['trailing zeros of a text', '12.50', 12.5],
    ['white space', ' in \n stock ', 'in stock'],
    ['the place of a currency', '€ 12.50', '12.50 €'],
    ['its code for its sign', 'EUR 12.50', '€12.5'],
    ['separators', '1.299,00 €', '€1,299.00'],
    ['the order of keys', { a: 1, b: { c: '2.0', d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
  ])('is the same for %s', (_what, a, b) => {
    const { valueOf } = watching()
    expect(valueOf(a)).toBe(valueOf(b))
  })

  it.each<[string, Json, Json]>([
    ['a number', 12.5, 12.6],
    ['a currency', '12.50 €', '12.50 $'],
    ['a text that begins with zeros', '0012', '12'],
    ['a place in a list', [1, 2], [2, 1]],
    ['nothing', null, 0],
    ['decimals', '1.299 €', '1.29 €'],
  ])('differs for another %s', (_what, a, b) => {
    const { valueOf } = watching()
    expect(valueOf(a)).not.toBe(valueOf(b))
  })

  it('is made of the watched fields alone', () => {
    const { left } = watching(['price', 'stock'])
    expect(left({ sku: ' T-1 ', token: 'x', stock: 3, price: '4.0' }).items[0]?.watched).toEqual({
      key: 'T-1',
      value: '{"price":4,"stock":3}',
    })
  })
})

describe('an item', () => {
  it('without its key is kept and not watched, and its page lacks nothing', () => {
    const { one, problems, left } = watching()
    const all = left({ skuu: 1, price: 3 }, { sku: 2, price: 3 })

    expect(all.items.map(({ watched }) => watched?.key)).toEqual([undefined, '2'])
    expect(one.pageOf(all, plain)).toEqual({ shows: 'some' })
    expect(problems).toEqual([expect.stringContaining("got none (did you mean 'skuu'?) on https://shop.example/tea")])
  })

  it('whose key comes twice on a page is watched once', () => {
    const { one, problems, left } = watching()
    const all = left({ sku: 1, price: 3 }, { sku: 1, price: 4 })

    expect(all.items.map(({ watched }) => watched?.value)).toEqual(['{"price":3}', undefined])
    expect(one.pageOf(all, plain)).toEqual({ shows: 'all', goneAfterVisits: 2 })
    expect(problems).toEqual([expect.stringContaining("yields the key '1' twice")])
  })

  it('that lacks a watched field is said once', () => {
    const { problems, left } = watching(['prize'])
    left({ sku: 1, price: 3 }, { sku: 2, price: 3 })

    expect(problems).toEqual([
      expect.stringMatching(/field 'prize', which items\.watch names, got none on .*did you mean 'price'/),
    ])
  })
})

describe('a page', () => {
  it('lacks nothing where items of it were refused or are held, and repeats itself where it is as it was', () => {
    const { one, left } = watching()
    const all = left({ sku: 1, price: 3 })
    const holding = new Holding()
    holding.hold('odd')

    expect(one.pageOf(all, { ...plain, rejects: [{}] })).toEqual({ shows: 'some' })
    expect(one.pageOf(all, { ...plain, holding })).toEqual({ shows: 'some' })
    expect(one.pageOf(all, { ...plain, isUnchanged: true })).toEqual({ shows: 'unchanged', goneAfterVisits: 2 })
  })
})
