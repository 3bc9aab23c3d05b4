// Whole crawls of one host under the plugin: which limits its exchanges get, and which pages come home.
import { crawl, definePlugin, memoryFrontier, spider, type CrawlConfig } from 'avocet'
import { adaptiveTimeout, fixedTimeout, type AdaptiveTimeoutOptions } from '@avocet/plugin-adaptive-timeout'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { timedWeb, type Asked, type Takes } from './timed-web.ts'

/** Tries each page four times. */
const tryAgain = definePlugin({
  name: 'try-again',
  onError(failed) {
    if (failed.exchange.request.attempts < 3) failed.retry(failed.now, 'again')
  },
})

async function limitsOf(
  pages: number,
  takes: (n: number, url: string) => Takes,
  { options = {}, ...config }: Partial<CrawlConfig> & { readonly options?: AdaptiveTimeoutOptions } = {},
): Promise<{ readonly limits: readonly Asked[]; readonly pages: number }> {
  const clock = new VirtualClock()
  const fetcher = timedWeb(clock, takes)
  const seeds = Array.from({ length: pages }, (_, n) => `http://shop.test/${String(n)}`)
  const run = crawl({
    policies: [],
    spider: spider({ name: 'test', seeds, handlers: { *start() {} } }),
    plugins: [adaptiveTimeout(options), tryAgain],
    delayMs: 0,
    patienceMs: 86_400_000,
    ...config,
    clock,
    fetcher,
  })
  const report = await clock.run(() => run.run())
  return { limits: fetcher.limits, pages: report.run.pages }
}

const firstBytes = (limits: readonly Asked[]): readonly number[] => limits.map(({ firstByteMs }) => firstByteMs)

describe('the plugin adaptive-timeout', () => {
  it('begins with 6 s to connect, 30 s to the first byte, 15 s between pieces, 1 KiB/s, and a minute for the body', async () => {
    const { limits } = await limitsOf(1, () => ({ firstByteMs: 100 }))

    expect(limits[0]).toMatchObject({
      connectMs: 6_000,
      firstByteMs: 30_000,
      idleMs: 15_000,
      totalMs: 96_000,
      minBytesPerSecond: 1_024,
    })
  })

  it('comes down to 2 s for a host that answers at once', async () => {
    const { limits } = await limitsOf(12, () => ({ firstByteMs: 200 }))

    expect(firstBytes(limits)).toEqual([30_000, 2_000, ...Array.from({ length: 10 }, () => 2_000)])
  })

  it('learns anew where an earlier version counted in another unit', async () => {
    const frontier = memoryFrontier()
    const phase = { law: 'quantile', state: { counts: [0, 40] } }
    const earlier = definePlugin({ name: 'adaptive-timeout', hostMemory: () => ({ firstByte: phase, connect: phase, given: 8 }) })
    const takes = (): Takes => ({ firstByteMs: 100 })
    await limitsOf(2, takes, { frontier, plugins: [earlier], maxPages: 1 })
    const { limits } = await limitsOf(2, takes, { frontier })

    expect(firstBytes(limits)).toEqual([30_000])
  })

  it('reads a host that takes 15 s a page, from the first page on', async () => {
    const { limits, pages } = await limitsOf(5, () => ({ firstByteMs: 15_000 }))

    expect(pages).toBe(5)
    expect(firstBytes(limits).slice(0, 2)).toEqual([30_000, 30_000])
  })

  it('reads a host that takes 25 s a page, without one timeout', async () => {
    const { limits, pages } = await limitsOf(5, () => ({ firstByteMs: 25_000 }))

    expect(pages).toBe(5)
    expect(firstBytes(limits).slice(0, 4)).toEqual([30_000, 30_000, 30_000, 30_000])
    expect(limits).toHaveLength(5)
  })

  it('reads on when a host becomes 25 times as slow for good', async () => {
    const { pages } = await limitsOf(400, (n) => ({ firstByteMs: n < 200 ? 400 : 10_000 }))

    expect(pages).toBe(400)
  })

  it('gives a page twice the time at each attempt, so that the one slow page of a quick host comes home', async () => {
    const { limits, pages } = await limitsOf(100, (_, url) => ({ firstByteMs: url.endsWith('/80') ? 7_000 : 100 }))

    expect(pages).toBe(100)
    expect(firstBytes(limits.filter(({ url }) => url.endsWith('/80')))).toEqual([2_000, 4_000, 8_000])
  })

  it('does not learn from what a plugin requires, for it says nothing of pages', async () => {
    const requires = definePlugin({
      name: 'requires',
      hostMemory: () => ({ has: false }),
      admit(ask, host) {
        if (!host.has) ask.require('http://shop.test/robots.txt', () => void (host.has = true))
      },
    })
    const { limits, pages } = await limitsOf(3, (_, url) => ({ firstByteMs: url.endsWith('robots.txt') ? 50 : 15_000 }), {
      plugins: [adaptiveTimeout(), requires, tryAgain],
    })

    expect(pages).toBe(3)
    expect(firstBytes(limits).slice(0, 3)).toEqual([30_000, 30_000, 30_000])
  })

  it('keeps its back-off until an answer to something that was sent after the timeout', async () => {
    // Two in flight. The 101st hangs; beside it pages go on at 300 ms each, one of which was sent before the timeout and ends after it.
    const takes = (n: number): Takes => ({ firstByteMs: n === 101 ? Infinity : 300 })
    const { limits } = await limitsOf(120, takes, { maxPerHost: 2 })

    expect(
      firstBytes(limits)
        .slice(101)
        .filter((ms) => ms > 2_000),
    ).toEqual([4_000, 4_000, 4_000])
  })

  it("holds the user's cap of a host, and never loosens the limits of the crawl", async () => {
    const slow = (): Takes => ({ firstByteMs: 15_000 })
    const capped = await limitsOf(2, slow, { hosts: { 'shop.test': { firstByteMs: 3_000 } } })
    const strict = await limitsOf(2, slow, { timeLimits: { firstByteMs: 8_000 } })

    expect(Math.max(...firstBytes(capped.limits))).toBe(3_000)
    expect(Math.max(...firstBytes(strict.limits))).toBe(8_000)
  })

  it('waits longer for connections after one was not made in time', async () => {
    const { limits, pages } = await limitsOf(3, () => ({ connectMs: 10_000, firstByteMs: 100 }))

    expect(pages).toBe(3)
    expect(limits.map(({ connectMs }) => connectMs).slice(0, 2)).toEqual([6_000, 15_000])
  })

  it('gives the body of a page twice the time after it took too long', async () => {
    const { limits, pages } = await limitsOf(1, () => ({ firstByteMs: 100, bodyMs: 100_000 }))

    expect(pages).toBe(1)
    expect(limits[0]?.totalMs).toBe(96_000)
    expect(limits[1]?.totalMs).toBeGreaterThan(120_000)
  })

  it('holds a fixed law to the millisecond', async () => {
    const { limits } = await limitsOf(3, () => ({ firstByteMs: 9_000 }), { options: { law: fixedTimeout({ ms: 5_000 }) } })

    expect(new Set(firstBytes(limits))).toEqual(new Set([5_000]))
  })
})
