// What a rescued store asks for again, and what it takes from the damaged one at its word: as little as loses nothing.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { CANONICALISATION, fingerprintOf, type Frontier, type NewRequest, type Outcome } from '@avocet/core/store'
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
async function fivePages(ids: readonly number[] = [], as: 'cut' | 'visit' = 'cut'): Promise<void> {
  const frontier = sqlite(at('store.db'), { synchronous: 'normal' })
  await frontier.open(SPEC, 0)
  await frontier.add([1, 2, 3, 4, 5].map((n) => request(`/${n}`, n === 3 ? { method: 'POST' } : {})))
  const { leases } = await frontier.lease({ now: 1, hosts: 1, requestsPerHost: 5 })
  for (const lease of leases) {
    for (const { id } of lease.requests) {
      const fetched = { at: id * 10 * MINUTE_MS, status: 200, durationMs: 50, wireBytes: 1 }
      const more = as === 'cut' ? { cut: CUT } : { again: { at: 900 * MINUTE_MS, skipped: 0, ...SEEN } }
      const again = { at: 1e12, skipped: 0, ...SEEN }
      const outcome: Outcome = { kind: 'done', fetched, ...(id === 4 && { again }), ...(ids.includes(id) && more) }
      const links = ['a', 'b'].map((name) => request(`/${id}/${name}`, { parentId: id }))
      await frontier.commit([{ lease, requestId: id, outcome, links, items: [{ json: `${id}` }] }])
    }
    await frontier.release([{ lease, rest: { readyAt: 5, memory: {} } }])
  }
  await frontier.note({ kept: '"of the first run"' })
  await frontier.close()
}

/** The pages `ids` of those five are asked for once more after 1,000 minutes: for links that waited, or as a visit that was to come. */
async function readAgain(ids: readonly number[], { as, outcome }: { as: 'cut' | 'visit'; outcome: Outcome }): Promise<void> {
  await fivePages(ids, as)
  const frontier = sqlite(at('store.db'), { synchronous: 'normal' })
  await frontier.open(SPEC, 0)
  if (as === 'cut') await frontier.reopen({ cut: true, ids, limit: 9 })
  const now = 1_000 * MINUTE_MS
  const { leases } = await frontier.lease({ now, hosts: 1, requestsPerHost: 99 })
  for (const lease of leases) {
    const turns = lease.requests.filter(({ id }) => ids.includes(id)).map(({ id }) => ({ lease, requestId: id, outcome }))
    await frontier.commit(turns.map((turn) => ({ ...turn, links: [], items: [] })))
    await frontier.release([{ lease, rest: { readyAt: 5, memory: {} } }])
  }
  await frontier.close()
}

/** A link of page 1 asks for the page `path` in the next run. */
async function asked(path: string): Promise<void> {
  const frontier = sqlite(at('store.db'), { synchronous: 'normal' })
  await frontier.open(SPEC, 0)
  await frontier.add([{ ...request(path, { parentId: 1 }), again: 5_000 }])
  await frontier.close()
}

const LATER = { at: 1_000 * MINUTE_MS, status: 200, durationMs: 50, wireBytes: 1 }
const CUT = { budget: { kind: 'new-urls' }, of: 1_000, left: 9 } as const
const SEEN = { etag: '"1"', lastModified: 'Sun', bodyHash: 'abc' }

async function rescued(
  damage: string,
  made: () => Promise<void> = fivePages,
): Promise<{ frontier: Frontier; rescue: Awaited<ReturnType<typeof rescueStore>> }> {
  await made()
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
    ['a link of a page that is due again: not that, for it will be asked for', 12, []],
    ['the last link of all', 15, ['/5']],
  ])('asks again, for %s', async (_what, id, paths) => {
    const { frontier, rescue } = await rescued(`UPDATE request SET path = '/changed' WHERE id = ${id}`)
    const waiting = await frontier.reader.requests({ state: 'waiting', limit: 99 })

    expect(rescue.lost.requests).toBe(1)
    expect(waiting.map(({ url }) => new URL(url).pathname).filter((path) => /^.[1-5]$/.test(path))).toEqual(paths)
    expect(rescue.askedAgain).toBe(paths.length)
  })

  const WAITS: Outcome = { kind: 'retry', at: 1e12, counted: true, reason: 'http-503' }
  it.each([
    ['that was read again since for its links', [2], { as: 'cut', outcome: { kind: 'done', fetched: LATER } }],
    ['that waits to be read again for its links', [2], { as: 'cut', outcome: WAITS }],
    ['that was visited again since, for the last time', [2], { as: 'visit', outcome: { kind: 'done', fetched: LATER } }],
    ['beside one that was read again since', [1], { as: 'cut', outcome: { kind: 'done', fetched: LATER } }],
    ['beside one that was visited again since', [1], { as: 'visit', outcome: { kind: 'done', fetched: LATER } }],
  ] as const)('asks again a page %s, for all links of its first reading', async (_what, ids, again) => {
    const { frontier, rescue } = await rescued("UPDATE request SET path = '/changed' WHERE id IN (8, 9)", () =>
      readAgain(ids, again),
    )

    expect(rescue).toMatchObject({ lost: { requests: 2 }, askedAgain: 2 })
    const { leases } = await frontier.lease({ now: LATER.at, hosts: 1, requestsPerHost: 99 })
    const pages = leases.flatMap(({ requests }) => requests).filter(({ url }) => /e\/[1-5]$/.test(url))
    expect(pages.map(({ url }) => new URL(url).pathname)).toEqual(expect.arrayContaining(['/1', '/2']))
    // From its first link on, and whatever the answer is.
    for (const page of pages) {
      expect(page).not.toHaveProperty('cut')
      expect(page.earlier ?? {}).not.toHaveProperty('etag')
    }
  })

  it.each([
    ['links', "UPDATE request SET path = '/changed' WHERE id = 12"],
    ['items', "UPDATE item SET json = 'no JSON' WHERE request = 4"],
  ])('has a page that is due again read anew, whatever it answers, where its %s are lost', async (_what, damage) => {
    const { frontier, rescue } = await rescued(damage)
    const { leases } = await frontier.lease({ now: 2e12, hosts: 1, requestsPerHost: 99 })
    const fourth = leases.flatMap(({ requests }) => requests).find(({ url }) => url.endsWith('/4'))

    expect(rescue.askedAgain).toBe(0)
    expect(Object.keys(fourth?.earlier ?? {}).toSorted()).toEqual(['dueAt', 'skipped', 'visits'])
  })

  it('leaves alone what a page that is due again answered where nothing of it is lost', async () => {
    const { frontier } = await rescued("UPDATE request SET path = '/changed' WHERE id = 8")
    const { leases } = await frontier.lease({ now: 2e12, hosts: 1, requestsPerHost: 99 })
    const fourth = leases.flatMap(({ requests }) => requests).find(({ url }) => url.endsWith('/4'))

    expect(fourth?.earlier).toMatchObject(SEEN)
  })

  it('asks again, for links lost in two places, what is around each, and nothing between them', async () => {
    const { frontier } = await rescued("UPDATE request SET path = '/changed' WHERE id IN (6, 15)")
    const waiting = await frontier.reader.requests({ state: 'waiting', limit: 99 })

    expect(waiting.map(({ url }) => new URL(url).pathname).filter((path) => /^.[1-5]$/.test(path))).toEqual(['/1', '/5'])
  })

  it('asks a page again that gave links ahead of a turn which a kill ended, though it was fetched anew since', async () => {
    // 8 and 9 were given by page 2 before 10 to 15 were given, in a fetch that no row tells of.
    const { rescue } = await rescued(`UPDATE attempt SET fetched_at = ${LATER.at} WHERE id = 2;
      UPDATE request SET path = '/changed' WHERE id = 8`)

    expect(rescue).toMatchObject({ lost: { requests: 1 }, askedAgain: 2 })
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

  it.each<[string, string, object]>([
    ['and the pages around it are sound', '', { again: 5_000, attempts: 0, earlier: { visits: 1 } }],
    ['and its place in the queue is lost', 'DELETE FROM delayed', { again: 5_000, earlier: { visits: 1 } }],
    ['and what it gave is lost', "UPDATE item SET json = 'no JSON' WHERE request = 2", { again: 5_000, earlier: { visits: 1 } }],
    ['and the page that asked for it is lost', "UPDATE request SET path = '/changed' WHERE id = 1", { again: 5_000 }],
  ])('has a page visited that a link asked for %s, once, as a visit of its own', async (_what, damage, expected) => {
    const { frontier } = await rescued(damage, async () => {
      await fivePages()
      await asked('/2')
    })
    const known = await frontier.reader.history('http://shop.example/2')
    expect(known).toMatchObject([{ asked: { at: 5_000 } }])
    const { leases } = await frontier.lease({ now: LATER.at, hosts: 1, requestsPerHost: 99 })
    const pages = leases.flatMap(({ requests }) => requests).filter(({ url }) => url.endsWith('/2'))
    expect(pages).toMatchObject([expected])

    const turns = leases.flatMap((lease) =>
      pages.map(({ id }) => ({ lease, requestId: id, links: [], items: [{ json: '"new"' }] })),
    )
    await frontier.commit(turns.map((turn) => ({ ...turn, outcome: { kind: 'done', fetched: LATER } as const })))
    const items = (await frontier.reader.items({ afterSeq: 0, limit: 99 })).filter(({ url }) => url.endsWith('/2'))
    expect(items.map(({ json, visit = 0 }) => [json, visit]).at(-1)).toEqual(['"new"', 1])
    expect((await frontier.reader.history('http://shop.example/2'))[0]).not.toHaveProperty('asked')
  })

  it('believes what is gone to be gone, and no page whose outcome is lost', async () => {
    const gone: Outcome = { kind: 'failed', reason: 'http-404', fetched: { ...LATER, status: 404 }, gone: true }
    const made = (): Promise<void> => readAgain([4, 5], { as: 'visit', outcome: gone })
    const { frontier } = await rescued('DELETE FROM attempt WHERE id = 5', made)

    expect(await frontier.reader.history('http://shop.example/4')).toMatchObject([{ state: 'failed', gone: true }])
    const [fifth] = await frontier.reader.history('http://shop.example/5')
    expect(fifth).toMatchObject({ state: 'waiting' })
    expect(fifth).not.toHaveProperty('gone')
  })

  it('keeps what the crawl remembers', async () => {
    const { frontier } = await rescued('')
    await frontier.close()
    const next = sqlite(at('new.db'))
    const { crawlMemories } = await next.open(SPEC, 2)
    await next.close()

    expect(crawlMemories).toEqual([{ kept: '"of the first run"' }])
  })

  it('says of hosts that were held that their holder died: it may have sent a request last', async () => {
    const frontier = sqlite(at('store.db'), { synchronous: 'normal' })
    await frontier.open(SPEC, 0)
    await frontier.add([request('/1')])
    await frontier.lease({ now: 1, hosts: 1, requestsPerHost: 1 })
    for (const companion of ['', '-wal']) copyFileSync(at(`store.db${companion}`), at(`held.db${companion}`))
    await frontier.close()
    await rescueStore(at('held.db'), at('new.db'))
    const fresh = sqlite(at('new.db'))
    await fresh.open(SPEC, 1)
    const { leases } = await fresh.lease({ now: 1, hosts: 1, requestsPerHost: 1 })
    await fresh.close()

    expect(leases).toMatchObject([{ takenOver: true }])
  })
})
