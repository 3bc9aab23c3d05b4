// A first crawl: no page has a past, and there may be no next round.
import { describe, expect, it } from 'vitest'
import { BLOCKED, OneHost, type Answer } from './one-host.ts'

const FILLER = 'The chair of your home with a frame for the room. '

function product(n: number, price?: number): Answer {
  const body = `<title>Chair ${n}</title>${FILLER.repeat(40)}`
  return { body, items: [{ sku: `P-${n}`, ...(price !== undefined && { price }) }] }
}

function list(n: number): Answer {
  return { body: `<title>Chairs ${n}</title><a href="/p/${n}">Chair</a>`, items: [] }
}

/** Which pages were held. */
function firstCrawl(host: OneHost, answers: readonly Answer[]): readonly number[] {
  return [...answers.entries()].flatMap(([n, answer]) => (host.visit(n, answer, { at: n * 100 }) ? [n] : []))
}

const products = Array.from({ length: 100 }, (_, n) => product(n, 10 + n))

describe('a first crawl', () => {
  it('holds nothing of a handler for lists and products whose lists come last', () => {
    const host = new OneHost()
    const lists = Array.from({ length: 14 }, (_, n) => list(n))

    expect([firstCrawl(host, [...products, ...lists, product(200, 5)]), host.memory]).toEqual([[], {}])
  })

  it('holds nothing where the last products have no price', () => {
    const host = new OneHost()
    const onRequest = Array.from({ length: 14 }, (_, n) => product(100 + n))

    expect([firstCrawl(host, [...products, ...onRequest]), host.memory]).toEqual([[], {}])
  })

  it('names a host suspect that blocks, and holds no page but those that do', () => {
    const host = new OneHost()
    const held = firstCrawl(host, [...products, BLOCKED, BLOCKED, BLOCKED, BLOCKED, product(200, 5), product(201, 5)])

    expect(host.memory.suspect).toMatchObject({ kind: 'block page', odd: 3, pages: 3 })
    expect(held).toEqual([100, 101, 102, 103])
  })

  it('is the past of pages that have answered 304 ever since', () => {
    const host = new OneHost()
    firstCrawl(host, products)
    for (const n of products.keys()) host.visit(n, product(n), { at: 3_600_000 + n * 100, unchanged: true })
    for (const n of products.keys()) host.visit(n, product(n, 100 * (10 + n)), { at: 7_200_000 + n * 100 })

    expect(host.memory.suspect).toMatchObject({ kind: 'wrong element', before: 10, after: 1_000, odd: 3, pages: 3 })
  })
})
