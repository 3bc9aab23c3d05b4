// What polite() is made of, and what its options change.
import { crawl, type Plugin } from 'avocet'
import { siteModel, simulatedWeb, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { agentOf } from '@avocet/plugin-robots'
import { polite, type PoliteOptions } from '../src/index.ts'

const namesOf = (plugins: readonly Plugin[]): readonly string[] => plugins.map(({ name }) => name).toSorted()

describe('polite', () => {
  it.each<[string, PoliteOptions, readonly string[]]>([
    ['nothing', {}, ['adaptive-timeout', 'aimd', 'breaker', 'retry', 'robots']],
    ['that robots.txt does not count', { robots: false }, ['adaptive-timeout', 'aimd', 'breaker', 'retry']],
    ['a fixed rate', { rate: 'fixed' }, ['adaptive-timeout', 'breaker', 'fixed-delay', 'retry', 'robots']],
    ['no to each', { robots: false, rate: 'none', breaker: false, timeouts: false, retry: false }, ['unpaced']],
  ])('with %s, is made of these', (_what, options, names) => {
    expect(namesOf(polite(options))).toEqual(names)
  })

  it.each<[object, string]>([
    [{ rates: false }, "polite has no option 'rates' (did you mean 'rate'?)"],
    [{ rate: false }, "expected polite: rate to be an object of options, or 'learned', 'fixed' or 'none', got false"],
    [{ rate: 'slow' }, "expected polite: rate to be an object of options, or 'learned', 'fixed' or 'none', got 'slow'"],
    [{ rate: { maxRps: -1 } }, 'aimd: maxRps'],
    [{ robots: true }, 'expected polite: robots to be an object of options, or false, got true'],
    [{ breaker: { failures: 0 } }, 'breaker: failures'],
    [{ retry: { maxAttempts: 0 } }, 'retry: maxAttempts'],
  ])('refuses %j', (options, message) => {
    expect(() => polite(options as PoliteOptions)).toThrowError(expect.objectContaining({ code: 'AVO_CONFIG_INVALID' }))
    expect(() => polite(options as PoliteOptions)).toThrow(message)
  })

  it.each([
    ['price-watch/2.1 (+https://example.org/bot)', 'price-watch'],
    ['Mozilla/5.0 (compatible; our-bot/1.0; +https://example.org)', 'our-bot'],
    ['(who knows)', 'avocet'],
  ])('is known to robots.txt, sending %s, as %s', (userAgent, agent) => {
    expect(agentOf(userAgent)).toBe(agent)
  })

  it('reads robots.txt first, starts gently, and gets every page', async () => {
    const clock = new VirtualClock()
    const startedAt = clock.now()
    const model = siteModel({ seed: 'polite', hosts: [{ name: 'a.test', pages: { kind: 'list', pages: 10 } }] })
    const web = simulatedWeb(model, { clock })
    const spider = { name: 'polite', seeds: model.seeds(), handlers: { *start() {} } }

    const report = await clock.run(() => crawl({ spider, policies: polite(), clock, fetcher: web, randomSeed: 'a' }).run())

    const { log, refused } = web.felt('a.test')
    expect(report).toMatchObject({ ended: 'done', run: { pages: 10, failed: 0 } })
    expect(log[0]).toMatchObject({ path: '/robots.txt', status: 404 })
    expect(log[2]?.at).toBeGreaterThanOrEqual((log[1]?.at ?? 0) + 100)
    expect(refused).toBe(0)
    expect(clock.now() - startedAt).toBeGreaterThan(1_000)
    expect(clock.now() - startedAt).toBeLessThan(15_000)
  })
})
