// What the crawl makes of bodies that found no room in memory, and of pages that handlers keep: on virtual time, handlers on scaled time.
import { crawl, definePlugin, memoryFrontier } from 'avocet'
import { failure, sleepUntil, systemClock, type Fetcher } from '@avocet/core/store'
import { undiciFetcher } from '@avocet/fetcher-http'
import { adaptiveTimeout } from '@avocet/plugin-adaptive-timeout'
import { aimd } from '@avocet/plugin-aimd'
import { breaker } from '@avocet/plugin-breaker'
import { retry } from '@avocet/plugin-retry'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'
import { scriptedWeb, type Answer } from './scripted-web.ts'

const URL = 'http://shop.test/'
const NO_ROOM: Answer = { fails: 'AVO_BODY_BUDGET' }
const PAGE: Answer = { body: 'page' }

describe('a page whose body found no room', () => {
  it('is not lost: it is requested again, later each time, without an attempt being counted', async () => {
    const { report, items, asked } = await run(
      { [URL]: [...Array.from({ length: 12 }, () => NO_ROOM), PAGE] },
      { spider: pathSpider([URL]) },
    )

    expect(items).toEqual([{ path: '/' }])
    expect(report).toMatchObject({ counts: { done: 1, failed: 0 }, run: { retried: 12 } })
    const at = asked.map((line) => Number(line.split(' ')[0]))
    const gaps = at.slice(1).map((moment, nth) => moment - (at[nth] ?? 0))
    expect(gaps[0]).toBeGreaterThan(3_700)
    expect(gaps[0]).toBeLessThan(6_400)
    expect(gaps.at(-1)).toBeLessThan(760_000)
    expect(gaps.at(-1)).toBeGreaterThan(440_000)
    expect(report.problems).toMatchObject([
      { message: expect.stringMatching(/response bodies exceeded bodyBudgetBytes/), count: 12 },
    ])
  })

  it('holds up no other page of its host', async () => {
    const other = 'http://shop.test/other'
    const { asked } = await run(
      { [URL]: [NO_ROOM, PAGE], [other]: PAGE },
      { spider: pathSpider([URL, other]), delayMs: 100, maxPerHost: 1 },
    )
    expect(asked.map((line) => line.split(' ')[1])).toEqual(['/', '/other', '/'])
  })

  it('teaches no policy anything: rate, breaker and timeouts remember of its host what they would without it', async () => {
    const remembered = async (first: readonly Answer[]): Promise<unknown> => {
      const plugins = [aimd(), breaker(), adaptiveTimeout(), retry()]
      const { frontier } = await run({ [URL]: [...first, PAGE] }, { spider: pathSpider([URL]), plugins })
      const [host] = await frontier.reader.hosts({ hostKey: 'shop.test' })
      const memory = host?.memory ?? {}
      return { breaker: memory['breaker'], timeouts: memory['adaptive-timeout'], retry: memory['retry'] }
    }
    expect(await remembered([NO_ROOM])).toEqual(await remembered([]))
  })

  it('leaves its host proven to be up, and no failure in a row', async () => {
    const failures: number[] = []
    const watch = definePlugin({
      name: 'watch',
      onResponse: ({ exchange }) => void failures.push(exchange.host.consecutiveFailures),
    })
    await run({ [URL]: [NO_ROOM, NO_ROOM, NO_ROOM, PAGE] }, { spider: pathSpider([URL]), plugins: [watch] })
    expect(failures).toEqual([0])
  })

  it('fails when it was sent by POST: what the server may have acted on is not sent twice', async () => {
    const spider = pathSpider([], { seeds: [{ url: URL, method: 'POST', body: 'x' }] })
    const { report, seen } = await run({ [URL]: NO_ROOM }, { spider })
    expect(seen).toHaveLength(1)
    expect(report.failures).toEqual([{ reason: 'body-budget', count: 1 }])
  })

  it('fails for good when it would not fit alone', async () => {
    const clock = new VirtualClock()
    const web = scriptedWeb(clock, {})
    const fetcher: Fetcher = {
      ...web,
      fetch(_outbound, receiver) {
        clock.at(clock.now() + 1, () => {
          receiver.sent()
          receiver.failed(failure('AVO_BODY_BUDGET', 'does not fit', { blame: 'url', sent: true }))
        })
        return () => {}
      },
    }
    const made = crawl({ policies: [], spider: pathSpider([URL]), clock, fetcher, frontier: memoryFrontier(), randomSeed: 'x' })
    const report = await clock.run(() => made.run())
    expect(report).toMatchObject({ run: { requests: 1, retried: 0 }, failures: [{ reason: 'body-budget', count: 1 }] })
  })
})

describe('pages in handlers', () => {
  it('are counted in the budget of the fetcher until their handlers end, or overrun their time', async () => {
    const clock = systemClock({ scale: 50 })
    const { bodyBudget } = undiciFetcher({ clock, bodyBudgetBytes: 2 ** 20 })
    const urls = ['whole', 'throws', 'late'].map((name) => `http://${name}.test/`)
    const script = Object.fromEntries(urls.map((url) => [url, { body: 'x'.repeat(1_000) }]))
    const gate = Promise.withResolvers<void>()
    let most = 0
    const spider = pathSpider(urls, {
      handlers: {
        async *start(page) {
          await sleepUntil(clock, clock.now() + 1_000)
          most = Math.max(most, bodyBudget.heldBytes)
          if (page.url.hostname === 'throws.test') throw new Error('as the test wants it')
          if (page.url.hostname === 'late.test') await gate.promise
          yield { at: page.url.href }
        },
      },
    })
    const fetcher = { ...scriptedWeb(clock, script), bodyBudget }
    const made = crawl({
      policies: [],
      spider,
      clock,
      fetcher,
      frontier: memoryFrontier(),
      handlerTimeoutMs: 5_000,
      randomSeed: 'x',
    })
    const report = await made.run()
    expect(report).toMatchObject({ counts: { done: 1, failed: 2 } })
    expect(most).toBe(9_000)
    expect(bodyBudget.heldBytes).toBe(0)
    gate.resolve()
  })

  it('keep new ones from being requested while they hold half of it', async () => {
    const clock = systemClock({ scale: 50 })
    const urls = Array.from({ length: 8 }, (_, n) => `http://host-${n}.test/`)
    const script = Object.fromEntries(urls.map((url) => [url, { body: 'x'.repeat(140_000) }]))
    let [running, most] = [0, 0]
    const spider = pathSpider(urls, {
      handlers: {
        async *start(page) {
          most = Math.max(most, ++running)
          await sleepUntil(clock, clock.now() + 1_000)
          running--
          yield { at: page.url.href }
        },
      },
    })
    const fetcher = scriptedWeb(clock, script)
    const made = crawl({ policies: [], spider, clock, fetcher, bodyBudgetBytes: 2 ** 20, concurrency: 1, randomSeed: 'x' })
    const report = await made.run()
    expect(report.counts.done).toBe(8)
    expect(most).toBe(2)
  })
})

describe('bodyBudgetBytes', () => {
  it.each([0, -1, 1.5, Number.NaN, 1_000])('cannot be %s', (bodyBudgetBytes) => {
    expect(() => crawl({ policies: [], spider: pathSpider([URL]), bodyBudgetBytes })).toThrow(
      /expected bodyBudgetBytes to be a whole number/,
    )
  })

  it('is not for a fetcher that has a budget of its own', () => {
    const fetcher = undiciFetcher({ clock: systemClock() })
    expect(() => crawl({ policies: [], spider: pathSpider([URL]), fetcher, bodyBudgetBytes: 2 ** 24 })).toThrow(
      /bodyBudget of its own/,
    )
  })
})
