// The price-watch spider finds every offer once, is gentle, and keeps the whole history of every price: hourly, for 800 shops, over kills.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl } from 'avocet'
import type { Fetcher, Frontier } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { jsonl } from '@avocet/sink-files'
import { simulatedWeb, VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { onSimulatedWeb } from '../../check/on-simulated-web.ts'
import config from '../avocet.config.ts'
import priceWatch from '../spider.ts'
import {
  changingShops,
  expectedItems,
  histories,
  historiesOf,
  pricesIn,
  withoutMoment,
  world,
  type HistoryEntry,
} from './world.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const shops = 'http://north.test/,http://east.test/,http://south.test/'

describe('the price-watch spider', () => {
  it('finds the price of every product of every shop once, whatever the layout', async () => {
    const { items } = await onSimulatedWeb(world, { spider: priceWatch({ shops }) })

    expect(items).toHaveLength(120)
    expect(new Set(items.map(withoutMoment))).toEqual(new Set(expectedItems(world)))
  })

  it('asks for 53 pages a shop, one at a time and a second apart: neither the login nor a list that is only sorted otherwise', async () => {
    const { web, report, elapsedMs } = await onSimulatedWeb(world, { spider: priceWatch({ shops }) })

    // The front page, 6 categories of 2 pages each, 40 products.
    expect(report.run).toMatchObject({ pages: 3 * 53, requests: 3 * 53, failed: 0 })
    expect(web.felt('north.test').maxInFlight).toBe(1)
    // All shops at once, each with 52 pauses of a second.
    expect(Math.round(elapsedMs / 1_000)).toBe(52)
  })
})

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'avocet-watch-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Every page has something in it that is another each time. */
function withNonces(web: Fetcher): Fetcher {
  let answers = 0
  return {
    close: () => web.close(),
    fetch: (outbound, receiver) =>
      web.fetch(outbound, {
        sent: () => receiver.sent(),
        headers: (head) => receiver.headers(head),
        failed: (failure) => receiver.failed(failure),
        done: (answer) =>
          receiver.done({ ...answer, body: Buffer.concat([answer.body, Buffer.from(`<!-- ${String(++answers)} -->`)]) }),
      }),
  }
}

describe('the watch', () => {
  const model = changingShops(800, HOUR_MS)
  const spider = priceWatch({ shops: model.seeds().join(',') })
  const { recrawl = [], concurrency = 200 } = config

  /** Watches for so many virtual minutes in each run, one run after the other on one frontier; each but the last is broken off. */
  async function watch(frontier: () => Frontier, ...minutes: readonly number[]): Promise<readonly HistoryEntry[]> {
    const clock = new VirtualClock()
    const web = withNonces(simulatedWeb(model, { clock }))
    const file = join(await temporaryFolder(), 'changes.jsonl')
    for (const [n, length] of minutes.entries()) {
      const store = frontier()
      const isLast = n === minutes.length - 1
      const sinks = [jsonl(file, { changes: true })]
      const whole = { spider, recrawl, concurrency, sinks, randomSeed: 'watch', frontier: store, clock, fetcher: web }
      const run = crawl({ policies: [], ...whole, ...(isLast && { maxTimeMs: length * MINUTE_MS }) })
      using _end = isLast ? undefined : clock.at(clock.now() + length * MINUTE_MS, () => run.abort())
      await clock.run(() => run.run())
      await clock.run(store.close())
    }
    return pricesIn(await readFile(file, 'utf8'))
  }

  it('has one change for each new price, though every answer has another nonce, and is broken off twice in the middle of its work', async () => {
    const folder = await temporaryFolder()
    const store = (): Frontier => sqlite(join(folder, 'watch.db'), { synchronous: 'normal' })

    // After 3 seconds of the first look, and 2 seconds into the second.
    const prices = await watch(store, 0.05, 60, 6)

    expect(historiesOf(prices)).toEqual(histories(model, 1, HOUR_MS))
  })
})
