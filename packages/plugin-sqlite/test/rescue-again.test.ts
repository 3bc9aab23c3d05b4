// What a rescued store asks for again, and what it takes from the damaged one at its word: as little as loses nothing.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { CANONICALISATION, fingerprintOf, type Frontier, type NewRequest, type Outcome } from '@avocet/core'
import { rescueStore, sqlite, verifyStore } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'rescued', canonicalisation: CANONICALISATION, hostKeying: 'host' }
const MINUTE_MS = 60_000

let folder: string
const at = (name: string): string => join(folder, name)

beforeEach(() => {
  const made = temporaryFolder()
  onTestFinished(() => made.dispose())
  folder = made.path
})

function request(path: string, more: { readonly method?: string; readonly parentId?: number } = {}): NewRequest {
  const url = `http://shop.example${path}`
  const fingerprint = fingerprintOf({ method: more.method ?? 'GET', canonicalUrl: url, handler: 'start' })
  return { fingerprint, hostKey: 'shop.example', url, handler: 'start', depth: 0, priority: 0, ...more }
}

/** Pages 1 to 5, done ten minutes after one another, each with two links, 6 and 7 to 14 and 15. The third is an order, the fourth is due again. */
async function fivePages(): Promise<void> {
  const frontier = sqlite(at('store.db'), { synchronous: 'normal' })
  await frontier.open(SPEC, 0)
  await frontier.add([1, 2, 3, 4, 5].map((n) => request(`/${n}`, n === 3 ? { method: 'POST' } : {})))
  const { visits } = await frontier.lease({ now: 1, hosts: 1, requestsPerHost: 5 })
  for (const visit of visits) {
    for (const { id } of visit.requests) {
      const fetched = { at: id * 10 * MINUTE_MS, status: 200, durationMs: 50, wireBytes: 1 }
      const outcome: Outcome = { kind: 'done', fetched, ...(id === 4 && { again: { at: 1e12, skipped: 0 } }) }
      const links = ['a', 'b'].map((name) => request(`/${id}/${name}`, { parentId: id }))
      await frontier.commit([{ visit, requestId: id, outcome, links, items: [] }])
    }
    await frontier.release(visit, { readyAt: 5, memory: {} })
  }
  await frontier.note({ kept: '"of the first run"' })
  await frontier.close()
}

async function rescued(damage: string): Promise<{ frontier: Frontier; rescue: Awaited<ReturnType<typeof rescueStore>> }> {
  await fivePages()
  new Database(at('store.db')).exec(damage).close()
  const rescue = await rescueStore(at('store.db'), at('new.db'))
  expect((await verifyStore(at('new.db'))).faults).toEqual([])
  const frontier = sqlite(at('new.db'))
  await frontier.open(SPEC, 1)
  onTestFinished(() => frontier.close())
  return { frontier, rescue }
}

describe('a rescued store', () => {
  it.each([
    ['a link of the second page: it, and the one before it, whose links end there', 8, ['/1', '/2']],
    ['a link of an order: never the order', 10, ['/2']],
    ['a link of a page that is due again: not that, for it will be asked for', 12, ['/5']],
    ['the last link of all', 15, ['/5']],
  ])('asks again, for %s', async (_what, id, paths) => {
    const { frontier, rescue } = await rescued(`UPDATE request SET path = '/changed' WHERE id = ${id}`)
    const waiting = await frontier.reader.requests({ state: 'waiting', limit: 99 })

    expect(rescue.lost.requests).toBe(1)
    expect(waiting.map(({ url }) => new URL(url).pathname).filter((path) => /^.[1-5]$/.test(path))).toEqual(paths)
    expect(rescue.askedAgain).toBe(paths.length)
  })

  it('has each URL once: of two rows of one the older one stays', async () => {
    const twice = 'UPDATE request SET (path, fingerprint) = (SELECT path, fingerprint FROM request WHERE id = 6) WHERE id = 9'
    const { frontier, rescue } = await rescued(twice)
    const known = await frontier.reader.requests({ limit: 99 })

    expect(rescue.lost.requests).toBe(1)
    expect(known.map(({ url }) => url).filter((url) => url.endsWith('/1/a'))).toHaveLength(1)
    expect(known.find(({ url }) => url.endsWith('/1/a'))).toMatchObject({ id: 6 })
  })

  it('has lost no more than there can have been, whatever a damaged total says', async () => {
    const { rescue } = await rescued('UPDATE crawl SET known = 1000000000000')

    expect(rescue).toMatchObject({ lost: { requests: 0 }, askedAgain: 0 })
  })

  it('keeps what the crawl remembers', async () => {
    const { frontier } = await rescued('')
    await frontier.close()
    const next = sqlite(at('new.db'))
    const { crawlMemories } = await next.open(SPEC, 2)
    await next.close()

    expect(crawlMemories).toEqual([{ kept: '"of the first run"' }])
  })

  it('says of hosts that were held that their holder died: it may have asked for something last', async () => {
    const frontier = sqlite(at('store.db'), { synchronous: 'normal' })
    await frontier.open(SPEC, 0)
    await frontier.add([request('/1')])
    await frontier.lease({ now: 1, hosts: 1, requestsPerHost: 1 })
    for (const companion of ['', '-wal']) copyFileSync(at(`store.db${companion}`), at(`held.db${companion}`))
    await frontier.close()
    await rescueStore(at('held.db'), at('new.db'))
    const fresh = sqlite(at('new.db'))
    await fresh.open(SPEC, 1)
    const { visits } = await fresh.lease({ now: 1, hosts: 1, requestsPerHost: 1 })
    await fresh.close()

    expect(visits).toMatchObject([{ takenOver: true }])
  })
})
