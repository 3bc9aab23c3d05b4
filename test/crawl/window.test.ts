// The window of leased hosts follows the work under way, and never comes between a crawl and what matters most.
import { crawl, link, memoryFrontier, spider } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'
import { scriptedWeb } from './scripted-web.ts'
import { wideWeb } from './links/wide-web.ts'

/** A frontier that counts what is handed out and neither settled nor put back. */
function counted(inner: Frontier): { frontier: Frontier; mostOut(): number } {
  let out = 0
  let most = 0
  const handedOut = (count: number): void => {
    out += count
    most = Math.max(most, out)
  }
  const frontier: Frontier = {
    ...inner,
    async lease(want) {
      const result = await inner.lease(want)
      for (const { requests } of result.leases) handedOut(requests.length)
      return result
    },
    async refill(lease, n, now, putBack = []) {
      const result = await inner.refill(lease, n, now, putBack)
      out -= putBack.length
      handedOut(result.requests.length)
      return result
    },
    async commit(turns) {
      out -= turns.filter(({ requestId }) => requestId !== undefined).length
      return inner.commit(turns)
    },
  }
  return { frontier, mostOut: () => most }
}

describe('the window', () => {
  it('gives hosts back that must rest for long, and takes them again in time', async () => {
    const clock = new VirtualClock()
    const hosts = Array.from({ length: 300 }, (_, n) => `http://h${n}.test`)
    const refusal = { status: 429, headers: { 'retry-after': '600' } }
    const script = Object.fromEntries(hosts.map((host) => [`${host}/`, [refusal, { body: 'ok' }]]))
    const made = crawl({
      policies: [],
      spider: spider({
        name: 'many',
        seeds: hosts.map((host) => `${host}/`),
        handlers: {
          *start() {
            yield { ok: true }
          },
        },
      }),
      frontier: memoryFrontier(),
      concurrency: 20,
      randomSeed: 'x',
      clock,
      fetcher: scriptedWeb(clock, script),
    })
    let live = -1
    clock.at(clock.now() + 300_000, () => (live = made.status().liveHosts))

    const report = await clock.run(() => made.run())

    expect(live).toBe(0)
    expect(report).toMatchObject({ ended: 'done', run: { pages: 300, retried: 300 } })
    expect(report.endedAt - report.startedAt).toBeLessThan(670_000)
  })

  it('visits a link of high priority before everything that was fetched ahead', async () => {
    const HOST = 'http://shop.test'
    const many = Array.from({ length: 40 }, (_, n) => `${HOST}/p${n}`)
    const web = pathSpider([`${HOST}/`], {
      handlers: {
        *start(page) {
          if (page.url.pathname === '/') for (const url of many) yield link(url)
          if (page.url.pathname === '/p3') yield link('/urgent', { priority: 10 })
        },
      },
    })
    const script = Object.fromEntries([`${HOST}/`, `${HOST}/urgent`, ...many].map((url) => [url, { body: 'ok' }]))
    const { asked } = await run(script, { spider: web })

    expect(asked.slice(0, 7).map((line) => line.split(' ')[1])).toEqual(['/', '/p0', '/p1', '/p2', '/p3', '/urgent', '/p4'])
  })

  it('keeps a few hundred requests of a host in RAM, also where every page finds better ones than all before', async () => {
    const { frontier, mostOut } = counted(memoryFrontier())
    const clock = new VirtualClock()
    const depths: number[] = []
    const made = crawl({
      policies: [],
      spider: spider({
        name: 'deeper',
        seeds: ['http://deep.test/'],
        handlers: {
          *start({ url, request }) {
            depths.push(request.depth)
            const path = url.pathname === '/' ? '' : url.pathname
            for (let n = 0; n < 60; n++) yield link(`http://deep.test${path}/${n}`, { priority: request.depth + 1 })
          },
        },
      }),
      frontier,
      delayMs: 0,
      maxPages: 400,
      randomSeed: 'x',
      clock,
      fetcher: wideWeb(clock, () => ({ latencyMs: 30 })), // Longer than a group of commits takes to close.
    })
    await clock.run(() => made.run())

    expect(mostOut()).toBeLessThanOrEqual(300)
    // The best first, whatever went back: down a level with every page or two, until links are too deep.
    expect(depths.slice(0, 64)).toEqual(depths.slice(0, 64).sort((a, b) => a - b))
    expect(depths[64]).toBe(32)
  })

  it('keeps one pace for all hosts of a domain when hosts are keyed by domain', async () => {
    const urls = ['http://a.shop.test/', 'http://b.shop.test/', 'http://c.shop.test/']
    const { seen } = await run(Object.fromEntries(urls.map((url) => [url, { body: 'ok' }])), {
      spider: pathSpider(urls),
      hostKeying: 'domain',
    })

    expect(seen.map(({ at }, n) => at - (seen[n - 1]?.at ?? at))).toEqual([0, 1_000, 1_000])
  })
})
