// When a message is sent again to targets that take none, by two crawls on virtual time.
import { crawl, definePlugin, spider, type CrawlReport } from 'avocet'
import { alerts } from '@avocet/plugin-alerts'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const MINUTE_S = 60

const web = siteModel({ seed: 'down', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 1 } }] })
const distrust = definePlugin({
  name: 'distrust',
  outsideEffects: false,
  findings: { parts: [], broken: ({ hostKey }) => [{ hostKey, items: 0, barren: 0, why: 'its prices are all 0' }] },
})

describe('a target that is down', () => {
  it('gets a message again after 10 minutes at most, and hardly together with others that are down', async () => {
    const clock = new VirtualClock()
    const beganAt = clock.now()
    const tries: number[][] = []
    /** A target that takes nothing, and keeps in which seconds it was tried. */
    const down = (): (() => never) => {
      const seconds: number[] = []
      tries.push(seconds)
      return () => {
        seconds.push(Math.floor((clock.now() - beganAt) / 1_000))
        throw new Error('it is closed')
      }
    }
    const run = (name: string): Promise<CrawlReport> => {
      const visits = spider({ name, seeds: web.seeds(), handlers: { start: () => [] } })
      const plugins = [alerts({ to: [down(), down()] }), distrust]
      const parts = { policies: [], clock, fetcher: simulatedWeb(web, { clock }), recrawl: [{ everyMs: 300_000 }] }
      return crawl({ ...parts, spider: visits, plugins, randomSeed: 'a', maxTimeMs: 14_400_000 }).run()
    }

    await clock.run(() => Promise.all([run('prices'), run('offers')]))

    const waits = tries.flatMap((moments) => moments.slice(1).map((moment, n) => moment - (moments[n] ?? 0)))
    const late = tries.flatMap((moments) => moments.filter((moment) => moment > 15 * MINUTE_S))
    expect(tries.map(({ length }) => length > 20)).toEqual([true, true, true, true])
    // Every 5 s it is seen what is due.
    expect(Math.max(...waits)).toBeLessThanOrEqual(10 * MINUTE_S + 5)
    // Without chance, 22 seconds of 88.
    expect(new Set(late).size).toBeGreaterThan(0.9 * late.length)
  })
})
