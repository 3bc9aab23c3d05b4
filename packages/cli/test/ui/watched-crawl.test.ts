// The sources of the page on a crawl on virtual time: its numbers, the story of a host and of a page, and what can be done.
import { changerWithin } from '../../src/failed/given-up-change.ts'
import { describe, expect, it } from 'vitest'
import { crawl, memoryFrontier, spider } from 'avocet'
import { journal } from '@avocet/plugin-journal'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { CrawlSteering } from '../../src/ui/crawl-steering.ts'
import { WatchedCrawl } from '../../src/ui/watched-crawl.ts'
import { CrawlWatcher } from '../../src/view/crawl-watcher.ts'

/** A crawl of 20 pages on virtual time; `seen` is called a few seconds after it began. */
async function watched(seen: (source: WatchedCrawl, steering: CrawlSteering) => Promise<void>): Promise<void> {
  const clock = new VirtualClock()
  const model = siteModel({ seed: 'page', hosts: [{ name: 'quotes.test', pages: { kind: 'quotes', quotes: 100 } }] })
  const frontier = memoryFrontier()
  const config = {
    spider: spider({
      name: 'quotes',
      seeds: [...model.seeds(), 'http://quotes.test/none'],
      handlers: {
        *start(page) {
          yield { url: page.url.href }
          yield* page.links('a')
        },
      },
    }),
    ...{ policies: polite(), plugins: [journal()], clock, frontier, fetcher: simulatedWeb(model, { clock }) },
  }
  const run = crawl(config)
  const watcher = new CrawlWatcher({ crawl: run, config })
  const source = new WatchedCrawl({
    name: 'quotes',
    store: ':memory:',
    reader: frontier.reader,
    config,
    clock,
    folder: '/',
    live: () => watcher.look(0),
  })
  const steering = new CrawlSteering({
    reins: {
      status: () => run.status(),
      stop: () => run.stop(),
    },
    change: changerWithin(run, frontier, clock),
    order: (control) => run.control(control),
    isOrderedToPause: () => source.isOrderedToPause,
    isCrawled: () => true,
    now: () => clock.now(),
    changed: () => source.renew(),
  })
  let looked: Promise<void> | undefined
  clock.at(clock.now() + 5_000, () => {
    const hold = clock.hold('test')
    looked = seen(source, steering).finally(() => {
      hold[Symbol.dispose]()
      run.stop()
    })
    // A test that failed says so below.
    looked.catch(() => undefined)
  })
  await clock.run(() => run.run())
  await looked
}

const ALWAYS = ['pause-host', 'resume-host', 'limit-host', 'forget-host', 'add', 'reopen', 'drop']

describe('the source of the page', () => {
  it('has the numbers of the crawl, and its items', async () => {
    await watched(async (source) => {
      const { known, done, waiting, failed, live } = await source.now()
      const { count, items } = await source.items()

      // One page is moved, or fetched at this moment.
      expect(known - done - waiting - failed).toBeGreaterThanOrEqual(0)
      expect(known - done - waiting - failed).toBeLessThanOrEqual(1)
      expect(done).toBeGreaterThan(0)
      expect(live?.requests).toBeGreaterThan(done)
      expect(items).toHaveLength(Math.min(50, count))
      expect(items.map(({ seq }) => seq)).toEqual(items.map(({ seq }) => seq).toSorted((a, b) => b - a))
    })
  })

  it('has the story of a host, and of a page with the pages that led to it', async () => {
    await watched(async (source) => {
      const host = await source.host('quotes.test')
      const { items } = await source.items()
      const url = await source.url(items[0]?.url ?? '')

      expect(host?.story.join('\n')).toContain('quotes.test')
      expect(host?.series.points.reduce((sum, { requests }) => sum + requests, 0)).toBeGreaterThan(0)
      expect([url.hostKey, url.requests.length, url.parents.length > 0]).toEqual(['quotes.test', 1, true])
      expect(await source.host('unknown.test')).toBe(undefined)
      expect((await source.url('no url')).hostKey).toBe(null)
    })
  })

  it('has pages that were given up, which wait again when they are retried', async () => {
    await watched(async (source, steering) => {
      const { classes } = await source.failures()
      expect(classes).toMatchObject([
        { name: 'permanent', count: 1, heals: false, samples: [{ url: 'http://quotes.test/none' }] },
      ])

      expect(await steering.act({ kind: 'reopen', failureClass: 'permanent' })).toBe('1 page waits again.')
      expect(await steering.act({ kind: 'reopen', failureClass: 'permanent' })).toBe('There was nothing to retry.')
      await expect(steering.act({ kind: 'reopen', failureClass: 'none' })).rejects.toMatchObject({ code: 'AVO_USAGE' })
    })
  })

  it('retries all given-up pages of a host, and of all hosts those of temporary failures', async () => {
    await watched(async (_source, steering) => {
      expect(await steering.act({ kind: 'reopen' })).toBe('There was nothing to retry.')
      expect(await steering.act({ kind: 'reopen', hostKey: 'quotes.test' })).toBe('1 page waits again.')
    })
  })

  it('drops given-up pages, by class and by URL, says what is left, and lists what was done', async () => {
    await watched(async (source, steering) => {
      expect(await steering.act({ kind: 'drop', failureClass: 'permanent' })).toBe('1 page dropped.')
      expect(await source.failures()).toMatchObject({ classes: [{ name: 'dropped', count: 1, isDropped: true, heals: false }] })
      expect(await steering.act({ kind: 'drop', failureClass: 'permanent' })).toBe('There was nothing to drop.')
      await expect(steering.act({ kind: 'drop', url: 'http://quotes.test/none' })).rejects.toThrow('which is dropped already')
      expect(await steering.act({ kind: 'reopen', url: 'http://quotes.test/none' })).toBe('1 page waits again.')
      const { orders } = await source.now()

      expect(orders.map(({ words }) => words)).toEqual(['1 failed page waits again', '1 failed page dropped'])
    })
  })

  it('offers what the crawl can do now', async () => {
    await watched(async (source, steering) => {
      expect(steering.offers).toEqual(['pause', 'stop', ...ALWAYS])
      await steering.act({ kind: 'pause' })
      expect(steering.offers).toEqual(['resume', 'stop', ...ALWAYS])
      expect(await source.head()).toMatchObject({ phase: 'paused', pausedFor: 'by an operator' })
      await steering.act({ kind: 'resume' })
      await expect(steering.act({ kind: 'resume' })).rejects.toMatchObject({ code: 'AVO_USAGE' })
      await steering.act({ kind: 'stop' })
      expect(steering.offers).not.toContain('pause')
    })
  })
})

describe('the source of the page at rest', () => {
  it.each([
    ['at rest while no process has it open', 0, 'at-rest'],
    ['crawled elsewhere by one that was heard from 2 s ago', 2_000, 'elsewhere'],
    ['not crawled by one that was killed 45 s ago', 45_000, 'silent'],
  ])('says that the crawl is %s', async (_what, silentMs, phase) => {
    const { reader } = memoryFrontier()
    const processes = silentMs === 0 ? [] : [{ machine: 'crawler-2', pid: 4_711, hosts: 1, since: 0, silentMs }]
    const info = { ...(await reader.info()), liveProcesses: processes.length, processes }
    const source = new WatchedCrawl({
      ...{ name: 'quotes', store: 'postgres://db.test/crawls', config: {}, clock: new VirtualClock(), folder: '/' },
      reader: { ...reader, info: () => Promise.resolve(info) },
    })

    expect(await source.head()).toMatchObject({ phase })
  })
})
