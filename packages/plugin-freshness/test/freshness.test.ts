import { adaptive } from '@avocet/plugin-freshness'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { crawl, link, memoryFrontier, spider, type CrawlConfig } from 'avocet'
import { describe, expect, it } from 'vitest'

const HOUR_MS = 3_600_000
const PAGES = 40
/** Its links say when the others were modified. */
const LIST = 39

/** Visits in hours by the number of the page, at a shop whose prices are `priceAt` (page, hours). */
async function visitsOf(
  priceAt: (n: number, hours: number) => number,
  runs: readonly number[],
  modifiedAt: (n: number, hours: number) => number = () => 0,
): Promise<number[][]> {
  const model = siteModel({ seed: 'fresh', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: PAGES, textBytes: 10 } }] })
  const urls = model.seeds()
  const visits = urls.map((): number[] => [])
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const frontier = memoryFrontier()
  const rounds: number[] = []
  const fetcher = simulatedWeb(model, { clock })
  const handlers = {
    *start(page: { readonly url: URL }) {
      const [n, hours] = [urls.indexOf(page.url.href), (clock.now() - startedAt) / HOUR_MS]
      visits[n]?.push(hours)
      yield { price: priceAt(n, hours) }
      if (n === LIST)
        for (const [other, url] of urls.entries()) yield link(url, { modifiedAt: startedAt + HOUR_MS * modifiedAt(other, hours) })
    },
  }
  for (const hours of runs) {
    const config = { clock, frontier, fetcher, policies: [], maxTimeMs: hours * HOUR_MS, delayMs: 1_000, maxPerHost: 1 }
    const plugins: CrawlConfig['plugins'] = [adaptive({ withinMs: 10 * HOUR_MS, atMostMs: 24 * HOUR_MS })]
    const run = crawl({ ...config, spider: spider({ name: 'fresh', seeds: urls, handlers }), plugins })
    rounds.push(...(await clock.run(() => run.run())).rounds.map(({ everyMs }) => everyMs))
  }
  expect(new Set(rounds)).toEqual(new Set([10 * HOUR_MS]))
  return visits
}

function mean(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0) / counts.length
}

describe('adaptive()', () => {
  it.each([[[200]], [[100, 100]]])('visits what changes more often than what does not, in runs of %j hours', async (runs) => {
    const visits = await visitsOf((n, hours) => (n < 10 ? Math.floor((hours + n) / 9) : 0), runs)
    const counts = visits.map(({ length }) => length)

    expect(mean(counts.slice(0, 10))).toBeGreaterThan(1.8 * mean(counts.slice(10)))
    expect(mean(counts)).toBeLessThan(1.15 * 20)
    // None is left for longer than a day, and the five minutes in which visits come together.
    for (const at of visits) for (let n = 1; n < at.length; n++) expect((at[n] ?? 0) - (at[n - 1] ?? 0)).toBeLessThan(24.2)
  })

  it('visits the other pages at once when some have changed that rarely do', async () => {
    const visits = await visitsOf((_n, hours) => Math.floor(hours / 70), [80])
    const delays = visits.map((at) => (at.find((hours) => hours >= 70) ?? Infinity) - 70)

    expect(delays.filter((hours) => hours < 3).length).toBeGreaterThan(30)
  })

  it('visits a page at once that a link says was modified', async () => {
    const visits = await visitsOf(
      (n, hours) => (n === LIST ? Math.floor(hours) : n < 3 && hours >= 197 ? 1 : 0),
      [215],
      (n, hours) => (n < 3 && hours >= 197 ? 197 : 0),
    )
    const first = (n: number): number => visits[n]?.find((hours) => hours >= 197) ?? Infinity

    // An hour after its last visit at the earliest.
    for (const n of [0, 1, 2]) expect(first(n) - first(LIST)).toBeLessThan(1.1)
  })

  it('refuses options that are none', () => {
    expect(() => adaptive({ withinMs: 0 })).toThrow('expected adaptive: withinMs to be')
    expect(() => adaptive({ withinMs: HOUR_MS, atMostMs: 1 })).toThrow('expected adaptive: atMostMs to be at least withinMs')
  })
})
