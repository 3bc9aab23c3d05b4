import { readReport } from '@avocet/at-rest'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { crawl, memoryFrontier, spider } from 'avocet'
import { expect, it } from 'vitest'

it('says how long ago pages were visited, of a store whose pages are visited again', async () => {
  const hosts = [{ name: 'shop.test', pages: { kind: 'list', pages: 100, textBytes: 10 } } as const]
  const model = siteModel({ seed: 'ages', hosts })
  const [clock, frontier] = [new VirtualClock(), memoryFrontier()]
  const fetcher = simulatedWeb(model, { clock })
  const config = { clock, frontier, fetcher, policies: [], maxTimeMs: 5_400_000, maxPerHost: 1, delayMs: 6_000 }
  const shop = spider({ name: 'ages', seeds: model.seeds(), handlers: { start: () => [] } })

  await clock.run(() => crawl({ ...config, spider: shop, recrawl: [{ everyMs: 3_600_000 }] }).run())
  const { ages } = await readReport(frontier.reader, [], { now: clock.now() })

  // The second round began after an hour and took ten minutes: it ended twenty minutes ago.
  expect(ages?.pages).toBe(100)
  expect((ages?.medianMs ?? 0) / 60_000).toBeCloseTo(25, 0)
  expect((ages?.p99Ms ?? 0) / 60_000).toBeCloseTo(30, 0)
})
