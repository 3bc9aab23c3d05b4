// Contract: what a store removes of old items, and what it keeps.
import type { Frontier } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { leaseOne, newRequest, openedWith, unitOf } from './story.ts'

/** What `prune` promises, where a store has it. */
export function pruneContract(make: () => FrontierStore): void {
  describe('old items', () => {
    it('go once a later visit of their page has items, and what the page had last stays', () => removesReplaced(make))
    it('stay while they are young, and while a sink lacks them', () => keepsWhatIsWanted(make))
    it('stay while they are set aside', () => keepsSetAside(make))
    it('go a few at a time', () => removesInSteps(make))
    it('count in the size of a store, with what it grows by in a day', () => tellsSizes(make))
    it('leave changes, which go up to a mark and a moment, and the last change of each stays', () => removesChanges(make))
    it('have changes that go a few at a time, and give their numbers to no other', () => removesChangesInSteps(make))
    it('give their numbers and places to no other', () => keepsNumbers(make))
  })
}

const ITEMS_MS = 100_000

/** Prunes to the end, as of `now`. */
async function pruned(
  frontier: Frontier,
  now: number,
  { upToSeq = 1e9, most = 99 } = {},
): Promise<{ afterSeq: number; oldSeq: number }> {
  let at = { afterSeq: 0, oldSeq: 0 }
  for (let step = 0; step < most; step++) {
    const next = await frontier.prune?.({ now, itemsMs: ITEMS_MS, upToSeq, afterSeq: at.afterSeq })
    if (next === undefined) break
    at = next
    if (at.afterSeq >= Math.min(at.oldSeq, upToSeq)) break
  }
  return at
}

/** Visits the one page again and again, once every 1,000 ms from 0 on; each visit has its items, which are watched: the first word of each is its key. */
async function visited(frontier: Frontier, visits: readonly (readonly string[])[], from = 0): Promise<void> {
  for (const [n, texts] of visits.entries()) {
    const at = (from + n) * 1_000
    const lease = await leaseOne(frontier, { now: at })
    const fetched = { at, status: 200, durationMs: 50, wireBytes: 4_096 }
    const outcome = { kind: 'done', fetched, again: { at: at + 1_000, skipped: 0 } } as const
    const items = texts.map((text) => {
      return { json: JSON.stringify(text), watched: { key: text.replace(/ .*/, ''), value: JSON.stringify({ text }) } }
    })
    await frontier.commit([unitOf(lease, lease.requests[0], { outcome, items, watch: { shows: 'some' } })])
    await frontier.release([{ lease, rest: { readyAt: at, memory: {} } }])
  }
}

async function textsIn({ reader }: Frontier): Promise<readonly string[]> {
  return (await reader.items({})).map(({ json }) => JSON.parse(json) as string)
}

/** A store that knows one page; undefined where it keeps everything. */
async function onePage(make: () => FrontierStore): Promise<Frontier | undefined> {
  const { frontier } = await openedWith(make, [newRequest('a.example/1')])
  return frontier.prune === undefined ? undefined : frontier
}

async function removesReplaced(make: () => FrontierStore): Promise<void> {
  const frontier = await onePage(make)
  if (frontier === undefined) return
  await visited(frontier, [['a', 'b'], ['c'], [], ['d', 'e'], []])
  await pruned(frontier, 10_000)
  await pruned(frontier, 110_000)

  expect(await textsIn(frontier)).toEqual(['d', 'e'])
  expect(await frontier.reader.counts()).toMatchObject({ items: 5, itemsGone: 3 })
  expect(await frontier.reader.itemsOfRequest({ requestId: 1, limit: 9 })).toMatchObject([
    { json: '"e"' },
    { json: '"d"', visit: 3 },
  ])
  expect(await frontier.reader.items({ newestFirst: true, limit: 1 })).toMatchObject([{ json: '"e"' }])
  expect((await frontier.reader.changes({})).map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd', 'e'])
}

async function keepsWhatIsWanted(make: () => FrontierStore): Promise<void> {
  const frontier = await onePage(make)
  if (frontier === undefined) return
  await visited(frontier, [['a'], ['b'], ['c'], ['d']])
  const [, second] = await frontier.reader.items({})
  await pruned(frontier, 10_000)
  await pruned(frontier, 109_999)
  expect(await textsIn(frontier)).toEqual(['a', 'b', 'c', 'd'])
  expect(await frontier.reader.counts()).not.toHaveProperty('itemsGone')

  const { oldSeq } = await pruned(frontier, 110_000, { upToSeq: second?.seq ?? 0 })
  expect(await textsIn(frontier)).toEqual(['c', 'd'])
  expect(oldSeq).toBeGreaterThan(second?.seq ?? 0)

  await visited(frontier, [['e'], ['f']], 110)
  await pruned(frontier, 112_000)
  expect(await textsIn(frontier)).toEqual(['e', 'f'])
}

async function keepsSetAside(make: () => FrontierStore): Promise<void> {
  const frontier = await onePage(make)
  if (frontier === undefined) return
  await visited(frontier, [['a', 'b'], ['c']])
  await frontier.rejects.setAside([{ source: 'table', requestId: 1, visit: 0, ordinal: 1, reason: 'too long', at: 1 }])
  await pruned(frontier, 10_000)
  await pruned(frontier, 110_000)
  expect(await textsIn(frontier)).toEqual(['b', 'c'])

  const [reject] = await frontier.reader.rejects({})
  await frontier.rejects.forget([reject?.id ?? 0])
  await pruned(frontier, 110_000)
  expect(await textsIn(frontier)).toEqual(['c'])
}

async function removesInSteps(make: () => FrontierStore): Promise<void> {
  const frontier = await onePage(make)
  if (frontier === undefined) return
  const many = Array.from({ length: 1_000 }, (_, n) => `${n}`)
  await visited(frontier, [many, ['last']])
  await pruned(frontier, 10_000)
  await pruned(frontier, 110_000, { most: 1 })
  const left = (await textsIn(frontier)).length
  expect(left).toBeLessThan(1_001)
  expect(left).toBeGreaterThan(400)

  await pruned(frontier, 110_000)
  expect(await textsIn(frontier)).toEqual(['last'])
  expect(await frontier.reader.counts()).toMatchObject({ items: 1_001, itemsGone: 1_000 })
}

/** Of the changes that are there. */
async function changedIn({ reader }: Frontier): Promise<readonly unknown[]> {
  return (await reader.changes({})).map(({ after }) => after?.['text'])
}

async function removesChanges(make: () => FrontierStore): Promise<void> {
  const frontier = await onePage(make)
  if (frontier === undefined) return
  await visited(frontier, [['tea 9', 'cup 9'], ['tea 8'], ['tea 7'], ['tea 6']])
  const before = await frontier.reader.changes({})
  await pruned(frontier, 10_000)
  await pruned(frontier, 110_000)
  expect(before).toHaveLength(5)
  expect(await frontier.reader.changes({})).toEqual(before)
  expect(await frontier.reader.items({})).toHaveLength(1)

  const [all, third] = [{ before: 1e9, upToSeq: 1e9, afterSeq: 0 }, before[2]?.seq ?? 0]
  if (frontier.pruneChanges === undefined) return
  expect(await frontier.pruneChanges({ ...all, before: 0 })).toBe(0)
  expect(await frontier.pruneChanges({ ...all, upToSeq: third })).toBe(third)
  expect(await changedIn(frontier)).toEqual(['cup 9', 'tea 7', 'tea 6'])
  await frontier.pruneChanges({ ...all, before: 2_000 })
  expect(await changedIn(frontier)).toEqual(['cup 9', 'tea 7', 'tea 6'])
  expect(await frontier.pruneChanges(all)).toBe(before.at(-1)?.seq)
  expect(await changedIn(frontier)).toEqual(['cup 9', 'tea 6'])
  expect(await frontier.reader.changes({ key: 'tea' })).toMatchObject([{ before: { text: 'tea 7' }, at: 3_000 }])
}

async function removesChangesInSteps(make: () => FrontierStore): Promise<void> {
  const frontier = await onePage(make)
  if (frontier?.pruneChanges === undefined) return
  const all = Array.from({ length: 600 }, (_, n) => `${n}`)
  await visited(frontier, [all.map((key) => `${key} old`), ['0 new']])
  const last = (await frontier.reader.changes({})).at(-1)?.seq ?? 0
  const pass = async (): Promise<readonly number[]> => {
    const steps: number[] = []
    for (let [at, next] = [-1, 0]; next > at;) {
      ;[at, next] = [next, (await frontier.pruneChanges?.({ before: 1e9, upToSeq: 1e9, afterSeq: next })) ?? 0]
      steps.push(next)
    }
    return steps
  }
  const steps = await pass()
  expect([steps.at(-1), steps.length > 3]).toEqual([last, true])
  expect(await changedIn(frontier)).toHaveLength(600)

  // A pass begins at the start, where little or nothing is left.
  await visited(frontier, [all.map((key) => `${key} newer`), all.map((key) => `${key} newest`)], 2)
  await pass()
  expect(await changedIn(frontier)).toHaveLength(600)
  const newest = (await frontier.reader.changes({})).at(-1)?.seq ?? 0

  await visited(frontier, [['0 last']], 4)
  expect(await frontier.reader.changes({ afterSeq: newest })).toMatchObject([{ after: { text: '0 last' } }])
}

async function tellsSizes(make: () => FrontierStore): Promise<void> {
  const frontier = await onePage(make)
  if (frontier?.reader.sizes === undefined) return
  await visited(frontier, [['a']])
  await pruned(frontier, 10_000)
  expect(await frontier.reader.sizes(20_000)).not.toHaveProperty('daily')
  await visited(frontier, [Array.from({ length: 3_000 }, (_, n) => `${n}`)], 11)

  const { items, requests, daily } = await frontier.reader.sizes(10_000 + 12 * 3_600_000)
  expect(items).toBeGreaterThan(60_000)
  expect(requests).toBeGreaterThan(0)
  expect(daily?.items).toBeGreaterThan(1.9 * items)
  expect(daily?.items).toBeLessThan(2 * items)
}

async function keepsNumbers(make: () => FrontierStore): Promise<void> {
  const frontier = await onePage(make)
  if (frontier === undefined) return
  await visited(frontier, [['a'], ['b']])
  const before = await frontier.reader.items({})
  await pruned(frontier, 10_000)
  await pruned(frontier, 110_000)
  await visited(frontier, [['c']], 110)

  const after = await frontier.reader.items({})
  expect(after[0]).toEqual(before[1])
  expect(after[1]?.seq).toBeGreaterThan(before[1]?.seq ?? Infinity)
  expect(await frontier.reader.items({ afterSeq: before[0]?.seq ?? 0, limit: 9 })).toEqual(after)
}
