// A store is looked over when a crawl opens it, within a bound: SQLite itself notices no pages that are each in the place of the other.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fingerprint } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'checked', hostKeying: 'host' }
const PAGE_BYTES = 16_384

async function made(requests: number, pathLength = 100): Promise<string> {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  const path = join(folder.path, 'store.db')
  const frontier = sqlite(path, { synchronous: 'normal' })
  await frontier.open(SPEC, 0)
  await frontier.add(
    Array.from({ length: requests }, (_, n) => {
      const hostKey = `host-${n % 500}.example`
      const fingerprint = String(n).padStart(16, '0') as Fingerprint
      return {
        fingerprint,
        hostKey,
        url: `https://${hostKey}/${n}/${'x'.repeat(pathLength)}`,
        handler: 'start',
        depth: 0,
        priority: 0,
      }
    }),
  )
  await frontier.close()
  return path
}

/** Swaps two pages of the lowest level of each of these. */
function swap(path: string, ...names: readonly [string, string]): void {
  const db = new Database(path)
  const [one = 0, other = 0] = names.map((name, nth) => {
    const leaves = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno LIMIT 1 OFFSET ?"
    return (
      db.prepare<unknown[], number>(leaves).pluck().get(name, nth) ??
      db.prepare<unknown[], number>(leaves).pluck().get(name, 0) ??
      0
    )
  })
  db.close()
  const sound = readFileSync(path)
  const bytes = Buffer.from(sound)
  const page = (number: number): Buffer => sound.subarray((number - 1) * PAGE_BYTES, number * PAGE_BYTES)
  page(one).copy(bytes, (other - 1) * PAGE_BYTES)
  page(other).copy(bytes, (one - 1) * PAGE_BYTES)
  writeFileSync(path, bytes)
}

describe('a store that a crawl opens', () => {
  it.each([
    ['request', 'request'],
    ['host', 'host'],
    ['host', 'request'],
    // Nothing is missing on the page of this index, so nothing waits.
    ['span', 'visited_missing'],
  ] as const)('is refused as damaged when a page of %s and one of %s are each in the place of the other', async (one, other) => {
    const path = await made(2_000)
    swap(path, one, other)

    await expect(sqlite(path).open(SPEC, 1)).rejects.toMatchObject({
      code: 'AVO_FRONTIER_CORRUPT',
      message: expect.stringMatching(/avocet store verify.*sqlite3 STORE \.recover/) as string,
    })
  })

  it('is refused when the memory of the crawl and that of hosts are each in the place of the other', async () => {
    const path = await made(20)
    const frontier = sqlite(path, { synchronous: 'normal' })
    await frontier.open(SPEC, 0)
    const { leases } = await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 1 })
    for (const lease of leases)
      await frontier.release([{ lease, rest: { readyAt: 0, memory: { core: '[1,{"seq":4}]', rate: '[1,{}]' } } }])
    await frontier.note({ core: '[1,{"scopeHosts":[]}]', rate: '[1,{}]' })
    await frontier.close()

    swap(path, 'host_memory', 'crawl_memory')

    await expect(sqlite(path).open(SPEC, 1)).rejects.toMatchObject({ code: 'AVO_FRONTIER_CORRUPT' })
  })

  it.each(['done', 'moved', 'failed', 'known'])('is refused when it holds another number of %s than it says', async (total) => {
    const path = await made(20)
    new Database(path).exec(`UPDATE crawl SET ${total} = ${total} + 1`).close()

    await expect(sqlite(path).open(SPEC, 1)).rejects.toMatchObject({ code: 'AVO_FRONTIER_CORRUPT' })
  })

  it('is looked over as a whole up to 64 MiB only, of a larger one what all else depends on', { timeout: 60_000 }, async () => {
    const path = await made(6_000, 12_000)
    const larger = readFileSync(path).length
    swap(path, 'request', 'request')
    const frontier = sqlite(path, { synchronous: 'normal' })
    await frontier.open(SPEC, 1)
    await frontier.close()
    swap(path, 'host', 'host')

    expect(larger).toBeGreaterThan(64 * 1_048_576)
    await expect(sqlite(path).open(SPEC, 1)).rejects.toMatchObject({ code: 'AVO_FRONTIER_CORRUPT' })
  })
})
