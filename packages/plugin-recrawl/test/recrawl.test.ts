// Pages that are visited again and again: on time, by conditional requests, told apart, over kills, and to the end that is asked for.
import type { Fetcher, Frontier, Outcome } from '@avocet/core/store'
import { simulatedWeb, type SimulatedWeb, siteModel, type SiteModel, VirtualClock } from '@avocet/simulator'
import {
  AvocetError,
  crawl,
  type CrawlConfig,
  type CrawlReport,
  memoryFrontier,
  type Page,
  type RecrawlRule,
  type Request,
  spider,
  type Spider,
} from 'avocet'
import { describe, expect, it } from 'vitest'
import { recrawl as recrawlPolicy } from '../src/recrawl.ts'
import { type EndedVisit, matchingRule, nextVisit, voteAfter } from '../src/visits.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** One shop of six products, in one category; prices change each hour, half of them at a time. */
function shop(validator: 'etag' | 'last-modified' | 'none' = 'etag'): SiteModel {
  const prices = { everyMs: HOUR_MS, ratio: 0.5, validator }
  return siteModel({
    seed: 'recrawl',
    hosts: [{ name: 'shop.test', pages: { kind: 'shop', products: 6, categories: 1, prices } }],
  })
}

interface Look {
  readonly visit: number
  readonly changed: Page['changed']
  readonly price?: number
}

const looks: Spider<Look> = spider({
  name: 'looks',
  seeds: ['http://shop.test/'],
  handlers: {
    *start(page) {
      yield* page.links('a.category')
      yield* page.links('a.product', { handler: 'product' })
    },
    *product(page) {
      yield { visit: page.visit, changed: page.changed, price: Number(page.text('.price')) }
    },
  },
})

interface Run {
  readonly report: CrawlReport
  readonly web: SimulatedWeb
  readonly items: readonly { readonly url: string; readonly look: Look }[]
}

/** Crawls for so many virtual hours. */
async function run(model: SiteModel, hours: number, config: Partial<CrawlConfig> = {}): Promise<Run> {
  const clock = new VirtualClock()
  const web = simulatedWeb(model, { clock })
  const frontier = config.frontier ?? memoryFrontier()
  const whole = { spider: looks, randomSeed: 'a', maxTimeMs: hours * HOUR_MS, ...config, clock, frontier, fetcher: web }
  const report = await clock.run(() => crawl({ policies: [], ...whole }).run())
  return { report, web, items: await itemsOf(frontier) }
}

async function itemsOf(frontier: Frontier): Promise<Run['items']> {
  const items = await frontier.reader.items({ afterSeq: 0, limit: 9_999 })
  return items.map(({ url, json }) => ({ url, look: JSON.parse(json) as Look }))
}

function statuses(web: SimulatedWeb): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of web.felt('shop.test').log) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const hourly = [{ everyMs: HOUR_MS, match: 'product' }]

describe('what a handler got from a host', () => {
  it('does not count pages without an item whose body is as at their last visit: 30 hours without a change dry nobody up', async () => {
    const prices = { everyMs: 1_000 * HOUR_MS, ratio: 0, validator: 'none' } as const
    const pages = { kind: 'shop', products: 6, categories: 1, prices } as const
    const ofChanges = spider({
      name: 'changes',
      seeds: ['http://shop.test/'],
      handlers: {
        *start(page) {
          yield* page.links('a.category')
          yield* page.links('a.product', { handler: 'product' })
        },
        *product(page) {
          if (page.changed !== 'unchanged') yield { price: Number(page.text('.price')) }
        },
      },
    })

    const { report, items } = await run(siteModel({ seed: 'still', hosts: [{ name: 'shop.test', pages }] }), 30, {
      spider: ofChanges,
      recrawl: hourly,
    })

    expect(items).toHaveLength(6)
    expect(report.run.pages).toBeGreaterThan(6 * 29)
    expect(report.driedUp).toEqual([])
  })
})

describe('the next visit', () => {
  it.each([
    ['is a round after the last was due, not after it was made', 0, 0.2, 1, 0],
    ['keeps the grid, and leaves out what passed meanwhile', 0, 3.5, 4, 3],
    ['of one that came just a round late is the one after', 1, 2, 3, 1],
    ['of one that came early is a round later all the same', 5, 4.9, 6, 0],
  ])('%s', (_what, dueAt, now, at, skipped) => {
    expect(nextVisit(dueAt * HOUR_MS, HOUR_MS, now * HOUR_MS)).toEqual({ at: at * HOUR_MS, skipped })
  })
})

describe('rules', () => {
  const page = { url: 'https://shop.test/p/1', handler: 'product' }

  it('count in their order, and the first that matches may say never', () => {
    const rules = [{ everyMs: Infinity, match: /\/p\/1/g }, { everyMs: 5, match: 'product' }, { everyMs: 9 }]
    for (const _twice of [1, 2]) expect(matchingRule(rules, page)).toBeUndefined()
    expect(matchingRule(rules, { ...page, url: 'https://shop.test/p/2' })?.everyMs).toBe(5)
    expect(matchingRule(rules, { url: 'https://shop.test/', handler: 'start' })?.everyMs).toBe(9)
  })

  it.each([
    [[{ everyMs: 0 }], 'recrawl[0].everyMs'],
    [[{ everyMs: 5 }, { everyMs: 5, match: 'prodcut' }], 'recrawl[1].match'],
    [{ everyMs: 5 }, 'a list of rules'],
    [[{ everyMs: 5, goneAfterVisits: 0 }], 'recrawl[0].goneAfterVisits'],
    [[{ everyMs: 5, goneAfterVisits: 1.5 }], 'recrawl[0].goneAfterVisits'],
    [[{ everyMs: 5, goneAfterVisits: Infinity }], 'keep: true'],
    [[{ everyMs: 5, goneAfterMs: -1 }], 'recrawl[0].goneAfterMs'],
    [[{ everyMs: 5, goneAfterMs: NaN }], 'recrawl[0].goneAfterMs'],
    [[{ everyMs: 5, keep: true, goneAfterVisits: 2 }], 'got both'],
    [[{ everyMs: 5, keep: true, goneAfterMs: 2 }], 'got both'],
    [[{ everyMs: Infinity, goneAfterMs: 2 }], 'never visited again'],
  ])('that are none are refused: %j', (recrawl, named) => {
    const wrong = (): unknown => crawl({ policies: [], spider: looks, recrawl: recrawl as CrawlConfig['recrawl'] & object })
    expect(wrong).toThrow(AvocetError)
    expect(wrong).toThrow(named)
  })

  it('of the policy itself are checked as well, but for names of handlers, which it does not know', () => {
    expect(() => recrawlPolicy([{ everyMs: 0 }])).toThrow('recrawl[0].everyMs')
    expect(recrawlPolicy([{ everyMs: 5, match: 'product' }]).policy).toBe('recrawl')
  })
})

describe('what became of a page that was there', () => {
  const earlier = { visits: 1, dueAt: 0, skipped: 0 }
  const request = { url: 'https://shop.test/p/1', handler: 'product', earlier } as unknown as Request
  const fetchedWith = (status: number): NonNullable<Outcome['fetched']> => ({ at: 5, status, durationMs: 5, wireBytes: 0 })
  const failed = (status: number): EndedVisit['outcome'] => ({
    kind: 'failed',
    reason: `http-${status}`,
    fetched: fetchedWith(status),
  })
  const moved = (status: number): EndedVisit['outcome'] => ({
    kind: 'moved',
    target: 'https://shop.test/',
    fetched: fetchedWith(status),
  })
  const after = (
    rule: Partial<RecrawlRule>,
    outcome: EndedVisit['outcome'],
    known: Request['earlier'] & object,
    now: number,
  ): ReturnType<typeof voteAfter> =>
    voteAfter({ request: { ...request, earlier: known }, outcome, dueAt: known.dueAt, now }, { everyMs: 100, ...rule })

  it.each<[string, EndedVisit['outcome'], number]>([
    ['an error', failed(500), 0],
    ['gone', failed(410), 2],
    ['not found', failed(404), 1],
    ['elsewhere for now', moved(302), 0],
    ['elsewhere for good', moved(308), 1],
    ['no answer', { kind: 'failed', reason: 'reset' }, 0],
  ])('%s: it is requested again, and counted as missing where it is', (_what, outcome, visits) => {
    const missing = visits > 0 && { missing: { visits, since: 10 } }
    for (const keep of [false, true]) expect(after({ keep }, outcome, earlier, 10)).toEqual({ at: 100, skipped: 0, ...missing })
  })

  it.each<[string, EndedVisit['outcome'], Request['earlier'] & object, boolean]>([
    ['missing for long enough', failed(404), { ...earlier, missing: { visits: 2, since: 10 } }, false],
    ['missing often enough, all within a day', failed(404), { ...earlier, missing: { visits: 9, since: DAY_MS / 2 } }, true],
    ['missing for a day, but twice only', failed(404), { ...earlier, missing: { visits: 1, since: 10 } }, true],
    ['missing twice, the second time with 410', failed(410), { ...earlier, missing: { visits: 1, since: 10 } }, false],
    ['missing for long enough, and now an error', failed(500), { ...earlier, missing: { visits: 9, since: 10 } }, true],
    [
      'missing for long enough, and now a handler that threw',
      failed(200),
      { ...earlier, missing: { visits: 9, since: 10 } },
      true,
    ],
    [
      'missing three times, the last time in a visit that came a week late',
      failed(404),
      { ...earlier, dueAt: DAY_MS + 10 - 7 * DAY_MS, missing: { visits: 2, since: -6 * DAY_MS } },
      true,
    ],
  ])('%s: whether it keeps its rounds', (_what, outcome, visited, again) => {
    const known = { ...visited, dueAt: visited.dueAt === 0 ? DAY_MS : visited.dueAt }
    expect(after({}, outcome, known, DAY_MS + 10).isGone !== true).toBe(again)
    expect(after({ keep: true }, outcome, known, DAY_MS + 10)).not.toHaveProperty('isGone')
  })

  it('was missing no longer when it was the handler that threw', () => {
    const known = { ...earlier, missing: { visits: 2, since: 10 } }
    expect(after({}, failed(200), known, 20)).toEqual({ at: 100, skipped: 0 })
  })

  it('and gone, and is asked for: stays gone where that is in vain, unless its rule keeps it', () => {
    const known = { ...earlier, gone: 1 }
    expect(after({}, failed(500), known, 20)).toMatchObject({ at: 2 * DAY_MS, isGone: true })
    expect(after({ keep: true }, failed(500), known, 20)).toEqual({ at: 100, skipped: 0 })
    expect(after({}, failed(200), known, 20)).toEqual({ at: 100, skipped: 0 })
  })
})

describe('a crawl with a rule', () => {
  it('visits hourly, by conditional requests, and ends by its time', async () => {
    const { report, web, items } = await run(shop(), 5.5, { recrawl: hourly })

    expect(report).toMatchObject({ ended: 'limit', counts: { known: 8, waiting: 0, done: 8, again: 6 } })
    expect(web.felt('shop.test').requests).toBe(2 + 6 * 6)
    expect(statuses(web)[304]).toBeGreaterThan(5)
    expect(items.every(({ look }) => look.changed === (look.visit === 0 ? 'first' : 'changed'))).toBe(true)
  })

  it.each([400, 412])('that answers %i to a condition is requested without it, then and in all later rounds', async (status) => {
    const log: string[] = []
    const clock = new VirtualClock()
    const web = simulatedWeb(shop(), { clock })
    const fetcher: Fetcher = {
      fetch(outbound, receiver) {
        const isConditional = 'if-none-match' in outbound.headers
        if (outbound.url.includes('product')) log.push(isConditional ? String(status) : '200')
        return web.fetch(isConditional ? { ...outbound, url: `http://shop.test/${status}` } : outbound, {
          ...receiver,
          sent: () => receiver.sent(),
          headers: (head) => receiver.headers(isConditional ? { ...head, status } : head),
          done: (response) => receiver.done(isConditional ? { ...response, status } : response),
          failed: (failure) => receiver.failed(failure),
        })
      },
      close: () => web.close(),
    }

    const frontier = memoryFrontier()
    const config = { spider: looks, randomSeed: 'a', maxTimeMs: 4.5 * HOUR_MS, recrawl: hourly, clock, frontier, fetcher }
    const report = await clock.run(() => crawl({ policies: [], ...config }).run())

    // Six pages in five rounds, and one attempt more of each.
    expect(log.filter((each) => each === '200')).toHaveLength(30)
    expect(log.filter((each) => each !== '200')).toHaveLength(6)
    expect(report.run.failed).toBe(0)
    expect((await itemsOf(frontier)).map(({ look }) => look.visit)).toContain(4)
  })
  it('does not drift: each visit is due an hour after the one before was due', async () => {
    const one = siteModel({
      seed: 'one',
      hosts: [{ name: 'shop.test', pages: { kind: 'shop', products: 1, categories: 1 }, latency: { law: 'fixed', ms: 700 } }],
    })
    const { web } = await run(one, 30.5, { recrawl: hourly })

    const visits = web.felt('shop.test').log.filter(({ path }) => path === '/product/A-00001')
    expect(visits).toHaveLength(31)
    expect(new Set(visits.map(({ at }) => (at - (visits[0]?.at ?? 0)) % HOUR_MS))).toEqual(new Set([0]))
  })

  it.each(['etag', 'last-modified'] as const)('finds every change of every price, by %s', async (validator) => {
    const model = shop(validator)
    const { items } = await run(model, 5.5, { recrawl: hourly })

    const found = items.map(({ url, look }) => `${url} ${look.price}`)
    const changes = [0, 1, 2, 3, 4, 5].flatMap((hour) => {
      const now = model.expected.products('shop.test', hour * HOUR_MS)
      return now.filter(({ sinceMs }) => sinceMs === hour * HOUR_MS).map(({ url, price }) => `${url} ${price}`)
    })
    expect(found.sort()).toEqual(changes.sort())
  })

  it('runs the handler on a page that came whole again, and says that it is unchanged', async () => {
    const { web, items } = await run(shop('none'), 2.5, { recrawl: hourly })

    expect(statuses(web)).toEqual({ 200: 2 + 3 * 6 })
    expect(items).toHaveLength(18)
    const kinds = new Set(items.filter(({ look }) => look.visit > 0).map(({ look }) => look.changed))
    expect(kinds).toEqual(new Set(['changed', 'unchanged']))
  })

  it('asks the spider what it has to say of a page that is as it was', async () => {
    const still: Spider = { ...looks, unchanged: (page) => [{ visit: page.visit, changed: page.changed }] }
    const { items, web } = await run(shop(), 3.5, { recrawl: hourly, spider: still })

    expect(items).toHaveLength(4 * 6)
    expect(items.filter(({ look }) => look.changed === 'unchanged')).toHaveLength(statuses(web)[304] ?? 0)
  })

  it('tells plugins that a page was settled as unchanged', async () => {
    const reasons: unknown[] = []
    const watching = {
      name: 'watching',
      onSettled: ({ outcome }: { outcome: { kind: string; reason?: string } }) => void reasons.push(outcome.reason),
    }
    const { web } = await run(shop(), 2.5, { recrawl: hourly, plugins: [watching] })

    expect(reasons.filter((reason) => reason === 'unchanged')).toHaveLength(statuses(web)[304] ?? 0)
  })
})

describe('a page that was there', () => {
  /** A shop that is dead from 50 to 150 minutes. */
  const away = siteModel({
    seed: 'recrawl',
    hosts: [
      {
        name: 'shop.test',
        pages: { kind: 'shop', products: 1, categories: 1, prices: { everyMs: HOUR_MS, ratio: 1 } },
        outages: [{ style: 'reset', fromMs: 50 * 60_000, untilMs: 150 * 60_000 }],
      },
    ],
  })

  it('and then failed is requested again in its round', async () => {
    const { report, items } = await run(away, 4.5, { recrawl: hourly })

    expect(items.map(({ look }) => look.visit)).toEqual([0, 3, 4])
    expect(report.counts).toMatchObject({ done: 3, failed: 0, again: 1 })
  })

  it.each([
    [{ goneAfterVisits: 1, goneAfterMs: 0 }, { failed: 1, again: 1 }, 1],
    [{ goneAfterVisits: 2, goneAfterMs: 0 }, { failed: 1, again: 1 }, 2],
    [{}, { failed: 1, again: 1 }, 3],
    [{ keep: true }, { failed: 1, again: 1 }, 3],
  ])('and is gone loses its rounds once the rule says so: %j', async (rule, counts, asked) => {
    const gone = {
      name: 'gone',
      beforeRequest: (outgoing: {
        exchange: { request: { handler: string; earlier?: object | undefined } }
        serve: (response: never) => void
      }) => {
        const { handler, earlier } = outgoing.exchange.request
        if (handler !== 'product' || earlier === undefined) return
        const timings = { firstByteMs: 0, bodyMs: 0, reusedSocket: true }
        outgoing.serve({ status: 404, url: '', headers: {}, body: new Uint8Array(), wireBytes: 0, timings } as never)
      },
      onSettled: ({ outcome }: { outcome: { kind: string } }) => void (outcome.kind === 'failed' && failed++),
    }
    let failed = 0
    const { report } = await run(away, 3.5, { recrawl: [{ everyMs: HOUR_MS, match: 'product', ...rule }], plugins: [gone] })

    expect(report.counts).toMatchObject(counts)
    expect(failed).toBe(asked)
  })
})
