// A handler that fails on some pages of each round is named by host and handler wherever a crawl is looked at, with its last good visit.
import { crawl, spider } from 'avocet'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atRest } from '@avocet/core/tools'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli } from '../run-cli.ts'

const HOUR_MS = 3_600_000
const folder = mkdtempSync(join(tmpdir(), 'avocet-failing-'))
const path = join(folder, 'shops.db')
const clock = new VirtualClock()

beforeAll(async () => {
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
  const config = { policies: [], delayMs: 10, recrawl: [{ everyMs: HOUR_MS }], maxTimeMs: 3.5 * HOUR_MS }
  const made = crawl({ ...config, spider: shops, frontier: sqlite(path, { clock }), clock, fetcher })
  await clock.run(() => made.run())
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the broken host is named, with the handler and its last good visit, and no other is', async () => {
  const reader = await openReader(path)
  const { driedUp, conditions } = await (await atRest(reader)).report({ now: clock.now() })
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

it('what fails is listed now, although it is due again', async () => {
  const { stdout } = await runCli(['dlq', 'list', path], { folder })

  expect(stdout).toMatch(/^handler {4}http:\/\/broken\.test\/.* handler-threw, due again .*TypeError: no price/m)
  expect((await runCli(['report', path], { folder })).stdout).toMatch(/errors in handlers\n {2}\d+ × .*TypeError: no price/)
})
