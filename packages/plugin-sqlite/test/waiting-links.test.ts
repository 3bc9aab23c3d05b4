// Pages of which links wait, whatever befalls them: the file says what the frontier in RAM says, and every total of it can be recounted.
import { join } from 'node:path'
import { memoryFrontier } from 'avocet'
import {
  CANONICALISATION,
  fingerprintOf,
  type Frontier,
  type LinkBudget,
  type NewRequest,
  type Outcome,
  type RequestQuery,
} from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { audit } from './audit.ts'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'links', canonicalisation: CANONICALISATION, hostKeying: 'host' }
const fetched = { at: 1, status: 200, durationMs: 1, wireBytes: 1 }
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
