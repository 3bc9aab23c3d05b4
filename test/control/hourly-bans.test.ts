// The main job at a shop that bans: an hourly crawl, over two days. Without a memory of the bans each hour has one.
import { crawl, memoryFrontier, spider } from 'avocet'
import { recrawl } from '@avocet/plugin-recrawl'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

describe('sixty prices of a shop that bans, every hour', () => {
  it.each([2, 3, 4, 6])('above %i a second: a few bans in two days, and the prices are had', async (rps) => {
    const clock = new VirtualClock()
    const ban = { requests: 5 * rps, windowSeconds: 5, banSeconds: 600 }
    const latency = { law: 'lognormal', medianMs: 250, spread: 0.4 } as const
    const hosts = [{ name: 'shop.test', pages: { kind: 'list', pages: 60 } as const, latency, ban }]
    const model = siteModel({ seed: 'bans', hosts })
    const web = simulatedWeb(model, { clock })
    const run = crawl({
      spider: spider({ name: 'prices', seeds: model.seeds(), handlers: { *start() {} } }),
      policies: polite(),
      plugins: [recrawl([{ everyMs: HOUR_MS }])],
      frontier: memoryFrontier(),
      clock,
      fetcher: web,
      randomSeed: 'bans',
      maxTimeMs: 2 * DAY_MS,
    })
    await clock.run(() => run.run())
    const { banned, served } = web.felt('shop.test')

    // Ten forbidden pages in a row make a ban certain.
    expect(banned).toBeLessThan(30)
    expect(served).toBeGreaterThan(0.99 * 48 * 60)
  })
})
