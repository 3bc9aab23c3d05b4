// Hosts of seeds that a function yielded in an earlier run, and has not yielded in this one: their pages wait, and belong to the crawl as they did.
import { memoryFrontier, spider, type CrawlConfig, type Spider } from 'avocet'
import { describe, expect, it } from 'vitest'
import { run } from '../harness.ts'
import { html, runs } from '../runs.ts'

const SHOP = 'http://shop.test/'
const OTHER = 'http://other.test/'
const INNER = 'http://127.0.0.9/'

const following = (seeds: Spider['seeds'], scope: Spider['scope'] = {}): Spider =>
  spider({
    name: 'queue',
    seeds,
    scope,
    handlers: {
      *start(page) {
        yield* page.links()
      },
    },
  })

/** A queue: what it has yielded it never yields again. */
const queue = (...urls: string[]): (() => AsyncIterable<string>) =>
  async function* () {
    for (;;) {
      const url = urls.shift()
      if (url === undefined) return
      yield url
    }
  }

const pathsOf = (asked: readonly string[]): readonly (string | undefined)[] => asked.map((line) => line.split(' ')[1]).toSorted()

const SCRIPT = {
  [SHOP]: html(),
  [`${SHOP}late`]: html(),
  [OTHER]: html('/1'),
  [`${OTHER}1`]: html('/2'),
  [`${OTHER}2`]: html('http://www.other.test/3'),
  'http://www.other.test/3': html(),
  [INNER]: html('/1'),
  [`${INNER}1`]: html(),
}

describe('the host of a seed that a function yielded in an earlier run', () => {
  it.each(['memory', 'sqlite'])('belongs to the crawl when its pages are handled in this one (%s)', async (kind) => {
    const [first, second] = await runs(
      kind,
      { script: SCRIPT, spider: following([]) },
      { spider: following(queue(SHOP, OTHER)), maxPages: 2 },
      { spider: following(queue(`${SHOP}late`)) },
    )

    expect(first?.asked).toEqual(['GET /', 'GET /'])
    expect(second?.asked.toSorted()).toEqual(['GET /1', 'GET /2', 'GET /late'])
  })

  it('lets the hosts of its domain in, where the scope has domains', async () => {
    const frontier = memoryFrontier()
    const scope = { within: 'seed-domains' } as const
    await run(SCRIPT, { frontier, spider: following(queue(OTHER), scope), maxPages: 1 })

    const { asked } = await run(SCRIPT, { frontier, spider: following(queue(SHOP), scope) })

    expect(pathsOf(asked)).toEqual(['/', '/1', '/2', '/3'])
  })

  it('gets the header fields of the crawl, and may be a private address', async () => {
    const frontier = memoryFrontier()
    const config: Partial<CrawlConfig> = { frontier, headers: { 'x-key': 'tea' } }
    await run(SCRIPT, { ...config, spider: following(queue(INNER)), maxPages: 1 })

    const { seen } = await run(SCRIPT, { ...config, spider: following(queue(SHOP)) })

    const felt = seen.map(({ outbound: { url, headers, privateAllowed } }) => `${url} ${headers['x-key']} ${privateAllowed}`)
    expect(felt.toSorted()).toEqual([`${INNER}1 tea true`, `${SHOP} tea false`])
  })

  it('belongs to the crawl as well where only another process has read the seed, once that is requested', async () => {
    const frontier = memoryFrontier()
    await run(SCRIPT, { frontier, spider: following([SHOP, OTHER]), maxPages: 1 })

    const { asked } = await run(SCRIPT, { frontier, spider: following(queue(`${SHOP}late`)) })

    expect(pathsOf(asked)).toEqual(['/', '/1', '/2', '/late'])
  })

  it('does not, once seeds are a list that does not name it', async () => {
    const frontier = memoryFrontier()
    await run(SCRIPT, { frontier, spider: following(queue(SHOP, OTHER)), maxPages: 2 })

    const { asked } = await run(SCRIPT, { frontier, spider: following([SHOP]) })

    expect(pathsOf(asked)).toEqual(['/1'])
  })
})
