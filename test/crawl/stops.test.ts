// When a crawl begins nothing more: at its last page, at a stop or a pause that comes from anywhere. Nothing that has come back is lost.
import { definePlugin, type Crawl } from '@avocet/core'
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
      made.hooks.onRetire.tap('test', () => made[how]())
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

describe('a pause', () => {
  it('in a hook of the dispatch holds all that has not begun', async () => {
    const seeds = hosts(4)
    const { asked } = await run(pagesOf(seeds), { spider: pathSpider(seeds), plugins: [holder()] }, (made, clock) => {
      made.hooks.onRetire.tap('test', () => {
        made.pause('a test')
        clock.at(clock.now() + 5_000, () => made.resume())
      })
    })

    expect(asked).toEqual(['+0 /', '+5000 /', '+5000 /'])
  })
})
