// A stranger is gentle: how fast a host may be asked in its first twenty requests.
import { crawl, spider } from 'avocet'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { aimd } from '../src/index.ts'
import { openingRps } from '../src/pace.ts'

const SECOND = 1_000

describe('the opening', () => {
  it.each([
    [1, 2],
    [20, 2],
    [21, 10],
  ])('allows, for request %i to a host, %i of 10 a second', (seq, rps) => {
    expect(openingRps({ startRps: 1, maxRps: 10 }, seq)).toBe(rps)
  })

  it('is no slower than the user wants to start', () => {
    expect(openingRps({ startRps: 4, maxRps: 10 }, 1)).toBe(4)
  })

  it('keeps a quick host, whatever the law has found, to twenty requests in its first ten seconds, and then no more', async () => {
    const clock = new VirtualClock()
    const model = siteModel({ seed: 'opening', hosts: [{ name: 'quick.test', pages: { kind: 'list', pages: 300 } }] })
    const web = simulatedWeb(model, { clock })
    const pages = spider({ name: 'opening', seeds: model.seeds(), handlers: { *start() {} } })
    const startedAt = clock.now()
    await clock.run(() => crawl({ policies: [], spider: pages, plugins: [aimd()], clock, fetcher: web }).run())
    const asked = (fromMs: number, untilMs: number): number =>
      web.felt('quick.test').log.filter(({ at }) => at >= startedAt + fromMs && at < startedAt + untilMs).length

    expect(asked(0, 10 * SECOND)).toBeLessThanOrEqual(21)
    expect(asked(0, 10 * SECOND)).toBeGreaterThan(17)
    expect(asked(14 * SECOND, 24 * SECOND)).toBeGreaterThan(90)
  })
})
