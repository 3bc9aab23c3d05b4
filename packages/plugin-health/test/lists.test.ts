// Hosts with two lists, which have hardly other pages to bear them out.
import { beforeEach, describe, expect, it } from 'vitest'
import { BLOCKED, OneHost, type Answer } from './one-host.ts'

const HOUR_MS = 3_600_000
const EMPTY: Answer = { body: '<title>Chairs</title>Have a look at our other chairs.', items: [] }

function list(page: number, rate = 1): Answer {
  const items = Array.from({ length: 12 }, (_, n) => ({
    sku: `P-${page}-${n}`,
    price: Math.round((20 + 7 * n) * rate * 100) / 100,
  }))
  const rows = items.map(({ sku, price }) => `<li>${sku} <b>€ ${price.toFixed(2)}</b></li>`)
  return { body: `<title>Chairs ${page}</title><ul>${rows.join('')}</ul>`, items }
}

describe('a host with two lists', () => {
  let host: OneHost
  let hour: number
  /** Which of the two lists are held. */
  function round(...answers: readonly [Answer, Answer]): readonly boolean[] {
    hour++
    return answers.map((answer, page) => host.visit(page, answer, { at: hour * HOUR_MS + page * 1_000 }))
  }

  beforeEach(() => {
    host = new OneHost()
    hour = 0
    for (let n = 0; n < 4; n++) round(list(0), list(1))
  })

  it.each([
    ['blocked', BLOCKED],
    ['empty', EMPTY],
  ])('holds a list that is %s as often as it is, beside one that is well', (_, answer) => {
    const held = Array.from({ length: 12 }, () => round(answer, list(1))[0])

    expect(held).toEqual(held.map(() => true))
    expect(host.memory.suspect).toBeDefined()
  })

  it('is suspect where one shows another currency and no items, and the other one prices in it', () => {
    const crowns = (answer: Answer): string => answer.body.replaceAll('€ ', 'SEK ')
    round({ body: crowns(list(0, 11)), items: [] }, { ...list(1, 11), body: crowns(list(1, 11)) })

    expect(host.memory.suspect).toMatchObject({ kind: 'other language or currency', odd: 2, pages: 2 })
  })

  it('publishes nothing of what a list showed once', () => {
    round(list(0, 40), list(1))
    const held = [...round(list(0), list(1)), ...round(list(0), list(1))]

    expect(held).not.toContain(true)
    expect(Math.max(...host.published)).toBeLessThan(100)
    expect(host.memory).toEqual({})
  })

  it('publishes what a list shows twice, beside another that is well', () => {
    const held = Array.from({ length: 3 }, () => round(list(0, 40), list(1))[0])

    expect(held).toEqual([true, true, false])
    expect(Math.max(...host.published)).toBeGreaterThan(800)
  })

  it('is well where the rest of a list, on a page of its own, is sold out', () => {
    const rest = { ...list(2), items: list(2).items.slice(0, 2) }
    for (let n = 0; n < 4; n++) host.visit(2, rest, { at: (hour + n) * HOUR_MS + 2_000 })

    expect(Array.from({ length: 4 }, (_, n) => host.visit(2, EMPTY, { at: (hour + 4 + n) * HOUR_MS }))).not.toContain(true)
    expect(host.memory).toEqual({})
  })

  it('is suspect where one of them redirects to a login round after round', () => {
    for (let n = 0; n < 2; n++) {
      hour++
      host.move(0, 'https://shop.test/login', { at: hour * HOUR_MS })
    }

    expect(host.memory.suspect).toMatchObject({ kind: 'login wall', odd: 2 })
  })

  it('publishes a sale of both', () => {
    round(list(0, 0.7), list(1, 0.7))

    expect(round(list(0, 0.7), list(1, 0.7))).toEqual([false, false])
    expect(host.memory).toEqual({})
  })

  it('is well again two rounds after a break, with other prices', () => {
    for (let n = 0; n < 5; n++) round(BLOCKED, BLOCKED)
    expect(host.memory.suspect).toMatchObject({ kind: 'block page' })
    round(list(0, 0.9), list(1, 1.1))

    expect(round(list(0, 0.9), list(1, 1.1))).toEqual([false, false])
    expect(host.memory.suspect).toBeUndefined()
  })

  it('publishes new prices of all products where one of them says a word that none said before', () => {
    const [first, second] = [list(0, 0.9), list(1, 1.1)]
    const items = first.items.map((item, n) => ({ ...item, stock: n === 3 ? 'limited' : 'in stock' }))
    for (let n = 0; n < 4; n++)
      round({ ...list(0), items: list(0).items.map((item) => ({ ...item, stock: 'in stock' })) }, second)

    expect(round({ ...first, items }, second)).toEqual([false, false])
    expect(host.memory).toEqual({})
  })

  it('holds a list that has its first product in all places', () => {
    const [first, second] = [list(0), list(1)]
    const again = { ...first, items: first.items.map(() => first.items[0] ?? { sku: '' }) }

    expect([round(again, second)[0], round(again, second)[0]]).toEqual([true, true])
    expect(host.memory.suspect).toMatchObject({ kind: 'all values equal' })
  })

  it('takes lists whose items a plugin drops for well', () => {
    const [first, second] = [list(0), list(1)]
    const rounds = Array.from({ length: 4 }, (_, n) => [
      host.visit(0, { ...first, items: [] }, { at: (5 + n) * HOUR_MS, dropped: 12 }),
      host.visit(1, { ...second, items: second.items.slice(0, 2) }, { at: (5 + n) * HOUR_MS + 1_000, dropped: 10 }),
    ])

    expect(rounds.flat()).toEqual(rounds.flat().map(() => false))
    expect(host.memory).toEqual({})
  })
})

describe('a list of deals beside twelve products', () => {
  const DEALS = 99
  let host: OneHost
  let hour: number
  function product(page: number, price: number): Answer {
    const [item] = [{ sku: `P-${page}`, price, currency: 'EUR' }]
    return { body: `<title>Chair ${page}</title><b>€ ${price.toFixed(2)}</b>`, items: [item] }
  }
  /** Visits the list where it is given, then all products. */
  function round(deals: Answer | undefined, priceOf = (page: number) => 50 + page): void {
    hour++
    if (deals !== undefined) host.visit(DEALS, deals, { at: hour * HOUR_MS - 1_000, handler: 'deals' })
    for (let page = 0; page < 12; page++) host.visit(page, product(page, priceOf(page)), { at: hour * HOUR_MS + page * 1_000 })
  }

  beforeEach(() => {
    host = new OneHost()
    hour = 0
    for (let n = 0; n < 4; n++) round(list(9))
  })

  it('holds back no change of a product where it is empty once and never there again', () => {
    round(EMPTY)
    round(undefined, (page) => (page === 3 ? 31.5 : 50 + page))

    expect(host.published).toContain(31.5)
  })

  it('is not published with a product where it is held', () => {
    round(list(9, 40))
    round(undefined, (page) => (page === 3 ? 31.5 : 50 + page))

    expect(host.published).toContain(31.5)
    expect(Math.max(...host.published)).toBeLessThan(100)
  })
})
