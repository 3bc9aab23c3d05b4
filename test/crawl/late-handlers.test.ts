// Handlers that overran their time: their page has failed, but they still run and still hold it in RAM. Real promises that never end, on scaled time.
import { crawl, definePlugin, memoryFrontier, spider, type CrawlReport, type Page, type Plugin } from 'avocet'
import { sleepUntil, systemClock } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { scriptedWeb } from './scripted-web.ts'

const SECOND = 1_000

/** A page of each of `hosts` hosts, its handler `handle`. */
async function crawled(
  hosts: number,
  handle: (page: Page, sleep: (ms: number) => Promise<void>) => Promise<void>,
  { plugins = [], maxHandlers }: { plugins?: readonly Plugin[]; maxHandlers: number },
): Promise<CrawlReport> {
  const clock = systemClock({ scale: 50 })
  const seeds = Array.from({ length: hosts }, (_, n) => `http://host-${n}.test/`)
  const own = spider({
    name: 'late',
    seeds,
    handlers: {
      async *start(page) {
        await handle(page, (ms) => sleepUntil(clock, clock.now() + ms))
        yield { at: page.url.href }
      },
    },
  })
  const script = Object.fromEntries(seeds.map((url) => [url, { body: 'ok' }]))
  const fetcher = scriptedWeb(clock, script)
  return crawl({
    policies: [],
    spider: own,
    clock,
    fetcher,
    frontier: memoryFrontier(),
    plugins,
    maxHandlers,
    concurrency: 1,
    handlerTimeoutMs: 10 * SECOND,
  }).run()
}

describe('a handler that overran its time', () => {
  it('is counted until it really ends', async () => {
    let running = 0
    let most = 0
    const gate = Promise.withResolvers<void>()
    let ended = 0
    const report = await crawled(
      7,
      async (page, sleep) => {
        most = Math.max(most, ++running)
        if (page.url.hostname === 'host-0.test') await gate.promise
        else await sleep(5 * SECOND)
        running--
        if (++ended === 6) gate.resolve()
      },
      { maxHandlers: 2 },
    )

    expect(report).toMatchObject({
      ended: 'done',
      counts: { done: 6, failed: 1 },
      failures: [{ reason: 'handler-timeout', count: 1 }],
    })
    expect(most).toBe(2)
  })

  it('and never ends keeps no crawl from going on, nor from ending; the report says so', async () => {
    const report = await crawled(9, () => new Promise(() => {}), { maxHandlers: 4 })

    expect(report).toMatchObject({ ended: 'done', failures: [{ reason: 'handler-timeout', count: 9 }] })
    expect(report.problems.map(({ message }) => message).join('\n')).toMatch(
      /handlers that timed out are still running, and each keeps its page in memory; find what they wait for/,
    )
  })

  it('hears of an onItem that never ends as well', async () => {
    const hanging = definePlugin({ name: 'hanging', onItem: () => new Promise(() => {}) })
    const report = await crawled(9, () => Promise.resolve(), { maxHandlers: 4, plugins: [hanging] })

    expect(report).toMatchObject({ ended: 'done', failures: [{ reason: 'plugin-timeout', count: 9 }] })
    expect(report.problems.map(({ message }) => message).join('\n')).toMatch(
      /are still running, and each keeps its page in memory/,
    )
  })
})
