// What healthy shops do, and no break is: sales at price points, two languages, products that move, sold-out ones, pages that are visited once.
import { describe, expect, it } from 'vitest'
import { judgeMove } from '../src/judge-page.ts'
import { HostPast } from '../src/host-past.ts'
import { OneHost, type Answer } from './one-host.ts'

const HOUR_MS = 3_600_000
const PAGES = 20
const POINTS = [9.99, 12.99, 14.99, 19.99, 24.99, 29.99, 39.99, 49.99]
const DELIVERY = 4.95

function lamp(sku: number, price: number | undefined, { lang = 'en', was = '' } = {}): Answer {
  const shown = price === undefined ? 'Sold out' : `${was}<b>€ ${price.toFixed(2)}</b>`
  return {
    body: `<html lang="${lang}"><title>Lamp ${sku} | Lights</title>${shown} Delivery € ${DELIVERY.toFixed(2)}`,
    items: price === undefined ? [] : [{ sku: `P-${sku}`, price }],
  }
}

/** Rounds over all pages, an hour each. */
class Rounds {
  readonly host = new OneHost()
  #hour = 0

  /** Returns how many pages were held. */
  round(shown: (page: number) => Answer, { pages = PAGES, from = 0 } = {}): number {
    this.#hour++
    const held = Array.from({ length: pages }, (_, n) => {
      return this.host.visit(from + n, shown(n), { at: this.#hour * HOUR_MS + n * 2_000 })
    })
    return held.filter(Boolean).length
  }

  rounds(times: number, shown: (page: number) => Answer, how?: { readonly pages?: number; readonly from?: number }): number {
    return Array.from({ length: times }, () => this.round(shown, how)).at(-1) ?? 0
  }
}

const place = (page: number): number => (page * 5 + (page >> 3)) % POINTS.length
const point = (page: number, lower = 0): number => POINTS[Math.max(0, place(page) - lower)] ?? 0

describe('a sale', () => {
  it('of all products, which cost what others did, is published', () => {
    const { host, ...shop } = withShop()
    const sale = (page: number): Answer => lamp(page, point(page, 1 + (page % 2)))
    shop.round(sale)

    expect(shop.round(sale)).toBe(0)
    expect(host.memory).toEqual({})
  })

  it('of products that cost the same, and still do, is none in which all values are equal', () => {
    const shop = new Rounds()
    shop.rounds(3, (page) => lamp(page, 19.99))
    shop.round((page) => lamp(page, 14.99))

    expect(shop.round((page) => lamp(page, 14.99))).toBe(0)
    expect(shop.host.memory).toEqual({})
  })

  it.each([
    ['crosses out what products were', true],
    ['does not', false],
  ])('that goes up and down is suspect unless it %s', (_, isCrossed) => {
    const { host, ...shop } = withShop()
    const was = (page: number): string => (isCrossed ? `<del>€ ${point(page).toFixed(2)}</del>` : '')
    shop.round((page) => lamp(page, POINTS[(place(page) + 3) % POINTS.length], { was: was(page) }))

    expect(host.memory.suspect === undefined).toBe(isCrossed)
  })
})

function withShop(): { host: OneHost; round: Rounds['round'] } {
  const shop = new Rounds()
  shop.rounds(3, (page) => lamp(page, point(page)))
  return { host: shop.host, round: (shown) => shop.round(shown) }
}

describe('a shop', () => {
  it.each([2, 10, 18])('of which %i pages are in another language than the first is well', (others) => {
    const shop = new Rounds()
    const price = (page: number, times: number): number => Math.round((50 + 7 * page) * times * 100) / 100
    const shown = (page: number, times: number): Answer =>
      lamp(page, price(page, times), { lang: page >= PAGES - others ? 'de' : 'en' })
    shop.rounds(3, (page) => shown(page, 1))
    for (let n = 0; n < 8; n++) shop.round((page) => shown(page, page % 8 === n ? 1.06 : 1))

    expect(shop.host.memory).toEqual({})
  })

  it('whose pages switch to another language is suspect', () => {
    const shop = new Rounds()
    shop.rounds(3, (page) => lamp(page, 50 + 7 * page, { lang: page >= 10 ? 'de' : 'en' }))
    shop.round((page) => lamp(page, 50 + 7 * page, { lang: 'fr' }))

    expect(shop.host.memory.suspect).toMatchObject({ kind: 'other language or currency' })
  })

  it('that moves all products to other addresses is well', () => {
    const shop = new Rounds()
    shop.rounds(3, (page) => lamp(page, 50 + 7 * page))

    expect(shop.round((page) => lamp(page, 50 + 7 * page), { from: 100 })).toBe(0)
    expect(shop.host.memory).toEqual({})
  })

  it.each([
    ['products', 0],
    ['new products', 50],
  ])('that moves all %s to addresses where the handler reads what delivery costs is suspect', (_, first) => {
    const shop = new Rounds()
    shop.rounds(3, (page) => lamp(page, 50 + 7 * page))
    const wrong = (page: number): Answer => ({ ...lamp(page, 60), items: [{ sku: `P-${first + page}`, price: DELIVERY }] })
    shop.rounds(3, wrong, { from: 100 })

    expect(shop.host.memory.suspect).toMatchObject({ kind: 'wrong element', after: DELIVERY })
    expect(shop.host.published).not.toContain(DELIVERY)
  })

  it('with new products that have no price yet is well', () => {
    const shop = new Rounds()
    shop.rounds(3, (page) => lamp(page, 50 + 7 * page))
    for (let page = 100; page < 108; page++) shop.host.visit(page, lamp(page, undefined), { at: 4 * HOUR_MS, rejects: 1 })

    expect(shop.host.memory).not.toHaveProperty('suspect')
  })

  it.each([2, 3])('of %i products, one of them sold out, publishes what the others cost', (pages) => {
    const shop = new Rounds()
    shop.rounds(4, (page) => lamp(page, 50 + 7 * page), { pages })
    const oneLess = (page: number): Answer => lamp(page, page === 0 ? undefined : 60 + 7 * page)

    shop.rounds(6, oneLess, { pages })

    expect(shop.host.memory).not.toHaveProperty('suspect')
    expect(shop.host.published.at(-1)).toBe(60 + 7 * (pages - 1))
  })

  it('with a page or two is judged by what it learned in other leases', () => {
    let text: string | undefined
    let past = new HostPast(undefined, 0)
    const host = new OneHost()
    const release = (): void => {
      text = past.changedText(true) ?? text
      past = new HostPast(text, 0)
      host.past = past
    }
    host.past = past
    for (let hour = 0; hour < 12; hour++) {
      for (const page of [0, 1]) host.visit(page, lamp(page, 30 + page), { at: hour * HOUR_MS })
      release()
    }

    expect(host.visit(0, lamp(0, 500), { at: 12 * HOUR_MS })).toBe(true)
    host.visit(1, lamp(1, 31), { at: 12 * HOUR_MS })
    expect(host.published).not.toContain(500)
  })

  it('of two lists that reads another wrong price at each visit publishes none of them', () => {
    const shop = new Rounds()
    shop.rounds(6, (page) => lamp(page, 30 + page), { pages: 2 })
    for (let n = 0; n < 12; n++) shop.round((page) => lamp(page, page === 0 ? 200 + 37 * n : 31), { pages: 2 })

    expect(Math.max(...shop.host.published)).toBe(31)
  })
})

describe('redirects', () => {
  it.each([
    ['https://shop.test/account/login?next=%2F', 'login wall'],
    ['https://shop.test/design-inspiration', undefined],
    ['https://authentic.test/lamps', undefined],
  ])('to %s are of the kind %s', (target, kind) => {
    const shop = new Rounds()
    shop.rounds(3, (page) => lamp(page, 50 + 7 * page))
    for (let page = 4; page < 8; page++) {
      judgeMove(shop.host.past, shop.host.memory, { id: page + 1, handler: 'start', url: `/${page}`, at: 4 * HOUR_MS, target })
    }

    expect(shop.host.memory.suspect?.kind).toBe(kind)
  })
})

it('pages that are visited once are published at once, beside a list that is visited again', () => {
  const host = new OneHost()
  const list = (hour: number): Answer => ({
    body: '<title>News</title>',
    items: Array.from({ length: 12 }, (_, n) => ({ sku: `A-${hour + n}`, price: hour + n })),
  })
  const held = Array.from({ length: 48 }, (_, hour) => [
    host.visit(0, list(hour), { at: hour * HOUR_MS }),
    ...[1, 2, 3].map((n) => host.visit(10 * hour + n, lamp(10 * hour + n, 5 + hour), { at: hour * HOUR_MS + n })),
  ])

  expect(held.flat()).not.toContain(true)
})
