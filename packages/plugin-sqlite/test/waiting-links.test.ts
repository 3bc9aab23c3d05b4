// Pages of which links wait, whatever befalls them: the file says what the frontier in RAM says, every total of it can be recounted, and a rescued one has them
// still.
import { join } from 'node:path'
import { memoryFrontier } from '@avocet/core'
import {
  CANONICALISATION,
  fingerprintOf,
  type Frontier,
  type LinkBudget,
  type NewRequest,
  type Outcome,
  type RequestQuery,
} from '@avocet/core/store'
import { rescueStore, sqlite, verifyStore } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { audit } from './audit.ts'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'links', canonicalisation: CANONICALISATION, hostKeying: 'host' }
const fetched = { at: 1, status: 200, durationMs: 1, wireBytes: 1 }
/** As version 4 had them: so many links before the first that waits, and so many from there on. */
const OLD_CUTS = `INSERT INTO trouble (id, reason, blame, target) SELECT id, reason, 'cut', '50000 150000' FROM cut;
  DROP TABLE reject; DROP TABLE record; ALTER TABLE crawl DROP COLUMN rejects; ALTER TABLE visited DROP COLUMN page_at; ALTER TABLE visited DROP COLUMN page_visit; ALTER TABLE crawl DROP COLUMN run; ALTER TABLE attempt DROP COLUMN run; ALTER TABLE visited DROP COLUMN asked_at;
  ALTER TABLE visited DROP COLUMN asked_by; ALTER TABLE extra DROP COLUMN asked_at; DROP INDEX trouble_error; ALTER TABLE trouble DROP COLUMN error; DROP TABLE handler_error;
  DROP TABLE cut; ALTER TABLE attempt DROP COLUMN first_at; PRAGMA user_version = 4`
const BUDGETS: readonly LinkBudget[] = [{ kind: 'new-urls' }, { kind: 'new-hosts', site: 'mall.example' }, { kind: 'several' }]

let folder: string

beforeEach(() => {
  const made = temporaryFolder()
  onTestFinished(() => made.dispose())
  folder = made.path
})

function request(n: number): NewRequest {
  const hostKey = `h${n % 2}.example`
  const url = `https://${hostKey}/${n}`
  const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' })
  return { fingerprint, hostKey, url, handler: 'start', depth: 0, priority: 0 }
}

/** Numbers below `below`, the same each time; of neighbouring seeds they have nothing in common (mulberry32). */
function dice(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

function outcomeOf(roll: (below: number) => number, now: number): Outcome {
  const again = roll(2) === 0 ? { again: { at: now + roll(4), skipped: 0 } } : {}
  const cut = { budget: BUDGETS[roll(3)] ?? ({ kind: 'several' } as const), of: 10 + roll(9), left: 1 + roll(9) } as const
  const outcomes: readonly Outcome[] = [
    { kind: 'done', fetched, ...again },
    { kind: 'done', fetched, cut, ...again },
    { kind: 'done', fetched, cut, ...again },
    { kind: 'failed', reason: `http-50${roll(2)}`, fetched, ...again },
    { kind: 'moved', target: 'https://h0.example/login?q={"for":1}'.replaceAll('"', '%22'), fetched, ...again },
    { kind: 'retry', at: now + roll(4), counted: true, reason: 'reset' },
  ]
  return outcomes[roll(outcomes.length)] ?? { kind: 'done', fetched }
}

/** One step of a walk, of the same numbers for each frontier. */
async function step(frontier: Frontier, roll: (below: number) => number, now: number): Promise<unknown> {
  const what = roll(9)
  const limit = 1 + roll(4)
  if (what === 0) return frontier.reopen({ cut: [BUDGETS[roll(3)] ?? { kind: 'several' }], limit })
  if (what === 1) return frontier.reopen({ cut: true, hostKey: `h${roll(2)}.example`, limit })
  if (what === 2) return frontier.reopen({ reasons: [`http-50${roll(2)}`], limit })
  if (what === 3) return frontier.revisit([{ id: 1 + roll(6), ...(roll(2) === 0 && { at: now + roll(3) }) }])
  const { leases } = await frontier.lease({ now, hosts: 9, requestsPerHost: 9 })
  for (const lease of leases) {
    const turns = lease.requests.map(({ id }) => ({
      lease,
      requestId: id,
      outcome: outcomeOf(dice(now * 31 + id), now),
      links: [],
      items: [],
    }))
    await frontier.commit(turns)
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  }
  const handedOut = leases.flatMap(({ requests }) =>
    requests.map(({ id, cut, earlier, attempts }) => ({ id, cut, earlier, attempts })),
  )
  return handedOut.sort((a, b) => a.id - b.id)
}

async function lookAt({ reader }: Frontier): Promise<unknown> {
  const lists: readonly RequestQuery[] = [
    { limit: 99 },
    { cut: true, limit: 99 },
    ...BUDGETS.map((cut) => ({ cut, limit: 99 })),
    { cut: true, hostKey: 'h0.example', limit: 99 },
  ]
  const requests = lists.map(async (query) => {
    return reader.requests(query)
  })
  return [await reader.counts(), await reader.failures(), await reader.hosts({ limit: 9 }), await Promise.all(requests)]
}

/** Two pages of which links wait, the second being read again for them; then `damage`, and a rescue. */
async function rescuedFrom(damage: string): Promise<Frontier> {
  const frontier = sqlite(join(folder, 'store.db'))
  await frontier.open(SPEC, 0)
  await frontier.add([0, 2].map(request))
  const { leases } = await frontier.lease({ now: 9, hosts: 9, requestsPerHost: 9 })
  for (const lease of leases) {
    const outcome: Outcome = { kind: 'done', fetched, cut: { budget: { kind: 'new-urls' }, of: 1_000, left: 950 } }
    await frontier.commit(lease.requests.map(({ id }) => ({ lease, requestId: id, outcome, links: [], items: [] })))
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  }
  await frontier.reopen({ cut: true, ids: [2], limit: 9 })
  await frontier.close()
  new Database(join(folder, 'store.db')).exec(damage).close()
  await rescueStore(join(folder, 'store.db'), join(folder, 'new.db'))
  expect((await verifyStore(join(folder, 'new.db'))).faults).toEqual([])
  const rescued = sqlite(join(folder, 'new.db'))
  await rescued.open(SPEC, 1)
  onTestFinished(() => rescued.close())
  return rescued
}

describe('pages of which links wait', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('are in the file what they are in RAM, walk %d', async (seed) => {
    const path = join(folder, 'store.db')
    const frontiers = [memoryFrontier(), sqlite(path, { synchronous: 'normal' })]
    for (const frontier of frontiers) {
      await frontier.open(SPEC, 0)
      // One by one: a store may number the requests of one call as it likes.
      for (const n of [1, 2, 3, 4, 5, 6]) await frontier.add([request(n)])
    }
    for (let now = 1; now <= 120; now++) {
      const [ram, disk] = await Promise.all(frontiers.map((frontier) => step(frontier, dice(seed * 1_000 + now), now)))
      expect(disk).toEqual(ram)
      const [inRam, onDisk] = await Promise.all(frontiers.map(lookAt))
      expect(onDisk).toEqual(inRam)
      if (now % 20 === 0) expect(audit(path)).toEqual([])
    }
    for (const frontier of frontiers) await frontier.close()
  })

  it('and that failed or moved since have their links still in a rescued store', async () => {
    const frontier = sqlite(join(folder, 'store.db'))
    await frontier.open(SPEC, 0)
    await frontier.add([0, 2].map(request))
    const cut = { budget: { kind: 'new-urls' }, of: 1_000, left: 950 } as const
    const again = { at: 5, skipped: 0 }
    const troubles: readonly Outcome[] = [
      { kind: 'failed', reason: 'http-500', fetched, again },
      { kind: 'moved', target: 'https://h0.example/login', fetched, again },
    ]
    for (const outcomes of [[{ kind: 'done', fetched, cut, again } as const], troubles]) {
      const { leases } = await frontier.lease({ now: 9, hosts: 9, requestsPerHost: 9 })
      for (const lease of leases) {
        for (const [n, { id }] of lease.requests.entries()) {
          const outcome = outcomes[n % outcomes.length]
          await frontier.commit([{ lease, requestId: id, ...(outcome && { outcome }), links: [], items: [] }])
        }
        await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
      }
    }
    const before = await frontier.reader.requests({ cut: true, limit: 9 })
    await frontier.close()
    await rescueStore(join(folder, 'store.db'), join(folder, 'new.db'))
    const rescued = sqlite(join(folder, 'new.db'))
    await rescued.open(SPEC, 1)
    onTestFinished(() => rescued.close())

    expect(before).toMatchObject([
      { state: 'failed', reason: 'http-500', cut },
      { state: 'moved', target: 'https://h0.example/login', cut },
    ])
    expect(await rescued.reader.requests({ cut: true, limit: 9 })).toEqual(before)
    expect((await verifyStore(join(folder, 'new.db'))).faults).toEqual([])
  })

  it.each([
    ['of version 4', OLD_CUTS, { budget: { kind: 'new-urls' }, of: 200_000, left: 150_000 }],
    ['that lost the word', "DELETE FROM reason WHERE word = 'new-urls'", { budget: { kind: 'several' }, of: 1_000, left: 950 }],
  ])('have them still in a store rescued from one %s', async (_what, damage, cut) => {
    const rescued = await rescuedFrom(damage)

    expect(await rescued.reader.requests({ limit: 9 })).toMatchObject([
      { state: 'done', cut },
      { state: 'waiting', cut },
    ])
    const again = await rescued.lease({ now: 9, hosts: 9, requestsPerHost: 9 })
    expect(again.leases).toMatchObject([{ requests: [{ id: 2, cut }] }])
  })

  it('are read anew from their first link on where a rescue finds no outcome of them', async () => {
    const rescued = await rescuedFrom('DELETE FROM attempt')

    const records = await rescued.reader.requests({ limit: 9 })
    expect(records.map(({ state, cut }) => [state, cut])).toEqual([
      ['waiting', undefined],
      ['waiting', undefined],
    ])
  })

  it('are found without a look at any other page, in the order of their ids', async () => {
    const path = join(folder, 'store.db')
    const frontier = sqlite(path)
    await frontier.open(SPEC, 0)
    onTestFinished(() => frontier.close())
    const prepare = vi.spyOn(Database.prototype, 'prepare')
    onTestFinished(() => prepare.mockRestore())
    await frontier.reader.requests({ cut: true, limit: 9 })
    await frontier.reader.requests({ cut: { kind: 'several' }, afterId: 7, hostKey: 'h0.example', limit: 9 })
    await frontier.reopen({ cut: true, limit: 9 })
    await frontier.reopen({ cut: [{ kind: 'several' }], hostKey: 'h0.example', limit: 9 })
    await frontier.reopen({ cut: true, ids: [1, 2], limit: 9 })
    const queries = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('FROM cut'))

    expect(queries).toHaveLength(5)
    const db = new Database(path, { readonly: true })
    onTestFinished(() => void db.close())
    for (const sql of queries) {
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array.from(sql.matchAll(/\?/g), () => 1)) as {
        detail: string
      }[]
      const [first = '', ...rest] = plan.map(({ detail }) => detail)
      expect(first).toMatch(/^(?:SCAN|SEARCH) [ct]\b/)
      expect(rest.filter((detail) => /^SCAN (?!json_each)|TEMP B-TREE/.test(detail))).toEqual([])
    }
  })
})
