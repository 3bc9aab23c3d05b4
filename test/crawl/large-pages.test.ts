// Pages large enough to stop the event loop: they are read in steps, and everything else goes on between them.
import { definePlugin, link, memoryFrontier, spider, type Handler } from 'avocet'
import type { Frontier, CommitUnit } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { countTurns } from '../../packages/core/test/count-turns.ts'
import { pathSpider, run } from './harness.ts'

const SHOP = 'http://shop.test'

describe('a large page', () => {
  it('leaves the event loop to others while it is read, and gives its handler all that it has', async () => {
    const body = `<title>Large</title>${'<p>x</p>'.repeat(500_000)}<a href=/small>y</a>`
    const seen: string[] = []
    let turns = 0
    let isOver = false
    const count = (): void => {
      turns++
      if (!isOver) setImmediate(count)
    }
    let turnsBefore = 0
    const shop = spider({
      name: 'test',
      seeds: [`${SHOP}/large`],
      handlers: {
        *start(page) {
          seen.push(`${page.url.pathname} ${page.title}`)
          if (page.url.pathname === '/large') turnsBefore = turns
          for (const { url } of page.anchors) yield link(url)
        },
      },
    })

    setImmediate(count)
    const { report } = await run(
      { [`${SHOP}/large`]: { body }, [`${SHOP}/small`]: { body: '<title>Small</title>' } },
      { spider: shop },
    )
    isOver = true

    expect(report).toMatchObject({ ended: 'done', counts: { done: 2 } })
    expect(seen).toEqual(['/large Large', '/small Small'])
    // 4 MB in steps of 256 KiB.
    expect(turnsBefore).toBeGreaterThan(15)
  })

  it('is read beside others of its kind in the order of their answers, and the run is the same each time', async () => {
    const body = '<p>x</p>'.repeat(100_000)
    const script = Object.fromEntries(['a', 'b', 'c'].map((name) => [`http://${name}.test/`, { body }]))
    const once = async (): Promise<readonly string[]> => {
      const seen: string[] = []
      const all = spider({
        name: 'test',
        seeds: Object.keys(script),
        handlers: {
          *start(page) {
            seen.push(page.url.host)
            yield { n: page.body.length }
          },
        },
      })
      const { report } = await run(script, { spider: all })
      expect(report).toMatchObject({ ended: 'done', counts: { done: 3 } })
      return seen
    }

    const first = await once()
    expect(first).toHaveLength(3)
    expect(await once()).toEqual(first)
  })
})

describe('a large page whose handler asks for its document', () => {
  const URLS = [`${SHOP}/first`, `${SHOP}/second`]
  const large = Object.fromEntries(URLS.map((url) => [url, { body: `<title>Large</title>${'<p>x</p>'.repeat(80_000)}` }]))

  /** Turns of the loop between the answer and the handler, which says when it begins: of the second such page. */
  async function turnsBefore(handler: (begun: () => void) => Handler<unknown>): Promise<number> {
    const turns = countTurns()
    let answeredAt = 0
    let handledAt = 0
    const begun = (): void => {
      handledAt = turns.now
    }
    const start = handler(begun)
    const { items } = await run(large, { spider: spider({ name: 'test', seeds: URLS, handlers: { start } }) }, ({ hooks }) => {
      hooks.onResponse.tap('test', () => {
        answeredAt = turns.now
      })
    })
    turns.stop()
    expect(items).toEqual([{ paragraphs: 80_000 }, { paragraphs: 80_000 }])
    return handledAt - answeredAt
  }

  it('leaves the event loop to others while it is built', async () => {
    // Half a megabyte in pieces of 32 KiB, a turn each.
    expect(
      await turnsBefore(
        (begun) =>
          function* (page) {
            begun()
            yield { paragraphs: page.$('p').length }
          },
      ),
    ).toBeGreaterThan(15)
  })

  it('does not make handlers wait for it that never ask', async () => {
    expect(
      await turnsBefore(
        (begun) =>
          function* (page) {
            begun()
            yield { paragraphs: page.body.split('<p>').length - 1 }
          },
      ),
    ).toBeLessThan(8)
  })
})

describe('a hundred pages that come at once', () => {
  /** Bytes of the pages that were handled in one turn of the event loop, at most. */
  async function mostInTurn(markup: string): Promise<number> {
    const turns = countTurns()
    const bytesInTurn = new Map<number, number>()
    const body = markup.repeat(100_000 / markup.length)
    const script = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`http://host-${n}.test/`, { body }]))
    const all = spider({
      name: 'test',
      seeds: Object.keys(script),
      handlers: {
        *start(page) {
          bytesInTurn.set(turns.now, (bytesInTurn.get(turns.now) ?? 0) + page.body.length)
          yield { title: page.title }
        },
      },
    })

    const { report } = await run(script, { spider: all, concurrency: 100 })
    turns.stop()

    expect(report).toMatchObject({ ended: 'done', counts: { done: 100, items: 100 } })
    return Math.max(...bytesInTurn.values())
  }

  it('are not all handled in one turn of the event loop', async () => {
    // 10 MB in all; answers come in one phase of the loop, what waited goes on in another.
    expect(await mostInTurn('<p>x</p>')).toBeLessThanOrEqual(2 * 512 * 2 ** 10)
  })
})

describe('documents of half a megabyte that plugins require of a hundred hosts', () => {
  it('are not all read in one turn of the event loop, and each page comes after its own', async () => {
    const turns = countTurns()
    const inTurn = new Map<number, number>()
    const hosts = Array.from({ length: 100 }, (_, n) => `http://host-${n}.test`)
    const body = 'x'.repeat(500_000)
    const script = Object.fromEntries(
      hosts.flatMap((host) => [
        [`${host}/`, { body: 'ok' }],
        [`${host}/rules`, { body }],
      ]),
    )
    const rules = definePlugin<{ has?: boolean }>({
      name: 'rules',
      hostMemory: () => ({}),
      admit(ask, memory) {
        if (memory.has === true || ask.nextUrl === undefined) return
        ask.require(new URL('/rules', ask.nextUrl).href, () => {
          memory.has = true
          inTurn.set(turns.now, (inTurn.get(turns.now) ?? 0) + 1)
        })
      },
    })

    const { report, asked } = await run(script, {
      spider: pathSpider(hosts.map((host) => `${host}/`)),
      plugins: [rules],
      concurrency: 100,
    })
    turns.stop()

    expect(report).toMatchObject({ ended: 'done', counts: { done: 100 } })
    expect(asked.filter((line) => line.endsWith('/rules'))).toHaveLength(100)
    expect(Math.max(...inTurn.values())).toBeLessThanOrEqual(2)
  })
})

describe('a page with very many links', () => {
  const links = 25_000
  const hub = spider({
    name: 'test',
    seeds: [`${SHOP}/`],
    handlers: {
      *start(page) {
        yield { path: page.url.pathname }
        if (page.url.pathname === '/') for (let n = 0; n < links; n++) yield link(`/${n}`)
      },
    },
  })

  it('has them looked at in steps, and no more than a thousand written in one turn of the event loop', async () => {
    const turns = countTurns()
    const looked = new Map<number, number>()
    const written = new Map<number, number>()
    const frontier = watched((batch) => {
      const rows = batch.reduce((sum, each) => sum + each.links.length, 0)
      written.set(turns.now, (written.get(turns.now) ?? 0) + rows)
    })

    const { report } = await run({ [`${SHOP}/`]: { body: 'Hub' } }, { spider: hub, frontier, maxPages: 1 }, ({ hooks }) => {
      hooks.onDiscover.tap('test', () => {
        looked.set(turns.now, (looked.get(turns.now) ?? 0) + 1)
      })
    })
    turns.stop()

    expect(report.counts).toMatchObject({ done: 1, items: 1, known: 1 + links })
    expect(Math.max(...looked.values())).toBeLessThanOrEqual(4_000)
    expect(Math.max(...written.values())).toBeLessThanOrEqual(3_000)
    expect(Math.max(...looked.values(), ...written.values())).toBeGreaterThan(0)
  })

  it('is settled once, with its items, and with all of its links', async () => {
    const batches: (readonly CommitUnit[])[] = []
    const settled: number[] = []

    await run(
      { [`${SHOP}/`]: { body: 'Hub' } },
      { spider: hub, frontier: watched((batch) => batches.push(batch)), maxPages: 1 },
      (made) => {
        made.hooks.onSettled.tap('test', ({ added }) => {
          settled.push(added)
        })
      },
    )

    const outcomes = batches.flat().filter(({ outcome }) => outcome !== undefined)
    expect(settled).toEqual([links])
    expect(outcomes).toHaveLength(1)
    expect(outcomes[0]?.items).toHaveLength(1)
    expect(Math.max(...batches.map((batch) => batch.reduce((sum, turn) => sum + turn.links.length, 0)))).toBe(1_000)
  })

  it('waits in the store, without its items, when the crawl dies between its links and its end', async () => {
    let commits = 0
    const frontier = watched(() => {
      if (++commits === 10) throw new Error('killed')
    })

    const { report } = await run({ [`${SHOP}/`]: { body: 'Hub' } }, { spider: hub, frontier, maxPages: 1 }).catch(() => ({
      report: undefined,
    }))

    expect(report?.ended).not.toBe('done')
    const counts = await frontier.reader.counts()
    expect(counts).toMatchObject({ done: 0, items: 0 })
    expect(counts.known).toBeGreaterThan(1)
  })
})

/** A frontier whose commits are looked at first. */
function watched(look: (turns: readonly CommitUnit[]) => void): Frontier {
  const frontier = memoryFrontier()
  const commit = frontier.commit.bind(frontier)
  frontier.commit = async (turns) => {
    look(turns)
    return commit(turns)
  }
  return frontier
}
