// A host that gave items and gives none any more is named first, wherever hosts are listed.
import { definePlugin, crawl, spider } from 'avocet'
import { journal } from '@avocet/plugin-journal'
import { sqlite } from '@avocet/plugin-sqlite'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from '../run-cli.ts'

/** Two hosts of thirty pages; after twelve pages of it, one of them gives nothing. */
async function storeOfTwo(): Promise<{ folder: string; path: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-dry-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'shops.db')
  const clock = new VirtualClock()
  const hosts = ['a.test', 'b.test'].map((name) => ({ name, pages: { kind: 'tree' as const, pages: 30 } }))
  let pages = 0
  const shops = spider({
    name: 'shops',
    seeds: ['http://a.test/', 'http://b.test/'],
    handlers: {
      *start(page) {
        yield* page.links()
        if (page.url.hostname === 'a.test' || ++pages <= 12) yield { url: page.url.href }
      },
    },
  })
  const drops = definePlugin({ name: 'drops', onItem: (item) => (JSON.stringify(item).endsWith('a.test/"}') ? null : item) })
  const fetcher = simulatedWeb(siteModel({ seed: 'dry', hosts }), { clock })
  const made = crawl({
    policies: [],
    spider: shops,
    plugins: [drops, journal()],
    frontier: sqlite(path, { clock }),
    clock,
    fetcher,
  })
  await clock.run(() => made.run())
  return { folder, path }
}

it('avocet hosts and report name it first, with what it gave before', { timeout: 60_000 }, async () => {
  const { folder, path } = await storeOfTwo()

  const hosts = await runCli(['hosts', '--store', path], { folder })
  const [, first = '', second = ''] = hosts.stdout.split('\n')
  expect(first).toMatch(/^b\.test .* 12 +broken layout: no items in the last 18 pages of handler start, after 12 items$/)
  expect(second).toMatch(/^a\.test .* 29 +fine$/)

  const json = await runCli(['hosts', '--store', path, '--json'], { folder })
  const listed = JSON.parse(json.stdout) as { hosts: { handlers: unknown[] }[] }
  expect(listed.hosts.map(({ handlers }) => handlers)).toMatchObject([
    [{ handler: 'start', items: 12, pages: 30, barren: 18, driedUp: true }],
    [{ handler: 'start', items: 29, dropped: 1, driedUp: false }],
  ])

  const report = await runCli(['report', path], { folder })
  expect(report.stdout).toContain(
    '\n\nbroken layout:\n  b.test: no items in the last 18 pages of handler start, after 12 items\n',
  )
  const host = await runCli(['report', path, '--host', 'a.test'], { folder })
  expect(host.stdout).toMatch(/Items\n +handler start +29 items of 30 pages, 1 dropped by plugins\n/)
})
