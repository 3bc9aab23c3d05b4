// Pages that stay odd in the same way on a host that is well otherwise: sold out, redirected, delisted.
import { beforeEach, describe, expect, it } from 'vitest'
import { BLOCKED, OneHost, type Answer } from './one-host.ts'

const HOUR_MS = 3_600_000
const SOLD_OUT: Answer = { body: '<title>Chair</title>Sold out.', items: [] }
const NO_PRICE: Answer = { body: '<title>Chair</title>', items: [{ sku: 'P' }] }
const HOME = 'https://shop.test/'
const LOGIN = 'https://shop.test/login'

type Shown = Answer | string | undefined

let host: OneHost
let hour: number
/** Visits all pages in an hour; of one that is odd, a text is where it leads. Counts pages after which the host was suspect, and pages that were held. */
function round(pages: number, oddOf: (page: number) => Shown): { suspect: number; held: number } {
  hour++
  const seen = { suspect: 0, held: 0 }
  for (let page = 0; page < pages; page++) {
    const moment = { at: hour * HOUR_MS + page * 2_000 }
    const odd = oddOf(page)
    const well = { body: `<title>Chair ${page}</title>`, items: [{ sku: `P-${page}`, price: 10 + page }] }
    if (typeof odd === 'string') host.move(page, odd, moment)
    else if (host.visit(page, odd ?? well, moment)) seen.held++
    if (host.memory.suspect !== undefined) seen.suspect++
  }
  return seen
}

const first =
  (count: number, shown: Shown) =>
  (page: number): Shown =>
    page < count ? shown : undefined
const none = (): Shown => undefined

beforeEach(() => {
  host = new OneHost()
  hour = 0
})

describe.each([20, 100])('a shop of %i products', (pages) => {
  beforeEach(() => {
    for (let n = 0; n < 4; n++) round(pages, none)
  })

  it.each([
    ['redirect', HOME],
    ['are sold out and have no item', SOLD_OUT],
  ])('is not suspect where three neighbours %s, and holds nothing after two rounds', (_, shown) => {
    const rounds = Array.from({ length: 12 }, () => round(pages, first(3, shown)))

    expect(rounds.every(({ suspect }) => suspect === 0)).toBe(true)
    expect(rounds.slice(2).every(({ held }) => held === 0)).toBe(true)
    expect(host.memory).toEqual({})
  })

  it('is suspect within a round in which all pages redirect, to a login by the third', () => {
    const toLogin = round(pages, first(pages, LOGIN))

    expect(toLogin.suspect).toBe(pages - 2)
    expect(host.memory.suspect).toMatchObject({ kind: 'login wall', odd: 3 })
  })

  it('is suspect within a round in which all pages redirect to the front page, or have no items', () => {
    round(pages, first(pages, HOME))
    const moved = host.memory.suspect
    round(pages, none)
    round(pages, none)
    const between = host.memory.suspect
    round(pages, first(pages, SOLD_OUT))

    expect([moved?.kind, between, host.memory.suspect?.kind]).toEqual(['empty list', undefined, 'empty list'])
  })
})

describe('a suspect host', () => {
  beforeEach(() => {
    for (let n = 0; n < 4; n++) round(100, none)
  })

  it('is suspect once for three neighbours that lost their price for good', () => {
    const rounds = Array.from({ length: 12 }, () => round(100, first(3, NO_PRICE)))

    expect(rounds[0]?.suspect).toBeGreaterThan(0)
    expect(rounds.slice(1).every(({ suspect }) => suspect === 0)).toBe(true)
    expect(host.memory).toEqual({})
  })

  it('is well again beside pages that stay odd', () => {
    const three = first(3, HOME)
    for (let n = 0; n < 2; n++) round(100, three)
    round(100, (page) => three(page) ?? BLOCKED)
    const broken = host.memory.suspect
    for (let n = 0; n < 2; n++) round(100, three)

    expect(broken?.kind).toBe('block page')
    expect(host.memory).toEqual({})
  })

  it('stays suspect as long as a third of its pages are odd, however many in a row are well', () => {
    const rounds = Array.from({ length: 6 }, () => round(100, first(33, NO_PRICE)))

    expect(rounds.slice(1).every(({ suspect }) => suspect === 100)).toBe(true)
  })

  it('is suspect again for pages that were well in between', () => {
    round(100, first(3, NO_PRICE))
    round(100, none)
    const between = host.memory.suspect

    expect([between, round(100, first(3, NO_PRICE)).suspect > 0]).toEqual([undefined, true])
  })
})
