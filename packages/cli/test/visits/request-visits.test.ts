// What the visits of a request brought, read from a store, with the moments that are known.
import { crawl, memoryFrontier, spider } from 'avocet'
import type { Frontier, RequestRecord } from '@avocet/core/store'
import { journal } from '@avocet/plugin-journal'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { requestVisits, type RequestVisits } from '../../src/visits/request-visits.ts'
import { VisitMoments } from '../../src/visits/visit-lines.ts'
import { PAGE_URL, visitedStore, type Brought } from './visited-store.ts'

const HOUR_MS = 3_600_000
const BOUNDS = { changes: 50, fields: 500 }

async function visitsIn(
  { reader }: Frontier,
  url: string = PAGE_URL,
  now: number = 1e12,
  bounds = BOUNDS,
): Promise<RequestVisits> {
  const [request] = (await reader.requests({ url })) as [RequestRecord]
  return requestVisits(request, { reader, bounds, moments: new VisitMoments(reader, now) })
}

/** `3: 5 -> 4`, `1-2 alike`, `0 oldest`. */
function shown({ lines }: RequestVisits): string[] {
  return lines.map((line) => {
    if (line.kind === 'oldest') return `${line.visit} oldest`
    if (line.kind === 'alike') return `${line.first}-${line.last} alike`
    return `${line.visit}: ${line.items[0]?.fields.map(({ before, after }) => `${before} -> ${after}`).join(', ')}`
  })
}

describe('the visits of a request', () => {
  it('tell what changed, what the newest one brought, and how many there were', async () => {
    const found = await visitsIn(await visitedStore([[{ name: 'tea', price: 5 }], [{ name: 'tea', price: 4 }], []]))

    expect(shown(found)).toEqual(['2-2 alike', '1: 5 -> 4', '0 oldest'])
    expect(found).toMatchObject({
      ...{ requestId: 1, visits: 3, hasOlder: false, stamps: [] },
      latest: {
        visit: 1,
        items: [
          {
            kind: 'new',
            title: null,
            fields: [
              { path: 'name', after: 'tea' },
              { path: 'price', after: '4' },
            ],
          },
        ],
      },
    })
  })

  it.each<[string, readonly Brought[], readonly string[]]>([
    ['of a page that waits for its first one are none', [], []],
    ['of a page that was visited once are that one', [[{ price: 5 }]], ['0 oldest']],
    ['of a page that brought nothing are alike', [[]], ['0-0 alike']],
    [
      'of a page that was gone meanwhile compare what is there again',
      [
        [{ price: 5 }],
        { kind: 'failed', reason: 'http-404', fetched: { at: 1, status: 404, durationMs: 1, wireBytes: 1 } },
        [{ price: 6 }],
      ],
      ['2: 5 -> 6', '1-1 alike', '0 oldest'],
    ],
    ['compare items that are no objects', [['tea'], ['coffee']], ['1: tea -> coffee', '0 oldest']],
  ])('%s', async (_what, visits, expected) => {
    expect(shown(await visitsIn(await visitedStore(visits)))).toEqual(expected)
  })

  it('are said to be older where their items were removed, and not to have brought nothing', async () => {
    const store = await visitedStore([[{ price: 5 }], [{ price: 4 }], [{ price: 3 }]])
    const wish = { itemsMs: 3_600_000, upToSeq: 2, afterSeq: 0 }
    await store.prune?.({ ...wish, now: 1e9 })
    await store.prune?.({ ...wish, now: 2e9 })

    const found = await visitsIn(store)
    expect(shown(found)).toEqual(['2 oldest'])
    expect(found.hasOlder).toBe(true)
  })

  it('are read back through 10,000 of them to the one that changed something', async () => {
    const store = await visitedStore(Array.from({ length: 10_000 }, (_, round) => [{ price: round < 4 ? 5 : 4 }]))

    expect(shown(await visitsIn(store))).toEqual(['5-9999 alike', '4: 5 -> 4', '1-3 alike', '0 oldest'])
  })

  it('are read until there are as many changes as are wanted', async () => {
    const store = await visitedStore(Array.from({ length: 300 }, (_, price) => [{ price }]))

    const found = await visitsIn(store, PAGE_URL, 1e12, { changes: 120, fields: 500 })
    expect([found.lines.length, found.lines.at(-1), found.hasOlder]).toMatchObject([121, { kind: 'oldest', visit: 179 }, true])
  })

  it('of 100 kB each are read as far as 4 MB go', async () => {
    const store = await visitedStore(Array.from({ length: 60 }, (_, price) => [{ price, text: 'x'.repeat(100 * 1024) }]))

    const found = await visitsIn(store)
    expect(shown(found).slice(-2)).toEqual(['12: 11 -> 12', '11 oldest'])
    expect(found.hasOlder).toBe(true)
    expect(JSON.stringify(found).length).toBeLessThan(30_000)
  })

  it('with many items each are compared as a whole', async () => {
    const many = Array.from({ length: 250 }, (_, sku) => ({ sku, price: 1 }))

    const found = await visitsIn(await visitedStore([many, many, many.with(3, { sku: 3, price: 2 })]))
    expect(shown(found)).toEqual(['2: 1 -> 2', '1-1 alike', '0 oldest'])
  })
})

describe('the moments of visits', () => {
  it('are known of the last page alone where the crawl has no history', async () => {
    const { lines } = await visitsIn(await visitedStore([[{ price: 5 }], [{ price: 4 }], [{ price: 3 }]]))

    expect(lines.map(({ moment }) => moment)).toEqual([{ from: 2 * HOUR_MS, to: 2 * HOUR_MS }, null, null])
  })

  it('are told by the history of the crawl, and the visit was within them', async () => {
    const { frontier, clock } = await shopAfter(60)
    const urls = (await frontier.reader.requests({ handler: 'product', limit: 9 })).map(({ url }) => url)
    expect(urls).toHaveLength(4)
    for (const url of urls) {
      const [{ id }] = (await frontier.reader.requests({ url })) as [RequestRecord]
      const found = await visitsIn(frontier, url, clock.now())
      const items = await frontier.reader.itemsOfRequest({ requestId: id, limit: 99 })
      const at = new Map(items.map(({ visit = 0, json }) => [visit, (JSON.parse(json) as { at: number }).at]))

      expect(found.stamps).toEqual(['at'])
      const changed = found.lines.filter(({ kind }) => kind === 'changed')
      expect(changed.length).toBeGreaterThan(20)
      for (const line of changed) {
        const { visit, moment } = line as { visit: number; moment: { from: number; to: number } }
        const fetchedAt = at.get(visit) ?? NaN
        // It is stored some milliseconds after it was fetched.
        expect(moment.from).toBeLessThanOrEqual(fetchedAt + 1_000)
        expect(moment.to).toBeGreaterThanOrEqual(fetchedAt)
        expect(moment.to - moment.from).toBeLessThanOrEqual(HOUR_MS / 2)
      }
    }
  })

  it('of items whose numbers are later than those of newer visits are not known', async () => {
    const { frontier, clock } = await shopAfter(2)
    const [newest, now] = [clock.now() - 1, clock.now()]
    const of = await new VisitMoments(frontier.reader, now).of([
      { visit: 2, seq: 2, fetchedAt: newest },
      { visit: 1, seq: 3 },
      { visit: 0, seq: 1 },
    ])

    expect([of(2), of(1)]).toEqual([{ from: newest, to: newest }, null])
    expect(of(0)?.to).toBeLessThan(now - HOUR_MS / 2)
  })
})

/** A shop whose four prices change in most hours, visited hourly for so long. */
async function shopAfter(hours: number): Promise<{ readonly frontier: Frontier; readonly clock: VirtualClock }> {
  const prices = { everyMs: HOUR_MS, ratio: 0.7, validator: 'none' } as const
  const model = siteModel({
    seed: 'visits',
    hosts: [{ name: 'shop.test', pages: { kind: 'shop', products: 4, categories: 1, prices } }],
  })
  const [clock, frontier] = [new VirtualClock(), memoryFrontier()]
  const watch = spider({
    name: 'watch',
    seeds: model.seeds(),
    handlers: {
      *start(page) {
        yield* page.links('a.category')
        yield* page.links('a.product', { handler: 'product' })
      },
      *product(page) {
        yield { price: page.text('.price'), at: page.fetchedAt }
      },
    },
  })
  const run = crawl({
    ...{ policies: [], plugins: [journal()], spider: watch, frontier, clock, fetcher: simulatedWeb(model, { clock }) },
    ...{ recrawl: [{ everyMs: HOUR_MS, match: 'product' }], maxTimeMs: hours * HOUR_MS },
  })
  await clock.run(() => run.run())
  return { frontier, clock }
}
