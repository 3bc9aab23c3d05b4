// What the command and the page do to given-up pages of a store.
import { memoryFrontier } from '@avocet/core'
import type { Fingerprint, Frontier } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { dropPages } from '../../src/dlq/drop-pages.ts'
import { inBatches } from '../../src/dlq/given-up-change.ts'
import { reopenPages } from '../../src/dlq/reopen-pages.ts'

const SPEC = { name: 'shop', canonicalisation: 'test', hostKeying: 'host' } as const

/** `n` pages of each host, all of them waiting. */
async function storeOf(n: number, hostKeys: readonly string[]): Promise<Frontier> {
  const frontier = memoryFrontier()
  await frontier.open(SPEC, 0)
  for (const hostKey of hostKeys) {
    const urls = Array.from({ length: n }, (_, k) => `http://${hostKey}/${k}`)
    await frontier.add(
      urls.map((url) => ({
        fingerprint: url.slice(-16).padStart(16, '.') as Fingerprint,
        hostKey,
        url,
        handler: 'start',
        depth: 0,
        priority: 0,
      })),
    )
  }
  return frontier
}

describe('a change of many pages', () => {
  it.each([
    [[0], 0],
    [[9_999], 9_999],
    [[10_000, 0], 10_000],
    [[10_000, 10_000, 3], 20_003],
  ])('is made in batches until one is not full: %j', async (batches, pages) => {
    const left = [...batches]

    expect(await inBatches(async (limit) => Math.min(limit, left.shift() ?? -1))).toBe(pages)
    expect(left).toEqual([])
  })

  it('reaches all of them', async () => {
    const frontier = await storeOf(10_001, ['dead.test'])
    await frontier.retire('dead.test', 'never answered', Infinity)

    expect(await dropPages(frontier, {})).toEqual({ pages: 10_001, settled: 10_001, inUse: 0 })
    expect(await reopenPages(frontier, { classes: ['dropped'] })).toMatchObject({ pages: 10_001, settled: -10_001 })
  })
})

describe('a drop', () => {
  it('leaves pages of a host that a process holds, and says how many, of this host or of all', async () => {
    const frontier = await storeOf(2, ['dead.test', 'probed.test'])
    const { leases } = await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 1 })
    for (const lease of leases) {
      await frontier.retire(lease.hostKey, 'never answered', Infinity, lease)
      if (lease.hostKey === 'dead.test') await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    }

    expect(await dropPages(frontier, { hostKey: 'dead.test' })).toEqual({ pages: 2, settled: 2, inUse: 0 })
    expect(await dropPages(frontier, { hostKey: 'probed.test' })).toEqual({ pages: 0, settled: 0, inUse: 2 })
    expect(await dropPages(frontier, {})).toEqual({ pages: 0, settled: 0, inUse: 2 })
    expect(await dropPages(frontier, { classes: ['permanent'] })).toEqual({ pages: 0, settled: 0, inUse: 0 })
  })
})
