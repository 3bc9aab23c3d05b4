// What handlers got from a host, after a replay ran them over kept responses: the counts of its pages as they are now.
//
// A row that the replay has is about today's handler, so what it counted before says nothing any more: pages and items are those of the store, and how many of
// the last pages had none is what the replay saw. A row that the replay does not have keeps its counts, but for the items; without a page, as after a rename,
// it goes. So the items of all rows still add up to the items of the store.
import { storedJson } from '../stored-json.ts'
import type { CoreHostMemory } from './core-memory.ts'
import { OTHERS, yieldRowOf, type YieldRow } from './handler-yields.ts'

/** What a store has of the pages that one handler gets from a host. */
export interface StoredYield {
  readonly handler: string
  /** Pages that are done. */
  readonly pages: number
  /** Of them: those with an item. */
  readonly fruitful: number
  /** Of the pages: those that the replay did not settle. */
  readonly untouched: number
  /** Of all visits, also of pages that failed since. */
  readonly items: number
}

/**
 * Core's memory of a host with the counts as they are now. `replayed`: that of the same host in the replay. Both as a store has the part `core`.
 *
 * @throws AVO_FRONTIER_CORRUPT.
 * @example
 * ```ts
 * const before = '[1,{"yields":[["product",66,0,0,0,0,66,0,0]]}]'
 * const replayed = '[1,{"yields":[["product",66,66,0,0,66,0,1,66]]}]'
 * replayedYields(before, replayed, [{ handler: 'product', pages: 66, fruitful: 66, untouched: 0, items: 66 }])
 * // '[1,{"yields":[["product",66,66,0,0,66,0,1,66]]}]'
 * ```
 */
export function replayedYields(memory: string, replayed: string, stored: readonly StoredYield[]): string {
  const [version, core] = partOf(memory)
  const [, { yields: now = [] }] = partOf(replayed)
  const { yields: before = [] } = core
  const rows: YieldRow[] = before
    .filter(([name]) => name === OTHERS || stored.some(({ handler }) => handler === name))
    .map(([...row]) => row)
  for (const [name] of now) yieldRowOf(rows, name)
  const named = new Set(rows.map(([name]) => name))
  const byRow = Map.groupBy(stored, ({ handler }) => (named.has(handler) ? handler : OTHERS))
  for (const { items } of byRow.get(OTHERS) ?? []) if (items > 0) yieldRowOf(rows, OTHERS)
  const yields = rows.map((row) =>
    rowNow(
      row,
      now.find(([name]) => name === row[0]),
      byRow.get(row[0]) ?? [],
    ),
  )
  return JSON.stringify([version, { ...core, yields }])
}

function partOf(text: string): [number, Pick<CoreHostMemory, 'yields'>] {
  return storedJson(text, 'the memory of a host') as [number, Pick<CoreHostMemory, 'yields'>]
}

function rowNow(before: YieldRow, now: YieldRow | undefined, stored: readonly StoredYield[]): YieldRow {
  const sum = (count: (each: StoredYield) => number): number => stored.reduce((total, each) => total + count(each), 0)
  const items = sum((each) => each.items)
  if (now === undefined) return before.with(2, items) as YieldRow
  const [name, , , dropped, spoiled, , barren, recent, yielding, rejects] = now
  const [pages, fruitful] = [sum((each) => each.pages), sum((each) => each.fruitful)]
  const others = Math.min(
    sum((each) => each.untouched),
    before[8],
  )
  const row: YieldRow = [
    name,
    pages,
    items,
    dropped,
    spoiled,
    fruitful,
    Math.min(barren, pages),
    recent,
    Math.min(yielding + others, pages),
  ]
  if (rejects !== undefined) row.push(rejects)
  return row
}
