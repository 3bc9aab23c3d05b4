// A host whose pages broke without an error: what is said of it wherever hosts are, and in why with a page as it was beside as it is.
import { health } from '@avocet/plugin-health'
import { journal } from '@avocet/plugin-journal'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { crawl, spider } from 'avocet'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { hostIndexOf } from '../../src/store/host-index.ts'
import { runCli } from '../run-cli.ts'

const HOUR_MS = 3_600_000

/** A shop whose handler finds no price any more from the fifth hour on. */
async function storeOfShop(): Promise<{ folder: string; path: string; clock: VirtualClock }> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-suspect-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'shops.db')
  const clock = new VirtualClock()
  const from = clock.now()
  const shops = spider({
    name: 'shops',
    seeds: ['http://shop.test/'],
    items: { key: 'sku', watch: ['price'] },
    handlers: {
      *start(page) {
        yield* page.links('a.category')
        yield* page.links('a.product', { handler: 'product' })
      },
      *product(page) {
        const isBroken = page.fetchedAt - from > 4.9 * HOUR_MS
        yield { sku: page.url.pathname, price: isBroken ? null : (page.text('.price') ?? null) }
      },
    },
  })
  const prices = { everyMs: HOUR_MS, ratio: 0.05, validator: 'none' } as const
  const model = siteModel({
    seed: 'suspect',
    hosts: [{ name: 'shop.test', pages: { kind: 'shop', products: 10, categories: 1, prices } }],
  })
  const made = crawl({
    ...{ policies: [], plugins: [journal(), health()], delayMs: 1_000, maxTimeMs: 6.5 * HOUR_MS },
    recrawl: [{ everyMs: HOUR_MS, match: 'product' }],
    ...{ spider: shops, frontier: sqlite(path, { clock }), clock, fetcher: simulatedWeb(model, { clock }) },
  })
  await clock.run(() => made.run())
  return { folder, path, clock }
}

it('avocet status and why name the field that broke, with a page as it was and as it is', { timeout: 60_000 }, async () => {
  const { folder, path } = await storeOfShop()
  const status = await runCli(['status', path], { folder })
  const why = await runCli(['why', 'shop.test', path], { folder })
  const json = await runCli(['why', 'shop.test', path, '--json'], { folder })

  expect(status.stdout).toMatch(
    /broken layout shop\.test: suspect: field missing: price was [\d.]+ and is gone, on 3 of 3 pages of handler product, for/,
  )
  expect(why.stdout).toMatch(/held +\d+ visits: avocet rejects/)
  expect(why.stdout).toMatch(/state +broken layout: suspect: field missing: price/)
  expect(why.stdout).toMatch(/for instance +http:\/\/shop\.test\/product\/\S+, .+ ago\n +price +"[\d.,]+" → null\n/)
  expect(JSON.parse(json.stdout)).toMatchObject({
    suspect: { kind: 'field missing', field: 'price', handler: 'product', isItem: { reason: expect.any(String) } },
  })
})

it('the live view, the page, hosts and report name the field, and count what is held as items', { timeout: 60_000 }, async () => {
  const { folder, path, clock } = await storeOfShop()
  const reader = await openReader(path)
  onTestFinished(() => reader.close())
  const index = hostIndexOf(reader, clock)
  await index.read()
  const hosts = await runCli(['hosts', path], { folder })
  const report = await runCli(['report', path], { folder })

  const suspect = /suspect: field missing: price was [\d.]+ and is gone, .*; \d+ visits held/
  expect(index.get('shop.test')).toMatchObject({ state: 'broken layout', why: expect.stringMatching(suspect) as string })
  for (const said of [hosts, report].map(({ stdout }) => stdout.replaceAll(/\s+/g, ' '))) {
    expect(said).toMatch(suspect)
    expect(said.toLowerCase()).not.toContain('no items in the last')
  }
})
