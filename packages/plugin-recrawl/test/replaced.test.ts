// Who says when pages are visited again: rules, a policy in their place, or the documents of plugins.
import { crawl, memoryFrontier, spider, type CrawlConfig, type Plugin } from 'avocet'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { recrawl } from '../src/index.ts'

const HOUR_MS = 3_600_000

/** Paths that a crawl of one page requests within three and a half hours. */
async function asked(config: Partial<CrawlConfig>): Promise<readonly string[]> {
  const clock = new VirtualClock()
  const hosts = [{ name: 'shop.test', pages: { kind: 'list' as const, pages: 1 } }]
  const fetcher = simulatedWeb(siteModel({ seed: 'replaced', hosts }), { clock })
  const one = spider({ name: 'one', seeds: ['http://shop.test/'], handlers: { start: () => [] } })
  const whole = { spider: one, policies: [], maxTimeMs: 3.5 * HOUR_MS, frontier: memoryFrontier(), ...config }
  await clock.run(() => crawl({ ...whole, clock, fetcher }).run())
  return fetcher.felt('shop.test').log.map(({ path }) => path)
}

const everyHour = [{ everyMs: HOUR_MS }]
const once: Plugin = { name: 'once', policy: 'recrawl' }
const lists: Plugin = {
  name: 'lists',
  open: (session) => session.add({ url: 'http://shop.test/list', handler: 'lists/list' }),
  handlers: { list: { everyMs: HOUR_MS, handle: () => [] } },
}

describe('pages', () => {
  it('are visited again by the rules of the configuration, or by the policy that has them', async () => {
    expect(await asked({ recrawl: everyHour })).toHaveLength(4)
    expect(await asked({ policies: [recrawl(everyHour)] })).toHaveLength(4)
  })

  it('are visited again as a policy says; rules beside it are refused, for one of the two would do nothing', async () => {
    expect(await asked({ plugins: [once] })).toHaveLength(1)
    await expect(asked({ recrawl: everyHour, plugins: [once] })).rejects.toThrow('got both (once)')
  })

  it('are visited once beside a document that comes in rounds, and by the rules where there are some', async () => {
    const counts = (paths: readonly string[]): readonly number[] =>
      ['/', '/list'].map((path) => paths.filter((each) => each === path).length)
    expect(counts(await asked({ plugins: [lists] }))).toEqual([1, 4])
    expect(counts(await asked({ plugins: [lists], recrawl: [{ everyMs: 2 * HOUR_MS }] }))).toEqual([2, 4])
    expect(counts(await asked({ plugins: [lists, once] }))).toEqual([1, 1])
  })
})
