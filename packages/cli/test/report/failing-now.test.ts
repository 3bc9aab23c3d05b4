// A handler that fails on some pages of each round is named by host and handler wherever a crawl is looked at, with its last good visit.
import { crawl, spider } from 'avocet'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { journal } from '@avocet/plugin-journal'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { crawlAtRest } from '../../src/store/at-rest.ts'
import { ShownRun } from '../../src/crawl/open-metrics.ts'
import { hostIndexOf } from '../../src/store/host-index.ts'
import { WatchedCrawl } from '../../src/ui/watched-crawl.ts'
import { CrawlWatcher } from '../../src/view/crawl-watcher.ts'
import { frame } from '../../src/view/frame.ts'
import { runCli } from '../run-cli.ts'

const HOUR_MS = 3_600_000
const folder = mkdtempSync(join(tmpdir(), 'avocet-failing-'))
const path = join(folder, 'shops.db')
const clock = new VirtualClock()

/** What the crawl is run with for so many hours. */
function configured(hours: number) {
  const hosts = ['broken.test', 'fine.test'].map((name) => ({ name, pages: { kind: 'list' as const, pages: 40 } }))
  const model = siteModel({ seed: 'failing', hosts })
  const shops = spider({
    name: 'shops',
    seeds: model.seeds(),
    handlers: {
      *start(page) {
        yield* page.links()
        const id = Number(/\d+/.exec(page.url.pathname)?.[0] ?? 0)
        if (page.url.hostname === 'broken.test' && id % 5 === 4) throw new TypeError('no price')
        yield { url: page.url.href }
      },
    },
  })
  const fetcher = simulatedWeb(model, { clock })
  const config = { policies: [], delayMs: 10, recrawl: [{ everyMs: HOUR_MS }], maxTimeMs: hours * HOUR_MS, plugins: [journal()] }
  return { ...config, spider: shops, frontier: sqlite(path, { clock }), clock, fetcher }
}

beforeAll(async () => {
  const made = crawl(configured(3.5))
  await clock.run(() => made.run())
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the broken host is named, with the handler and its last good visit, and no other is', async () => {
  const reader = await openReader(path)
  const { driedUp, conditions } = await (await crawlAtRest(reader)).report({ now: clock.now() })
  await reader.close()

  expect(conditions).toEqual({ 'broken layout': 1, fine: 1 })
  expect(driedUp).toMatchObject([{ hostKey: 'broken.test', handler: 'start' }])
  expect(driedUp[0]?.why).toMatch(/^handler start failed on [2-5] of its last 16 pages, last good visit 29 min .* ago$/)
  for (const command of ['hosts', 'status', 'report']) {
    const { stdout } = await runCli([command, path], { folder })
    expect(stdout).toMatch(/broken\.test.*handler start failed on [2-5] of its last 16 pages, last good visit/)
    expect(stdout).not.toMatch(/fine\.test.*failed on/)
  }
})

it('the live view, the tab Now and the metrics have the word for it that hosts has', async () => {
  const config = configured(0.75)
  const { reader } = config.frontier
  const run = crawl(config)
  using shown = new ShownRun({ url: '', show: (look) => void (scrape = look), close: () => {} }, clock)
  let scrape: () => unknown = () => undefined
  const index = hostIndexOf(reader, clock)
  shown.watch(run, (name) => name, index)
  const watcher = new CrawlWatcher({ crawl: run, index, config })
  const page = new WatchedCrawl({ name: 'shops', store: path, reader, config, clock, folder })
  const seen = { lines: new Set<string>(), words: new Set<string>(), now: {}, scraped: {} }
  const look = (): void => {
    const scene = watcher.look(9)
    frame(scene, { columns: 160, rows: 24 }).forEach((line) => seen.lines.add(line.replace(/last good visit.*/, '').trim()))
    scene.rows.forEach(({ hostKey, state }) => seen.words.add(`${hostKey} ${state}`))
    if (run.status().phase !== 'closed') clock.at(clock.now() + 250, look)
  }
  const ask = async (): Promise<void> => {
    using _hold = clock.hold('test')
    seen.now = await page.now()
    seen.scraped = (await scrape()) as object
  }
  run.hooks.open.tap('test', () => {
    look()
    clock.at(clock.now() + 0.5 * HOUR_MS, () => void ask())
  })
  await clock.run(() => run.run())

  expect([...seen.lines]).toContainEqual(
    expect.stringMatching(/^hosts 1 broken layout, 1 fine; broken\.test: handler start failed on \d of its last 16 pages,$/),
  )
  expect([...seen.words]).toEqual(expect.arrayContaining(['broken.test broken layout', 'fine.test fine']))
  expect(seen.now).toMatchObject({
    conditions: [
      { name: 'broken layout', count: 1 },
      { name: 'fine', count: 1 },
    ],
    inTrouble: [{ hostKey: 'broken.test', state: 'broken layout', why: expect.stringContaining('handler start failed on') }],
  })
  expect(seen.scraped).toMatchObject({ conditions: { 'broken layout': 1, fine: 1, unreachable: 0 } })
})

it('what fails is listed now, although it is due again', async () => {
  const { stdout } = await runCli(['failed', 'list', path], { folder })

  expect(stdout).toMatch(/^handler {4}http:\/\/broken\.test\/.* handler-threw, due again .*TypeError: no price/m)
  expect((await runCli(['report', path], { folder })).stdout).toMatch(/errors in handlers:\n {2}\d+ × .*TypeError: no price/)
})
