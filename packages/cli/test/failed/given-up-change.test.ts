// What the command and the page do to given-up pages of a store.
import type { Fingerprint, Frontier } from '@avocet/core/store'
import { memoryFrontier } from 'avocet'
import { describe, expect, it } from 'vitest'
import { changerWithin, inBatches, type ChangedPages, type Listing } from '../../src/failed/given-up-change.ts'
import { dropPages, reopenPages } from '../../src/failed/changed-pages.ts'

const SPEC = { name: 'shop', hostKeying: 'host' } as const

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

/** What is listed, without what changed nothing. */
function listing(): { readonly list: Listing; listed(): readonly ChangedPages[] } {
  const all: ChangedPages[] = []
  return { list: async (changed) => void all.push(changed), listed: () => all.filter(({ pages }) => pages > 0) }
}

describe('a change of many pages', () => {
  it.each([
    [[0], 0],
    [[9_999, 0], 9_999],
    [[10_000, 0], 10_000],
    [[10_000, 9_998, 10_000, 3, 0], 30_001],
  ])('is made in batches until one finds nothing: %j', async (batches, pages) => {
    const left = [...batches]

    expect(await inBatches(async (limit) => Math.min(limit, left.shift() ?? -1), Infinity)).toBe(pages)
    expect(left).toEqual([])
  })

  it('is made of as many as there were, though a crawl gives up more of them meanwhile', async () => {
    const limits: number[] = []

    expect(await inBatches(async (limit) => limits.push(limit) && limit, 10_003)).toBe(10_003)
    expect(limits).toEqual([10_000, 3])
  })

  it('reaches all of them', async () => {
    const frontier = await storeOf(10_001, ['dead.test'])
    await frontier.retire('dead.test', 'never answered', Infinity)
    const { list, listed } = listing()

    expect(await dropPages(frontier, {}, list)).toEqual({ pages: 10_001, settled: 10_001, inUse: 0 })
    expect(await reopenPages(frontier, { classes: ['dropped'] }, list)).toMatchObject({ pages: 10_001, settled: -10_001 })
    expect(listed()).toEqual([
      { pages: 10_000, settled: 10_000 },
      { pages: 1, settled: 1 },
      { pages: 10_000, settled: -10_000 },
      { pages: 1, settled: -1 },
    ])
  })

  it('is listed as far as it came, where it is interrupted', async () => {
    const frontier = await storeOf(10_001, ['dead.test'])
    await frontier.retire('dead.test', 'never answered', Infinity)
    const { list, listed } = listing()
    let calls = 0
    const change: Frontier['change'] = async (wanted) => {
      if (++calls > 1) throw new Error('interrupted')
      return frontier.change(wanted)
    }

    await expect(dropPages({ ...frontier, change }, { classes: ['host-dead'] }, list)).rejects.toThrow('interrupted')
    expect(listed()).toEqual([{ pages: 10_000, settled: 10_000 }])
  })
})

describe('a change within a run', () => {
  /** A run; its first listing fails, if it is to. */
  function runOf({ failsFirst = false } = {}) {
    const listed: ChangedPages[] = []
    let tries = 0
    return {
      listed,
      async control(order: Parameters<Parameters<typeof changerWithin>[0]['control']>[0]): Promise<void> {
        if (failsFirst && ++tries === 1) throw new Error('away')
        if (order.kind === 'given-up') listed.push({ pages: order.pages, settled: order.settled })
      },
    }
  }

  it('lists each full batch before the next one, and the rest at the end', async () => {
    const frontier = await storeOf(10_001, ['dead.test'])
    await frontier.retire('dead.test', 'never answered', Infinity)
    const run = runOf()
    const change = changerWithin(run, frontier, { now: () => 0 })

    await change({ done: 'dropped', work: (store, list) => dropPages(store, {}, list) })

    expect(run.listed).toEqual([
      { pages: 10_000, settled: 10_000 },
      { pages: 1, settled: 1 },
    ])
  })

  it('lists at the end what could not be listed before', async () => {
    const frontier = await storeOf(10_001, ['dead.test'])
    await frontier.retire('dead.test', 'never answered', Infinity)
    const run = runOf({ failsFirst: true })
    const change = changerWithin(run, frontier, { now: () => 0 })

    await expect(change({ done: 'dropped', work: (store, list) => dropPages(store, {}, list) })).rejects.toThrow('away')

    expect(run.listed).toEqual([{ pages: 10_000, settled: 10_000 }])
  })
})

describe('a drop', () => {
  it('leaves pages of a host that a process holds, and says how many, of this host or of all', async () => {
    const frontier = await storeOf(2, ['dead.test', 'probed.test'])
    const { list } = listing()
    const { leases } = await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 1 })
    for (const lease of leases) {
      await frontier.retire(lease.hostKey, 'never answered', Infinity, lease)
      if (lease.hostKey === 'dead.test') await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    }

    expect(await dropPages(frontier, { hostKey: 'dead.test' }, list)).toEqual({ pages: 2, settled: 2, inUse: 0 })
    expect(await dropPages(frontier, { hostKey: 'probed.test' }, list)).toEqual({ pages: 0, settled: 0, inUse: 2 })
    expect(await dropPages(frontier, {}, list)).toEqual({ pages: 0, settled: 0, inUse: 2 })
    expect(await dropPages(frontier, { classes: ['permanent'] }, list)).toEqual({ pages: 0, settled: 0, inUse: 0 })
  })
})
