// What of an item counts as a change, and what is said of items that cannot be watched.
import { assert, constantFrom, nat, property, record } from 'fast-check'
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

/** An amount as a shop may write it, in one of the notations of the world; of few digits, so that many look alike. */
const written = record({
  digits: constantFrom(1, 15, 125, 1_299),
  zeros: nat(6),
  decimals: nat(3),
  notation: constantFrom(',.', '.,', ' ,', "'.", '’.', '.', ','),
  currency: constantFrom('€', 'EUR', '$', 'USD', '¥', 'JPY', 'CNY', 'KWD', 'kr', ''),
  place: constantFrom('before', 'before ', 'behind', ' behind'),
}).map(({ digits, zeros, decimals, notation, currency, place }) => {
  const thousandths = digits * 10 ** zeros
  const [whole = '', rest = ''] = (Math.floor(thousandths / 10 ** (3 - decimals)) / 10 ** decimals).toFixed(decimals).split('.')
  const group = notation.length === 1 ? '' : notation.charAt(0)
  const number = [whole.replaceAll(/\B(?=(?:\d{3})+$)/g, group), ...(rest === '' ? [] : [rest])].join(notation.slice(-1))
  const text = place.startsWith('before') ? `${currency}${place.slice(6)}${number}` : `${number}${place.slice(0, -6)}${currency}`
  return { text: text.trim(), amount: `${Number(`${whole}.${rest}`)} ${currency === '€' ? 'EUR' : currency}` }
})

describe('the value of a watched item', () => {
  it.each<[string, Json, Json]>([
    ['trailing zeros of a text', '12.50', 12.5],
    ['white space', ' in \n stock ', 'in stock'],
    ['the order of keys', { a: 1, b: { c: '2.0', d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
  ])('is the same for %s', (_what, a, b) => {
    const { valueOf } = watching()
    expect(valueOf(a)).toBe(valueOf(b))
  })

  it.each<[string, Json, Json]>([
    ['a number', 12.5, 12.6],
    ['a text that begins with zeros', '0012', '12'],
    ['a place in a list', [1, 2], [2, 1]],
    ['nothing', null, 0],
  ])('differs for another %s', (_what, a, b) => {
    const { valueOf } = watching()
    expect(valueOf(a)).not.toBe(valueOf(b))
  })

  it.each<[string, Json]>([
    ['12.50', 12.5],
    ['-3', -3],
    ['€ 12.50', '12.5 EUR'],
    ['12,50 EUR', '12.5 EUR'],
    ['EUR12.5', '12.5 EUR'],
    ['1.299,00 €', '1299 EUR'],
    ['€1,299.00', '1299 EUR'],
    ['1\u00a0299 €', '1299 EUR'],
    ["CHF 1'299.90", '1299.9 CHF'],
    ['1’299.9 CHF', '1299.9 CHF'],
    ['1.299.000 €', '1299000 EUR'],
    ['$5', '5 $'],
  ])('of %s is %s', (text, value) => {
    expect(watching().valueOf(text)).toBe(JSON.stringify({ price: value }))
  })

  it.each([
    ...['1.299', '0012', '1e3', '1,50', '+5', '123456789012345678'],
    ...['1,599 €', '€1.599', 'KWD 1.250', '3 99 €', '1,29,999 ₹', '1,299,00 €', '1.299.00 €', '12.345,678 €', '012 €'],
    ...['USB 3.10', 'TOP 10', 'US$ 5', 'CHF 12.-', '12 kr', '1’299', '5 € 6', '€ 5 EUR', '€5 - €9', '€', 'ab 5 €'],
  ])('of %s is the text as it is', (text) => {
    expect(watching().valueOf(text)).toBe(JSON.stringify({ price: text }))
  })

  it('never is the same for two amounts', () => {
    const { valueOf } = watching()

    assert(
      property(written, written, (a, b) => {
        if (a.text !== b.text && a.amount !== b.amount) expect(valueOf(a.text)).not.toBe(valueOf(b.text))
      }),
      { numRuns: 5_000 },
    )
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
