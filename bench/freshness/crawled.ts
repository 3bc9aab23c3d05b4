// The same world through the whole crawl, on virtual time: the policy is asked by its hooks, and its pages are in a store.
import { crawl, memoryFrontier, spider } from 'avocet'
import { adaptive as freshness } from '@avocet/plugin-freshness'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import {
  adaptive,
  AT_MOST,
  LEARNED,
  meanDelay,
  MEASURED_UNTIL,
  simulate,
  uniform,
  UNTIL,
  WITHIN,
  type Measured,
} from './simulate.ts'
import { worldOf, type WorldPage } from './world.ts'

const HOSTS = 4
const PAGES = 240
const HOUR_MS = 3_600_000

/** Mean delays, in hours: through the engine, of the law alone, and uniform, at the requests of the engine. `used`: of the budget. */
interface Crawled {
  readonly adaptive: number
  readonly law: number
  readonly uniform: number
  readonly used: number
}

export async function crawled(seed: number): Promise<Crawled> {
  const bursts = { aDay: 1, share: 0.5 }
  const world = worldOf({ seed, hosts: HOSTS, pages: PAGES, hours: UNTIL, medianHours: 120, bursts })
  const hosts = world.map((_, n) => ({ name: `shop-${n}.test`, pages: { kind: 'list', pages: PAGES, textBytes: 10 } as const }))
  const model = siteModel({ seed: `freshness ${seed}`, hosts })
  const pages = new Map<string, { readonly page: WorldPage; readonly visits: number[] }>()
  for (const [n, url] of model.seeds().entries()) {
    const page = world[Math.floor(n / PAGES)]?.pages[n % PAGES]
    if (page !== undefined) pages.set(url, { page, visits: [] })
  }
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const prices = (page: { readonly url: URL }): readonly { readonly price: number }[] => {
    const known = pages.get(page.url.href)
    if (known === undefined) throw new Error(`expected a page of the world, got ${page.url.href}`)
    const now = (clock.now() - startedAt) / HOUR_MS
    known.visits.push(now)
    return [{ price: known.page.changes.filter((at) => at <= now).length }]
  }
  const run = crawl({
    spider: spider({ name: 'prices', seeds: model.seeds(), handlers: { start: prices } }),
    policies: [],
    plugins: [freshness({ withinMs: WITHIN * HOUR_MS, atMostMs: AT_MOST * HOUR_MS })],
    frontier: memoryFrontier(),
    clock,
    fetcher: simulatedWeb(model, { clock }),
    randomSeed: String(seed),
    ...{ delayMs: 2_000, maxPerHost: 1, maxTimeMs: UNTIL * HOUR_MS },
  })
  await clock.run(() => run.run())
  const through = measured([...pages.values()])
  const perHour = through.visits / HOSTS / (MEASURED_UNTIL - LEARNED)
  return {
    adaptive: through.delay / through.changes,
    law: meanDelay(world.map((host) => simulate(host, adaptive()))),
    uniform: meanDelay(world.map((host) => simulate(host, uniform(host, perHour)))),
    used: perHour / (PAGES / WITHIN),
  }
}

function measured(pages: readonly { readonly page: WorldPage; readonly visits: readonly number[] }[]): Measured {
  const sum: Measured = { delay: 0, changes: 0, visits: 0 }
  for (const { page, visits } of pages) {
    sum.visits += visits.filter((at) => at >= LEARNED && at < MEASURED_UNTIL).length
    for (const change of page.changes) {
      if (change < LEARNED || change >= MEASURED_UNTIL) continue
      sum.changes++
      sum.delay += (visits.find((at) => at >= change) ?? UNTIL) - change
    }
  }
  return sum
}
