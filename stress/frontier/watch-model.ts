// Watched items, their changes and held items: any visits and settlements leave a store as they leave the one in memory. Drawn at random and shrunk.
import {
  failure,
  type CommitUnit,
  type Frontier,
  type HeldFate,
  type HostLease,
  type Leased,
  type NewItem,
  type Outcome,
} from '@avocet/core/store'
import { memoryFrontier } from '@avocet/store-memory'
import type { FrontierStore } from '@avocet/testkit/contracts'
import { array, assert, asyncProperty, boolean, constantFrom, integer, nat, oneof, record, uniqueArray } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newRequest, SPEC, unitOf } from '../../packages/testkit/src/contracts/frontier/story.ts'

/** The last one of each host is on no schedule from one of its visits on. */
const PAGES = [
  'a.example/1',
  'a.example/2',
  'a.example/last',
  'b.example/1',
  'b.example/2',
  'b.example/3',
  'b.example/last',
] as const

interface Visit {
  readonly page: (typeof PAGES)[number]
  readonly shown: readonly { readonly key: string; readonly price: number }[]
  readonly shows: 'all' | 'unchanged' | 'some' | 'gone' | null
  readonly end: 'done' | 'unchanged' | 'retry' | 'failed'
  /** Its items are held; the schema refused one. */
  readonly held: boolean
  readonly refused: boolean
  readonly settles: HeldFate | null
  readonly isLast: boolean
}

/** Pages that are committed as one group, or what an operator says of a host. */
type Step = readonly Visit[] | { readonly hostKey: string; readonly to: HeldFate }

const FATE = constantFrom<HeldFate>('publish', 'publish', 'drop')
const VISIT = record<Visit>({
  page: constantFrom(...PAGES),
  shown: uniqueArray(record({ key: constantFrom('k', 'l', 'm', 'n\u{1F600}'), price: nat(2) }), {
    selector: ({ key }) => key,
    maxLength: 4,
  }),
  shows: constantFrom('all', 'all', 'all', 'unchanged', 'some', 'gone', null),
  end: constantFrom('done', 'done', 'done', 'done', 'unchanged', 'retry', 'failed'),
  held: integer({ min: 0, max: 2 }).map((n) => n === 0),
  refused: boolean(),
  settles: constantFrom(null, null, null, null, null, null, null, 'publish', 'drop'),
  isLast: boolean(),
})
const STEP = oneof(
  { weight: 9, arbitrary: uniqueArray(VISIT, { selector: ({ page }) => page, minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: record({ hostKey: constantFrom('a.example', 'b.example', 'c.example'), to: FATE }) },
)

/** Compares with the store in memory, over some 300 steps. */
export function watchModel(make: () => FrontierStore, { shared }: { readonly shared: boolean }): void {
  describe('watched and held items', () => {
    it('are those of the store in memory, after any visits and settlements in any order', async () => {
      const property = asyncProperty(array(STEP, { minLength: 1, maxLength: 60, size: 'max' }), async (steps) => {
        const [store, memory] = [make(), memoryFrontier()]
        try {
          const real = await shopsOf(store.frontier(), shared ? store.frontier() : undefined)
          const model = await shopsOf(memory)
          for (const [n, step] of steps.entries()) {
            expect(await real.take(step, 10 * n)).toEqual(await model.take(step, 10 * n))
            if (n % 10 === 9) expect(await real.all()).toEqual(await model.all())
          }
        } finally {
          await memory.close()
          await store.dispose()
        }
      })
      await assert(property, { numRuns: 10, unbiased: true })
    })
  })
}

/** Two hosts that `frontier` holds, with their pages; `other`: that of an operator. */
async function shopsOf(frontier: Frontier, other: Frontier = frontier) {
  await frontier.open(SPEC, 0)
  if (other !== frontier) await other.open(SPEC, 0)
  await frontier.add(PAGES.map((page) => newRequest(page, { handler: page.endsWith('1') ? 'list' : 'start' })))
  const { leases } = await frontier.lease({ now: 0, hosts: 2, requestsPerHost: 4 })
  const out = new Map<string, { lease: HostLease; request: Leased }>()
  const keep = (lease: HostLease, requests: readonly Leased[]): void => {
    for (const request of requests) out.set(request.url, { lease, request })
  }
  for (const lease of leases) keep(lease, lease.requests)
  return {
    /** What it came to. */
    async take(step: Step, at: number): Promise<unknown> {
      if ('to' in step) return other.change({ kind: 'settle-held', ...step })
      for (const lease of leases) keep(lease, (await frontier.refill(lease, 9, at)).requests)
      const units = step.flatMap((visit) => {
        const found = out.get(`https://${visit.page}`)
        return found === undefined ? [] : [unitOf(found.lease, found.request, unitAt(visit, at, found.request))]
      })
      for (const { page } of step) out.delete(`https://${page}`)
      const results = await frontier.commit(units)
      return results.map(({ status, published = 0, changes = 0 }) => ({ status, published, changes }))
    },
    /** All that is there: changes key by key, for those of one commit are in no order among keys. */
    async all(): Promise<unknown> {
      const { reader } = frontier
      const changes = await reader.changes({})
      const [items, rejects, { items: count, rejects: aside = 0 }] = await Promise.all([
        reader.items({}),
        reader.rejects({}),
        reader.counts(),
      ])
      return {
        count,
        aside,
        isRising: changes.every(({ seq }, n) => seq > (changes[n - 1]?.seq ?? 0)),
        changes: Object.groupBy(
          changes.map(({ seq: _seq, requestId: _id, ...change }) => change),
          ({ hostKey, key }) => `${hostKey} ${key}`,
        ),
        items: items.map(({ url, visit = 0, ordinal, json }) => [url, visit, ordinal, json].join(' ')).toSorted(),
        rejects: rejects
          .map(({ source, url, visit, ordinal, json, reason, at }) => [source, url, visit, ordinal, json, reason, at].join(' '))
          .toSorted(),
      }
    },
  }
}

/** What a page that was fetched then commits: a failed one has no items, and may be gone. */
function unitAt(visit: Visit, at: number, { earlier }: Leased): Partial<CommitUnit> {
  const { page, shown, shows, end, held, refused, settles, isLast } = visit
  const fetched = { at, status: 200, durationMs: 1, wireBytes: 1 }
  const next = isLast && page.endsWith('last') ? {} : { again: { at: at + 1, skipped: 0 } }
  const settling = settles === null ? {} : { settlesHeld: settles }
  if (end === 'retry') return { outcome: { kind: 'retry', at: at + 1, counted: false, reason: 'reset', fetched }, ...settling }
  if (end === 'failed') {
    const threw = failure('AVO_HANDLER_THREW', 'threw')
    const outcome = { kind: 'failed', reason: 'handler-threw', failure: threw, fetched, ...next } as const satisfies Outcome
    if (shows !== 'gone') return { outcome, ...settling }
    return { outcome: { ...outcome, gone: true }, ...settling, watch: { shows } }
  }
  const items = shown.map(({ key, price }): NewItem => {
    const json = JSON.stringify({ key, price })
    return { json, ...(shows !== null && { watched: { key, value: JSON.stringify({ price }) } }) }
  })
  const isOnce = earlier === undefined && !('again' in next)
  const watch = held ? ({ shows: 'some' } as const) : watchOf(shows)
  return {
    outcome: { kind: 'done', fetched, ...next, ...(end === 'unchanged' && { reason: 'unchanged' as const }) },
    ...settling,
    ...(watch && { watch: { ...watch, ...(isOnce && { isOnce }) } }),
    ...(refused && { rejects: [{ json: '{}', ordinal: 9, reason: 'no key', at }] }),
    ...(held ? { held: { items, reason: 'odd' } } : { items }),
  }
}

function watchOf(shows: Visit['shows']): CommitUnit['watch'] {
  if (shows === null) return undefined
  return shows === 'some' || shows === 'gone' ? { shows } : { shows, goneAfterVisits: 2 }
}
