// How large a store is, by what it holds, and how large it will be in a year.
import type { Fingerprint } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { sizeRows } from '../../src/store/store-size.ts'
import { runCli } from '../run-cli.ts'

const DAY_MS = 86_400_000
const MANY = 20_000

it('tells by kind what a store takes, and what it takes in a year', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-size-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'teas.db')
  const frontier = sqlite(path)
  await frontier.open({ name: 'teas', hostKeying: 'host' }, Date.now())
  const fetched = { at: Date.now(), status: 200, durationMs: 1, wireBytes: 1 }
  for (const [n, items] of [1, MANY].entries()) {
    const fingerprint = String(n).padStart(16, '0') as Fingerprint
    const url = `https://a.example/${n}`
    await frontier.add([{ fingerprint, hostKey: 'a.example', url, handler: 'start', depth: 0, priority: 0 }])
    const { leases } = await frontier.lease({ now: Date.now(), hosts: 1, requestsPerHost: 1 })
    const [lease] = leases
    if (lease === undefined) throw new Error('expected a lease')
    const json = JSON.stringify({ name: 'tea'.repeat(30) })
    const unit = { lease, requestId: lease.requests[0]?.id, outcome: { kind: 'done', fetched }, links: [] } as const
    await frontier.commit([{ ...unit, items: Array.from({ length: items }, () => ({ json })) }])
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    if (n === 0) await frontier.prune?.({ now: Date.now() - DAY_MS, itemsMs: 30 * DAY_MS, upToSeq: 0, afterSeq: 0 })
  }
  await frontier.close()

  const { bytes } = JSON.parse((await runCli(['status', 'teas.db', '--json'], { folder })).stdout) as {
    bytes: Record<string, number>
  }
  const file = statSync(path).size
  expect(bytes['items']).toBeGreaterThan(0.6 * file)
  expect(bytes['items']).toBeLessThan(file)
  expect((bytes['requests'] ?? 0) + (bytes['items'] ?? 0) + (bytes['memory'] ?? 0) + (bytes['free'] ?? 0)).toBe(file)
  const { stdout } = await runCli(['status', 'teas.db'], { folder })
  expect(stdout).toMatch(/^size +\d\S* MiB: \S+ KiB pages, \S+ MiB items/m)
  // No sink has them: a year of two million bytes a day and more.
  expect(stdout).toMatch(/ (?:8\d\d MiB|9\d\d MiB|1(?:\.\d)? GiB) in a year at the rate of the last days/)
})

it('says for how long it takes items to stay, which only the configuration knows', () => {
  const MIB = 2 ** 20
  const sizes = { requests: MIB, items: MIB, changes: 0, memory: 0, free: 0, daily: { items: 10 * MIB, rest: 0 } }

  const [, inAYear] = sizeRows(sizes, ['prices.csv'])

  expect(inAYear).toEqual(['', '301 MiB in a year at the rate of the last days, if items stay for 30 days (keep.itemsMs)'])
})
