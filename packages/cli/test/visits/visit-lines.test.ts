// The visits of a page as few lines: those that changed something, and the others folded.
import { describe, expect, it } from 'vitest'
import { ReadItem, type ReadVisit } from '../../src/visits/read-item.ts'
import { stampsOf } from '../../src/visits/request-visits.ts'
import { VisitLines, type VisitLine } from '../../src/visits/visit-lines.ts'

/** Visits that brought one item each, the newest first; `undefined`: it brought none. */
function visits(items: readonly unknown[]): readonly ReadVisit[] {
  return items
    .flatMap((item, visit) => {
      const one = [new ReadItem({ seq: visit + 1, ordinal: 0, json: JSON.stringify(item) ?? '' })]
      return item === undefined ? [] : [{ visit, items: one }]
    })
    .toReversed()
}

/** Items of the visits, the oldest first; `before`: older visits are not read. */
function lines(items: readonly unknown[], { bounds = { changes: 99, fields: 99 }, before = 0 } = {}): string[] {
  const read = visits(items)
  const made = new VisitLines(items.length - 1, stampsOf(read), bounds)
  for (const visit of read.filter(({ visit: number }) => number >= before)) if (!made.isFull) made.add(visit)
  return made.end(before > 0 || made.isFull, (visit) => ({ from: visit, to: visit })).map(shown)
}

function shown(line: VisitLine): string {
  const at = line.moment === null ? '' : ` @${line.moment.to}`
  if (line.kind === 'oldest') return `${line.visit}: oldest${at}`
  if (line.kind === 'alike') return `${line.first}-${line.last}: ${line.same} same, ${line.barren} barren${at}`
  return `${line.visit}: ${line.items[0]?.fields.map(({ before, after }) => `${before} -> ${after}`).join(', ')}${at}`
}

describe('the lines of visits', () => {
  it.each<[string, readonly unknown[], readonly string[]]>([
    ['of a page that was never visited are none', [], []],
    ['of a page that was visited once are that visit', [1], ['0: oldest @0']],
    ['tell what changed and when, the newest first', [1, 2, 3], ['2: 2 -> 3 @2', '1: 1 -> 2 @1', '0: oldest @0']],
    [
      'fold visits that changed nothing',
      [1, 1, 1, 2, 2],
      ['4-4: 1 same, 0 barren @4', '3: 1 -> 2 @3', '1-2: 2 same, 0 barren @2', '0: oldest @0'],
    ],
    [
      'fold visits without items with them',
      [1, undefined, 1, undefined, 2],
      ['4: 1 -> 2 @4', '1-3: 1 same, 2 barren @2', '0: oldest @0'],
    ],
    [
      'tell of visits without items at the end and at the beginning',
      [undefined, 1, undefined],
      ['2-2: 0 same, 1 barren', '1: oldest @1', '0-0: 0 same, 1 barren'],
    ],
    ['of a page that never had an item are one', [undefined, undefined], ['0-1: 0 same, 2 barren']],
    [
      'compare a page that is back with what it was',
      [1, undefined, 2],
      ['2: 1 -> 2 @2', '1-1: 0 same, 1 barren', '0: oldest @0'],
    ],
  ])('%s', (_what, items, expected) => {
    expect(lines(items)).toEqual(expected)
  })

  it('end where older visits were not read, and say nothing of those', () => {
    expect(lines([1, 2, 2, 3], { before: 1 })).toEqual(['3: 2 -> 3 @3', '2-2: 1 same, 0 barren @2', '1: oldest @1'])
  })

  it('are as many as are wanted', () => {
    const items = [1, 2, 3, 4, 5, 6]

    expect(lines(items, { bounds: { changes: 2, fields: 99 } })).toEqual(['5: 5 -> 6 @5', '4: 4 -> 5 @4', '3: oldest @3'])
    expect(lines(items, { bounds: { changes: 99, fields: 1 } })).toEqual(['5: 5 -> 6 @5', '4: oldest @4'])
  })

  it('call it no change that a visit was later', () => {
    const seen = (day: number, price: number): object => ({ price, seenAt: `2026-11-${day}T14:00:00.000Z` })

    expect(lines([seen(10, 5), seen(11, 5), seen(12, 4), seen(13, 4)])).toEqual([
      '3-3: 1 same, 0 barren @3',
      '2: 5 -> 4 @2',
      '1-1: 1 same, 0 barren @1',
      '0: oldest @0',
    ])
  })
})

describe('fields that say when a visit was', () => {
  const stamps = (items: readonly unknown[]): string[] => [...stampsOf(visits(items))]
  const ISO = ['2026-11-10T14:00:00Z', '2026-11-11T14:00:00Z', '2026-11-12 14:00']

  it.each<[string, readonly unknown[], readonly string[]]>([
    ['are moments that are later in each visit', ISO.map((seenAt) => ({ seenAt, price: 1 })), ['seenAt']],
    [
      'are in seconds or milliseconds, too',
      [1, 2, 3].map((n) => ({ s: 1_760_000_000 + n, ms: 1_760_000_000_000 + n })),
      ['s', 'ms'],
    ],
    ['are no prices that rise', [1, 2, 3].map((price) => ({ price })), []],
    ['are no days', ['2026-11-10', '2026-11-11', '2026-11-12'].map((from) => ({ from })), []],
    ['are not known from two visits', ISO.slice(1).map((seenAt) => ({ seenAt })), []],
    ['are none that one visit lacks', [{ at: ISO[0] }, {}, { at: ISO[2] }], []],
    ['are none that stayed once', [0, 0, 1].map((n) => ({ at: ISO[n], n: n + Math.random() })), []],
    ['are none of items that are no objects', ISO, []],
  ])('%s', (_what, items, expected) => {
    expect(stamps(items)).toEqual(expected)
  })
})
