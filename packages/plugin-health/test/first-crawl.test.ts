// A first crawl: no page has a past, and there may be no next round.
import { describe, expect, it } from 'vitest'
import { HostPast } from '../src/host-past.ts'
import { judgePage } from '../src/judge-page.ts'
import type { HealthMemory } from '../src/laws/witnesses.ts'

const FILLER = 'The chair of your home with a frame for the room. '

interface Answer {
  readonly body: string
  readonly items: readonly string[]
}

function product(n: number, fields: object = { price: 10 + n }): Answer {
  return { body: `<title>Chair ${n}</title>${FILLER.repeat(40)}`, items: [JSON.stringify({ sku: `P-${n}`, ...fields })] }
}

function list(n: number): Answer {
  return { body: `<title>Chairs ${n}</title><a href="/p/${n}">Chair</a>`, items: [] }
}

const blocked: Answer = { body: '<title>Access denied</title>You have been blocked.', items: [] }

/** Pages of a host with one handler, one after the other; which of them were held. */
function firstCrawl(answers: readonly Answer[]): { readonly held: readonly number[]; readonly memory: HealthMemory } {
  const past = new HostPast(undefined, 0)
  const memory: HealthMemory = {}
  const held = answers.flatMap(({ body, items }, n) => {
    const keys = items.map((item) => (JSON.parse(item) as { sku: string }).sku)
    const content = { id: n + 1, unchanged: false, items, keys, rejects: 0, body: Buffer.from(body) }
    const moment = { handler: 'start', url: `https://shop.test/${n}`, at: n * 100, hasMore: n < answers.length - 1 }
    return judgePage(past, memory, { ...content, ...moment }).hold === undefined ? [] : [n]
  })
  return { held, memory }
}

const products = Array.from({ length: 100 }, (_, n) => product(n))

describe('a first crawl', () => {
  it('holds nothing of a handler for lists and products whose lists come last', () => {
    const lists = Array.from({ length: 14 }, (_, n) => list(n))

    expect(firstCrawl([...products, ...lists, product(200)])).toEqual({ held: [], memory: {} })
  })

  it('holds nothing where the last products have no price', () => {
    const onRequest = Array.from({ length: 14 }, (_, n) => product(100 + n, { title: 'on request' }))

    expect(firstCrawl([...products, ...onRequest, product(200)])).toEqual({ held: [], memory: {} })
  })

  it('names a host suspect that blocks, and holds no page but those that do', () => {
    const { held, memory } = firstCrawl([...products, blocked, blocked, blocked, blocked, product(200), product(201)])

    expect(memory.suspect).toMatchObject({ kind: 'block page', odd: 3, pages: 3 })
    expect(held).toEqual([100, 101, 102, 103])
  })
})
