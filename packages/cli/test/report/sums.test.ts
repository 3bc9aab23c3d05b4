// What is told of one store in several places adds up: hosts by condition, pages by state, failures by reason, on the page, in JSON and in lines.
import { crawl, spider } from 'avocet'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec } from '@avocet/simulator'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { treatmentOf } from '../../../project/src/plan/policies.ts'
import { WatchedCrawl } from '../../src/ui/watched-crawl.ts'
import { runCli } from '../run-cli.ts'

const HOSTS: readonly HostSpec[] = [
  ...[1, 2, 3].map((n): HostSpec => ({
    name: `shop-${n}.test`,
    pages: { kind: 'tree', pages: 12, extras: { missing: 2, redirects: 2 } },
  })),
  { name: 'reset.test', pages: { kind: 'list', pages: 4 }, death: 'reset' },
  { name: 'refuse.test', pages: { kind: 'list', pages: 4 }, death: 'refuse' },
  { name: 'hang.test', pages: { kind: 'list', pages: 4 }, death: 'hang' },
]
const folder = mkdtempSync(join(tmpdir(), 'avocet-sums-'))
const path = join(folder, 'shops.db')
const clock = new VirtualClock()

type Listed = { readonly hostKey: string; readonly condition: string; readonly failed: number; readonly done: number }
type Stored = {
  readonly counts: Record<'known' | 'waiting' | 'done' | 'moved' | 'failed' | 'hosts', number>
  readonly conditions: Record<string, number>
  readonly failures: readonly { readonly count: number }[]
}
async function json<Answer>(...command: string[]): Promise<Answer> {
  return JSON.parse((await runCli([...command, '--json'], { folder })).stdout) as Answer
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((all, each) => all + each, 0)

beforeAll(async () => {
  const model = siteModel({ seed: 'sums', hosts: HOSTS })
  const shops = spider({
    name: 'shops',
    seeds: model.seeds(),
    handlers: {
      *start(page) {
        yield* page.links()
        yield { url: page.url.href }
      },
    },
  })
  const fetcher = simulatedWeb(model, { clock })
  const made = crawl({ ...treatmentOf({}), spider: shops, frontier: sqlite(path, { clock }), clock, fetcher, patienceMs: 5_000 })
  await clock.run(() => made.run())
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a store', () => {
  it('has hosts that fail as unreachable, also once their wait has ended', async () => {
    const { hosts } = await json<{ hosts: readonly Listed[] }>('hosts', path)
    const failing = hosts.filter(({ condition }) => condition === 'unreachable').map(({ hostKey }) => hostKey)

    expect(failing.toSorted()).toEqual(['hang.test', 'refuse.test', 'reset.test'])
    expect((await runCli(['hosts', path], { folder })).stdout).not.toContain('ready')
  })

  it('adds up, and to the same, in hosts, status, report, why and page', async () => {
    const { hosts } = await json<{ hosts: readonly Listed[] }>('hosts', path)
    const status = await json<Stored>('status', path)
    const report = await json<Stored & { hosts: readonly Listed[]; deadLetters: readonly { count: number }[] }>('report', path)
    const reader = await openReader(path)
    const page = new WatchedCrawl({ name: 'shops', store: path, reader, config: {}, clock, folder, isPatient: true })
    const { rows } = await page.hosts({ search: '', sort: 'trouble', state: 'all', from: 0, count: 100 })
    const now = await page.now()
    await reader.close()

    const { known, waiting, done, moved, failed } = status.counts
    expect(waiting + done + moved + failed).toBe(known)
    expect(now.waiting + now.done + now.moved + now.failed).toBe(now.known)
    expect(now).toMatchObject({ known, waiting, done, moved, failed })
    expect(sum(status.failures.map(({ count }) => count))).toBe(failed)
    expect(sum(report.deadLetters.map(({ count }) => count))).toBe(failed)
    expect(sum(now.failures.map(({ count }) => count))).toBe(failed)
    expect(sum(hosts.map((host) => host.failed))).toBe(failed)
    expect(sum(hosts.map((host) => host.done))).toBe(done)

    expect(sum(Object.values(status.conditions))).toBe(status.counts.hosts)
    expect(report.conditions).toEqual(status.conditions)
    const conditionOf = new Map(hosts.map(({ hostKey, condition }) => [hostKey, condition]))
    expect(new Map(report.hosts.map(({ hostKey, condition }) => [hostKey, condition]))).toEqual(conditionOf)
    expect(new Map(rows.map(({ hostKey, state }) => [hostKey, state]))).toEqual(conditionOf)
    for (const [hostKey, condition] of conditionOf)
      expect(await json<Listed>('why', hostKey, '--store', path)).toMatchObject({ condition })
  })
})
