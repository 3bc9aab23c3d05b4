// When a crawl begins nothing more: at its last page, at a stop or a pause that comes from anywhere. Nothing that has come back is lost.
import { definePlugin, memoryFrontier, type Crawl, type Seed, type Spider } from 'avocet'
import type { CrawlStatus } from '@avocet/core/tools'
import { polite } from '@avocet/preset-polite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'

function hosts(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `http://h${n}.example/`)
}

function pagesOf(seeds: readonly string[]): Record<string, { body: string }> {
  return Object.fromEntries(seeds.map((url) => [url, { body: 'ok' }]))
}

/** Gives h1 up as soon as another host is asked. */
function holder(): ReturnType<typeof definePlugin> {
  let isHeld = false
  return definePlugin({
    name: 'holder',
    admit(ask) {
      if (isHeld && ask.host.key.startsWith('h1.')) ask.giveUp('for ever')
    },
    onAdmit() {
      isHeld = true
    },
  })
}

describe('the last page', () => {
  it.each([2, 3, 10])('is the last of %i, also where each takes a moment in a plugin', async (maxPages) => {
    const seeds = hosts(40)
    const through = definePlugin({ name: 'through', onItem: async (item) => item })

    const { asked, report } = await run(pagesOf(seeds), {
      spider: pathSpider(seeds),
      maxPages,
      concurrency: 20,
      plugins: [through],
    })

    expect([asked.length, report.run.pages]).toEqual([maxPages, maxPages])
  })
})

describe('a stop', () => {
  it.each(['stop', 'abort'] as const)('by %s at any moment of the opening begins nothing', async (how) => {
    const seeds = hosts(3)
    const late: string[] = []
    for (let hops = 0; hops < 60; hops++) {
      let phase = ''
      const { asked } = await run(pagesOf(seeds), { spider: pathSpider(seeds) }, (made) => {
        void (async () => {
          for (let n = 0; n < hops; n++) await Promise.resolve()
          ;({ phase } = made.status())
          made[how]()
        })()
      })
      if (phase === 'opening' && asked.length > 0) late.push(`${hops}: ${asked.join(' ')}`)
    }

    expect(late).toEqual([])
  })

  it.each(['stop', 'abort'] as const)('by %s in a hook of the dispatch is the end of the dispatch', async (how) => {
    const seeds = hosts(4)
    const { asked } = await run(pagesOf(seeds), { spider: pathSpider(seeds), plugins: [holder()] }, (made) => {
      made.hooks.onTrace.tap('test', ({ kind }) => void (kind === 'retired' && made[how]()))
    })

    expect(asked).toEqual([])
  })

  it.each<[string, (made: () => Crawl) => Parameters<typeof run>[1]]>([
    [
      'a handler',
      (made) => ({
        spider: pathSpider(hosts(1), {
          handlers: {
            *start(page) {
              yield { path: page.url.pathname }
              made().stop()
            },
          },
        }),
      }),
    ],
    [
      'a plugin',
      (made) => ({ spider: pathSpider(hosts(1)), plugins: [definePlugin({ name: 'stop', onResponse: () => made().stop() })] }),
    ],
  ])('by %s commits the page that it has at hand', async (_who, config) => {
    let made: Crawl | undefined
    const { items, report } = await run(
      pagesOf(hosts(1)),
      config(() => made ?? expect.fail('expected a crawl')),
      (crawl) => (made = crawl),
    )

    expect([items, report.run.items, report.ended]).toEqual([[{ path: '/' }], 1, 'stopped'])
  })
})

describe('a stop that recalls what may be sent twice', () => {
  const HUNG = { body: 'ok', afterMs: 100_000 }
  const POST: Seed = { url: 'http://h3.example/', method: 'POST', body: 'a=1' }

  function stopped(
    script: Parameters<typeof run>[0],
    config: Partial<Parameters<typeof run>[1]> = {},
    waits = [{ recallMs: 2_000 }],
  ) {
    const frontier = memoryFrontier()
    const seeds = Object.keys(script)
    const moments: CrawlStatus['drain'][] = []
    const first = run(
      script,
      { spider: pathSpider(seeds), timeLimits: { firstByteMs: 200_000 }, frontier, ...config },
      (made, clock) => {
        for (const [n, wait] of waits.entries()) clock.at(clock.now() + 5_000 + n * 500, () => made.stop(wait))
        for (const at of [5_100, 7_600]) clock.at(clock.now() + at, () => moments.push(made.status().drain))
      },
    )
    return first.then((ran) => ({ ...ran, frontier, moments, tookMs: ran.report.endedAt - ran.report.startedAt }))
  }

  it('takes back what is in flight 2 s after it, and blames nobody', async () => {
    const { report, tookMs, frontier } = await stopped(Object.fromEntries(hosts(4).map((url) => [url, HUNG])))

    expect(tookMs).toBe(7_000)
    expect(report).toMatchObject({
      ended: 'stopped',
      counts: { known: 4, waiting: 4, failed: 0 },
      run: { failed: 0, retried: 0 },
    })
    const again = await run(pagesOf(hosts(4)), { spider: pathSpider(hosts(4)), frontier })
    expect(again.report).toMatchObject({ ended: 'done', counts: { known: 4, done: 4, items: 4 } })
  })

  it('takes back a body that flows as well', async () => {
    const { tookMs, report } = await stopped({ 'http://h1.example/': { body: 'ok', bodyMs: 12_000 } })

    expect(tookMs).toBe(7_000)
    expect(report.counts).toMatchObject({ done: 0, waiting: 1 })
  })

  it('waits `drainMs` for what must not be sent twice, and settles it then as before', async () => {
    const { report, tookMs } = await stopped(
      { 'http://h3.example/': HUNG },
      { spider: { ...pathSpider([]), seeds: [POST] } satisfies Spider, drainMs: 10_000 },
    )

    expect(tookMs).toBe(15_000)
    expect(report).toMatchObject({ counts: { failed: 1, waiting: 0 }, failures: [{ reason: 'aborted', count: 1 }] })
  })

  it('is waited for no longer than `drainMs`, and says until when', async () => {
    const { tookMs, moments } = await stopped({ 'http://h1.example/': HUNG }, { drainMs: 1_000 })
    const usual = await stopped({ 'http://h1.example/': { bodyMs: 8_000 } })

    expect(tookMs).toBe(6_000)
    expect(moments).toMatchObject([{}])
    expect(moments[0]).not.toHaveProperty('recallAt')
    expect(usual.moments.map((drain) => [drain?.until, drain?.recallAt].map((at) => (at ?? 0) - usual.report.startedAt))).toEqual(
      [[35_000, 7_000]],
    )
  })

  it('may be hastened by a second one, and never slowed down', async () => {
    const patient = await stopped({ 'http://h1.example/': HUNG }, {}, [{ recallMs: 9_000 }, { recallMs: 1_000 }])
    const hasty = await stopped({ 'http://h1.example/': HUNG }, {}, [{ recallMs: 1_000 }, { recallMs: 9_000 }])

    expect([patient.tookMs, hasty.tookMs]).toEqual([6_500, 6_000])
  })

  it.each(['none', 'polite'])('leaves the next run as far from the last start as the host is owed (%s)', async (how) => {
    const policies = how === 'none' ? [] : polite({ rate: 'fixed', breaker: false, robots: false })
    const config = { policies, hosts: { '*': { delayMs: 20_000 } } }
    const { frontier, report } = await stopped({ 'http://h1.example/': HUNG }, config)
    const { asked } = await run(pagesOf(['http://h1.example/']), {
      ...config,
      spider: pathSpider(['http://h1.example/']),
      frontier,
      clock: new VirtualClock({ startAt: report.endedAt }),
    })

    expect(asked).toEqual(['+13000 /'])
  })
})

describe('a pause', () => {
  it('in a hook of the dispatch holds all that has not begun', async () => {
    const seeds = hosts(4)
    const { asked } = await run(pagesOf(seeds), { spider: pathSpider(seeds), plugins: [holder()] }, (made, clock) => {
      made.hooks.onTrace.tap('test', ({ kind }) => {
        if (kind !== 'retired') return
        made.pause('a test')
        clock.at(clock.now() + 5_000, () => made.resume())
      })
    })

    expect(asked).toEqual(['+0 /', '+5000 /', '+5000 /'])
  })
})
