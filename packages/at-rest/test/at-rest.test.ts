// A store that is read without a crawl: it says what the crawl said at its end, and no more of its hosts than is asked for.
import { definePlugin, memoryFrontier } from 'avocet'
import type { HostRecord } from '@avocet/core/store'
import { atRest, type CrawlAtRest, Orders } from '@avocet/at-rest'
import { journal } from '@avocet/plugin-journal'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { newRequest, SPEC } from '../../testkit/src/contracts/frontier/story.ts'
import { pathSpider, run } from '../../../test/crawl/harness.ts'

const counting = definePlugin({
  name: 'counting',
  hostMemory: () => ({ pages: 0 }),
  onResponse: (_answer, memory) => void memory.pages++,
  explain: (_asked, { pages }) => ({ pages }),
  open: (session) => session.keep('counting text', () => 'kept'),
})

const spider = pathSpider(['http://one.test/', 'http://one.test/gone', 'http://two.test/'], {
  scope: { blockedHosts: ['far.test'] },
  handlers: {
    *start(page) {
      yield { path: page.url.pathname }
      yield* page.links('a')
    },
  },
})
const headers = { 'content-type': 'text/html' }
const script = {
  'http://one.test/': { body: '<a href="http://far.test/a">far</a><a href="http://far.test/b">far</a>', headers },
  'http://one.test/gone': { status: 404, body: 'gone', headers },
  'http://two.test/': { body: '<p>nothing</p>', headers },
}

async function hostsOf(crawl: CrawlAtRest, ...wish: Parameters<CrawlAtRest['hosts']>): Promise<readonly HostRecord[]> {
  const hosts: HostRecord[] = []
  for await (const host of crawl.hosts(...wish)) hosts.push(host)
  return hosts
}

describe('a crawl at rest', async () => {
  const clock = new VirtualClock()
  const { report, frontier } = await run(script, { spider, clock, plugins: [counting], secretParameters: ['key'] })
  const crawl = await atRest(frontier.reader, [journal()])

  it('has the report that the run ended with', async () => {
    const stored = await crawl.report({ now: report.endedAt })

    expect(report).toMatchObject(stored)
    expect(stored).toMatchObject({ counts: { done: 2, failed: 1, items: 2 }, failures: [{ reason: 'http-404', count: 1 }] })
  })

  it('reads of its hosts what is asked for', async () => {
    const partsOf = async (...wish: Parameters<CrawlAtRest['hosts']>): Promise<readonly string[][]> =>
      (await hostsOf(crawl, ...wish)).map(({ memory }) => Object.keys(memory).toSorted())

    expect(await partsOf({ memory: 'none' })).toEqual([[], []])
    expect(await partsOf({ memory: 'core' })).toEqual([
      ['core', 'journal'],
      ['core', 'journal'],
    ])
    expect(await partsOf()).toEqual([
      ['core', 'counting', 'fixed-delay', 'journal', 'traps'],
      ['core', 'counting', 'fixed-delay', 'journal', 'traps'],
    ])
  })

  it('knows what plugins know of a host', async () => {
    const [one] = await hostsOf(crawl)
    if (one === undefined) throw new Error('expected a host')

    expect(crawl.explain(one, { plugins: [counting], now: clock.now() }).values).toEqual({ counting: { pages: 2 } })
  })

  it('counts links that were not followed, by rule and by host', async () => {
    expect((await crawl.report({ now: 0 })).refusedLinks).toMatchObject([{ rule: 'blocked-host', count: 2 }])
    expect(await crawl.refusedLinksTo('far.test')).toEqual([{ rule: 'blocked-host', count: 2 }])
    expect(await crawl.refusedLinksTo('two.test')).toEqual([])
  })

  it('has the texts and the secret names that processes left', () => {
    expect(crawl.texts('counting text')).toEqual(['kept'])
    expect(crawl.texts('other')).toEqual([])
    expect(crawl.secretParameters).toEqual(['key'])
  })

  it('has the orders of operators, which hold its hosts', async () => {
    await Orders.give(frontier, { kind: 'pause-host', hostKey: 'two.test' }, clock.now())
    const later = await atRest(frontier.reader)
    const [one, two] = (await hostsOf(later)).map((host) => later.explain(host, { plugins: [], now: clock.now() }).holds)

    expect([one, two]).toMatchObject([[], [{ by: 'operator', why: 'paused' }]])
  })
})

describe('a store of more hosts than a reader hands out at a time', () => {
  it.each(['all', 'none'] as const)('has each once, in the order of their keys: %s', async (memory) => {
    const frontier = memoryFrontier()
    await frontier.open(SPEC, 0)
    const urls = Array.from({ length: 2_050 }, (_, n) => `h${String(n).padStart(4, '0')}.test/1`)
    await frontier.add(urls.map((url) => newRequest(url)))

    const keys = (await hostsOf(await atRest(frontier.reader), { memory })).map(({ hostKey }) => hostKey)

    expect(keys).toEqual(urls.map((url) => url.replace('/1', '')))
  })
})
