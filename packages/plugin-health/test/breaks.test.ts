// Breaks of shops are noticed by the third page, named, and nothing wrong is published; shops that are well are left alone.
import { describe, expect, it } from 'vitest'
import { judgeMove } from '../src/judge-page.ts'
import type { BreakKind } from '../src/laws/page-evidence.ts'
import { OneHost } from './one-host.ts'
import { live, seeded, shopOf, Watched } from './shop-world.ts'

const HOUR_MS = 3_600_000
const PAGES = 20
const VARIANTS: readonly (readonly [BreakKind, number])[] = [
  ['field missing', 3],
  ['wrong element', 5],
  ['block page', 3],
  ['empty list', 2],
  ['other language or currency', 3],
  ['login wall', 3],
  ['all values equal', 3],
]

/** A shop after eight healthy hours. */
function healthy(seed: number): { readonly shop: Watched; readonly random: () => number } {
  const random = seeded(seed)
  const shop = new Watched(shopOf(random, PAGES))
  for (let hour = 0; hour < 8; hour++) {
    for (let page = 0; page < PAGES; page++) shop.visit(page, hour * HOUR_MS + page * 2_000)
    shop.release()
    live(shop.shop, random)
  }
  return { shop, random }
}

/** A shop after three rounds, a lamp on each page. */
function lamps(first = (page: number): number => 50 + page): {
  readonly host: OneHost
  /** Returns how many pages were held. */
  readonly round: (hour: number, price: (page: number) => number, stock?: string) => number
} {
  const host = new OneHost()
  const round = (hour: number, price: (page: number) => number, stock = 'in stock'): number => {
    const pages = Array.from({ length: PAGES }, (_, page) =>
      host.visit(
        page,
        { body: `<title>Lamp ${page}</title>`, items: [{ sku: `P-${page}`, price: price(page), currency: 'EUR', stock }] },
        { at: hour * HOUR_MS + page * 2_000 },
      ),
    )
    return pages.filter(Boolean).length
  }
  for (let hour = 0; hour < 3; hour++) round(hour, first)
  return { host, round }
}

describe('breaks', () => {
  it.each(VARIANTS)('%s: is noticed within a round, named, and nothing wrong is published', (kind, variants) => {
    const seeds = Array.from({ length: 20 }, (_, n) => n)
    const seen = seeds.map((seed) => {
      const { shop } = healthy(seed * 7919)
      for (let page = 0; page < PAGES; page++)
        shop.visit(page, 8 * HOUR_MS + page * 2_000, { broken: { kind, variant: seed % variants, value: 19.99 } })
      return { kind: shop.memory.suspect?.kind, wrong: shop.wrong }
    })

    expect(seen.map(({ wrong }) => wrong)).toEqual(seeds.map(() => 0))
    expect(seen.filter((each) => each.kind !== undefined).length).toBeGreaterThanOrEqual(19)
    expect(seen.filter((each) => each.kind === kind).length).toBeGreaterThanOrEqual(18)
  })

  it('publishes nothing of a break that has every other page', () => {
    const { shop } = healthy(4)
    for (let page = 0; page < PAGES; page++)
      shop.visit(
        page,
        8 * HOUR_MS + page * 2_000,
        page % 2 === 0 ? { broken: { kind: 'field missing', variant: 0, value: 0 } } : {},
      )

    expect(shop.wrong).toBe(0)
    expect(shop.memory.suspect).toMatchObject({ kind: 'field missing', field: 'price' })
  })

  it('publishes nothing of a break that shows the prices of other products on three of four pages', () => {
    const wrong = Array.from({ length: 20 }, (_, seed) => {
      const { shop } = healthy(seed * 104_729)
      for (let page = 0; page < PAGES; page++) {
        const value = shop.shop.products[(page + 3) % PAGES]?.price ?? 0
        shop.visit(
          page,
          8 * HOUR_MS + page * 2_000,
          page % 4 > 0 ? { broken: { kind: 'all values equal', variant: 0, value } } : {},
        )
      }
      return shop.wrong
    })

    expect(wrong).toEqual(wrong.map(() => 0))
  })

  it('takes a shop in which all is sold out for a shop on holiday', () => {
    const { shop } = healthy(3)
    for (const product of shop.shop.products) product.inStock = false
    for (let page = 0; page < PAGES; page++) shop.visit(page, 8 * HOUR_MS + page * 2_000)

    expect(shop.memory.suspect).toBeUndefined()
    expect(shop.held.size).toBeLessThan(4)
  })

  it('takes products that come to cost the same, two and two, for no break', () => {
    const { round, host } = lamps()
    round(3, (page) => 60 + Math.floor(page / 2))

    expect(host.memory.suspect).toBeUndefined()
  })

  it('notices a break of a shop that has been on holiday for a day', () => {
    const { round, host } = lamps()
    for (let hour = 3; hour < 27; hour++) round(hour, (page) => 50 + page, 'sold out')
    const holiday = host.memory.suspect
    round(27, (page) => 5 + page / 10, 'sold out')

    expect(holiday).toBeUndefined()
    expect(host.memory.suspect).toMatchObject({ kind: 'wrong element', field: 'price', odd: 3, pages: 3 })
  })

  it('hold a new page too that has the currency of a break', () => {
    const { host } = lamps()
    const lamp = (page: number, at: number): boolean =>
      host.visit(
        page,
        { body: '<title>Lamp</title>', items: [{ sku: `P-${page}`, price: 50 + page, currency: 'CHF', stock: 'in stock' }] },
        { at: 3 * HOUR_MS + at },
      )

    expect(Array.from({ length: 4 }, (_, n) => lamp(n === 0 ? PAGES : n, n * 1_000))).toEqual([true, true, true, true])
    expect(host.memory.suspect).toMatchObject({ kind: 'other language or currency' })
  })

  it('does not publish the first page of a break with what an odd page an hour ago was held for', () => {
    const { host } = lamps()
    const lamp = (hour: number, page: number, price: number): boolean =>
      host.visit(
        page,
        { body: '<title>Lamp</title>', items: [{ sku: `P-${page}`, price, currency: 'EUR', stock: 'in stock' }] },
        { at: hour * HOUR_MS + page * 2_000 },
      )
    lamp(3, 12, 5)
    for (let page = 13; page < PAGES; page++) lamp(3, page, 50 + page)

    expect([lamp(4, 0, 65), lamp(4, 1, 51), lamp(4, 2, 65), lamp(4, 3, 65)]).toEqual([true, false, true, true])
    expect(Object.keys(host.memory.held ?? {})).toEqual(['start'])
    expect(host.memory.held?.['start']).toMatchObject({ pages: 12 })
  })

  it('holds what a new page says right after an odd one', () => {
    const { host } = lamps()
    const lamp = (page: number, at: number): boolean =>
      host.visit(page, { body: '<title>Lamp</title>', items: [{ sku: `P-${page}` }] }, { at: 3 * HOUR_MS + at })

    expect([lamp(0, 0), lamp(PAGES, 1_000)]).toEqual([true, true])
  })

  it('publishes a small change at once after four pages that are as they were', () => {
    const { shop } = healthy(1)
    const [product] = shop.shop.products.slice(4)
    if (product) product.price *= 0.9
    for (let page = 0; page < 5; page++) shop.visit(page, 8 * HOUR_MS + page * 2_000)

    expect([shop.memory, shop.held.size]).toEqual([{}, 0])
  })

  it('takes redirects of known pages to a login for a login wall, and of one page for none', () => {
    const { shop } = healthy(6)
    const moves = [1, 2, 3].map((id) => {
      judgeMove(shop.past, shop.memory, {
        id,
        handler: 'product',
        url: `https://shop.test/${id}`,
        at: 8 * HOUR_MS,
        target: 'https://shop.test/login',
      })
      return shop.memory.suspect?.kind
    })

    expect(moves).toEqual([undefined, undefined, 'login wall'])
  })

  it('goes on by itself after a round that is as before', () => {
    const { shop } = healthy(5)
    const round = (hour: number, variant?: number): void => {
      for (let page = 0; page < PAGES; page++)
        shop.visit(
          page,
          hour * HOUR_MS + page * 2_000,
          variant === undefined ? {} : { broken: { kind: 'login wall', variant, value: 0 } },
        )
      shop.release()
    }
    round(8, 0)
    const broken = shop.memory.suspect
    round(9)

    expect(broken).toBeDefined()
    expect(shop.memory).toEqual({})
    expect([shop.held.size, shop.wrong]).toEqual([0, 0])
  })

  it('raises no alarm over 40 healthy shops in three days with sales, layouts that take turns, and pages that are left out', () => {
    let [alarms, changes, wrong, held] = [0, 0, 0, 0]
    const late: number[] = []
    for (let seed = 0; seed < 40; seed++) {
      const random = seeded(100_000 + seed)
      const shop = new Watched(shopOf(random, PAGES))
      for (let hour = 0; hour < 72; hour++) {
        for (let page = 0; page < PAGES; page++)
          if (random() > 0.01) shop.visit(page, hour * HOUR_MS + page * 1_500, { layout: random() < 0.3 ? 1 : 0 })
        if (shop.memory.suspect !== undefined) alarms++
        shop.release()
        live(shop.shop, random)
      }
      changes += shop.changes
      wrong += shop.wrong
      held += shop.held.size
      late.push(...shop.delays.filter((delay) => delay > 10_000))
    }

    expect([alarms, wrong]).toEqual([0, 0])
    expect(changes).toBeGreaterThan(500)
    expect(held).toBeLessThan(10)
    expect(late.length / changes).toBeLessThan(0.08)
  })

  it('are noticed where each page has what another product costs', () => {
    const price = (page: number): number => Math.round(1_000 * 1.06 ** page) / 100
    const { host, round } = lamps(price)

    expect(round(3, (page) => price((7 * page + 3) % PAGES))).toBe(PAGES)
    expect(host.memory.suspect?.kind).toBe('wrong element')
  })

  it('hold a new page in a currency that no other has', () => {
    const { host, round } = lamps()
    const lamp = (currency: string) => ({
      body: '<title>Lamp</title>',
      items: [{ sku: 'P-20', price: 70, currency, stock: 'in stock' }],
    })
    const at = 3 * HOUR_MS

    host.visit(PAGES, lamp('EUR'), { at })
    expect(round(3, (page) => 50 + page)).toBe(0)
    expect(host.visit(PAGES + 1, lamp('GBP'), { at: at + HOUR_MS })).toBe(true)
    expect(round(4, (page) => 50 + page)).toBe(0)
    expect(host.memory).not.toHaveProperty('suspect')
  })

  it('publish no new page that comes right before them', () => {
    const { host, round } = lamps()
    host.visit(PAGES, { body: '<title>Lamp</title>', items: [{ sku: 'P-20', price: 7_000 }] }, { at: 3 * HOUR_MS - 1_000 })
    round(3, (page) => 100 * (50 + page))

    expect(host.memory.suspect).toBeDefined()
    expect(host.published).not.toContain(7_000)
  })

  it('publish no three prices that have doubled, before others have not', () => {
    const { host, round } = lamps()
    round(3, (page) => (page < 3 ? 2.1 * (50 + page) : 0.04 * page))

    expect(host.memory.suspect).toBeDefined()
    expect(Math.max(...host.published)).toBeLessThan(100)
  })
})

describe('a new page', () => {
  const lamp = (page: number) => ({ body: '<title>Lamp</title>', items: [{ sku: `P-${page}`, price: 70 }] })

  it('is published as soon as others are as they were', () => {
    const { host, round } = lamps()
    const held = host.visit(PAGES, lamp(PAGES), { at: 3 * HOUR_MS - 1_000 })
    round(3, (page) => 50 + page)

    expect([held, host.published.includes(70), host.memory]).toEqual([true, true, {}])
  })

  it('is published with seven others where nothing else is visited', () => {
    const { host } = lamps()
    const held = Array.from({ length: 8 }, (_, n) => host.visit(PAGES + n, lamp(PAGES + n), { at: (3 + n) * HOUR_MS }))

    expect(held).toEqual([true, true, true, true, true, true, true, false])
    expect(host.memory).toEqual({})
  })
})
