// A stranger is gentle: how fast a host may be asked in its first forty seconds.
import { crawl, spider } from 'avocet'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { aimd } from '../src/index.ts'
import { openingRps } from '../src/pace.ts'

const SECOND = 1_000

describe('the opening', () => {
  it.each([
    [0, 1],
    [9_999, 1],
    [10_000, 2],
    [20_000, 4],
    [39_999, 8],
    [40_000, 10],
    [Infinity, 10],
  ])('allows, %i ms after the first request, %i of 10 a second', (sinceMs, rps) => {
    expect(openingRps({ startRps: 1, maxRps: 10 }, sinceMs)).toBe(rps)
  })

  it.each([-1, -300_000, -31_536_000_000])(
    'takes no time for negative time: a clock that went back by %i ms changes nothing',
    (sinceMs) => {
      expect(openingRps({ startRps: 1, maxRps: 10 }, sinceMs)).toBe(1)
    },
  )

  it('is no slower than the user wants to start', () => {
    expect(openingRps({ startRps: 4, maxRps: 10 }, 0)).toBe(4)
  })

  it('keeps a quick host, whatever the law has found, to ten requests in its first ten seconds', async () => {
    const clock = new VirtualClock()
    const model = siteModel({ seed: 'opening', hosts: [{ name: 'quick.test', pages: { kind: 'list', pages: 300 } }] })
    const web = simulatedWeb(model, { clock })
    const pages = spider({ name: 'opening', seeds: model.seeds(), handlers: { *start() {} } })
    const startedAt = clock.now()
    await clock.run(() => crawl({ policies: [], spider: pages, plugins: [aimd()], clock, fetcher: web }).run())
    const asked = (fromMs: number, untilMs: number): number =>
      web.felt('quick.test').log.filter(({ at }) => at >= startedAt + fromMs && at < startedAt + untilMs).length

    expect(asked(0, 10 * SECOND)).toBeLessThanOrEqual(11)
    expect(asked(10 * SECOND, 20 * SECOND)).toBeLessThanOrEqual(21)
    expect(asked(20 * SECOND, 30 * SECOND)).toBeLessThanOrEqual(41)
    expect(asked(20 * SECOND, 30 * SECOND)).toBeGreaterThan(35)
  })
})
