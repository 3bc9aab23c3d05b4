// A host that is closed for the day is no host in trouble, and status, hosts and why say when it is visited.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, spider } from 'avocet'
import { sqlite } from '@avocet/plugin-sqlite'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from '../run-cli.ts'

it('status, hosts and why say in which hours a host is visited', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-closed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = new VirtualClock({ startAt: Date.now() })
  const path = join(folder, 'shops.db')
  const at = (hours: number): string => new Date(clock.now() + hours * 3_600_000).toISOString().slice(11, 16)
  const model = siteModel({ seed: 'closed', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 3 } }] })
  const shops = spider({ name: 'shops', seeds: model.seeds(), handlers: { start: () => [] } })
  const words = `visited from ${at(2)} to ${at(3)} UTC`
  const hosts = { '*': { between: [at(2), at(3)], timeZone: 'UTC' } as const }
  const parts = { policies: [], hosts, frontier: sqlite(path, { clock }), clock, fetcher: simulatedWeb(model, { clock }) }

  await clock.run(() => crawl({ spider: shops, ...parts, maxTimeMs: 60_000 }).run())
  await parts.frontier.close()

  const [status, listed] = await Promise.all(['status', 'hosts'].map((command) => runCli([command, path], { folder })))
  expect(status?.stdout).toMatch(/^hosts +1: 1 fine\nclosed +1 host; shop\.test: visited from \S+ to \S+ UTC, next request in /m)
  expect(listed?.stdout).toContain(`fine: ${words}; next request in `)
  expect((await runCli(['why', 'shop.test', '--store', path], { folder })).stdout).toContain(words)
})
