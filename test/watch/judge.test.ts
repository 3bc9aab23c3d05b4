// The judge of the watch is fed right, wrong, missing, doubled and late changes, and must say so.
import { HOUR_MS } from '@avocet/stress/shops'
import { describe, expect, it } from 'vitest'
import { judgeHost, type JudgedVisit, type PublishedChange, type Verdict } from '../../bench/watch/judge.ts'

const T = 1_767_225_600_000

/** What hourly visits of one page see: values by key, or what kind of answer it was; then whether it had to be published. */
type Row = Readonly<Record<string, string>> | 'same' | 404 | 410 | 'failed' | { readonly lost: Row } | { readonly held: Row }

function visitsOf(...rows: readonly Row[]): JudgedVisit[] {
  return rows.map((row, n) => ({ at: T + n * HOUR_MS, page: '/p', ...seenOf(row) }))
}

/** Hourly visits of two pages, one right after the other. */
function visitsOfTwo(...rows: readonly (readonly [Row, Row])[]): JudgedVisit[] {
  return rows.flatMap(([p, q], n) => {
    const at = T + n * HOUR_MS
    return [
      { at, page: '/p', ...seenOf(p) },
      { at: at + HOUR_MS / 2, page: '/q', ...seenOf(q) },
    ]
  })
}

function seenOf(row: Row): Pick<JudgedVisit, 'seen' | 'duty'> {
  if (typeof row === 'object' && 'lost' in row && typeof row.lost !== 'string') return { ...seenOf(row.lost), duty: 'lost' }
  if (typeof row === 'object' && 'held' in row && typeof row.held !== 'string') return { ...seenOf(row.held), duty: 'held' }
  if (row === 'failed') return { duty: 'must' }
  if (row === 'same') return { seen: { kind: 'same' }, duty: 'must' }
  if (typeof row === 'number') return { seen: { kind: 'missing', weight: row === 410 ? 2 : 1 }, duty: 'must' }
  return { seen: { kind: 'values', values: new Map(Object.entries(row as Record<string, string>)) }, duty: 'must' }
}

/** Changes as `hour kind key before>after`. */
function published(...lines: readonly string[]): PublishedChange[] {
  return lines.map((line, n) => {
    const [hour = '', kind = '', key = '', values = ''] = line.split(' ')
    const [before = '', after = ''] = values.split('>')
    const is = { seq: n + 1, at: T + Number(hour) * HOUR_MS, kind: kind as PublishedChange['kind'], key }
    return { ...is, ...(before !== '' && { before }), ...(after !== '' && { after }) }
  })
}

function faultsOf({ faults }: Verdict): string[] {
  return faults.map(({ fault, at, change: { kind, key } }) => `${fault} ${String((at - T) / HOUR_MS)} ${kind} ${key}`)
}

const judged = (visits: readonly JudgedVisit[], ...lines: readonly string[]): string[] =>
  faultsOf(judgeHost('shop.test', visits, published(...lines)))

describe('the judge', () => {
  const visits = visitsOf({ a: '5' }, { a: '5' }, { a: '6' }, { a: '6' })

  it('is content with what visits saw', () => {
    const verdict = judgeHost('shop.test', visits, published('0 new a >5', '2 changed a 5>6'))

    expect(verdict).toEqual({ faults: [], right: 2, rightOfHeld: 0 })
  })

  it.each([
    ['a change that is missing', ['0 new a >5'], ['missed 2 changed a']],
    ['a change that was none', ['0 new a >5', '1 changed a 5>5.00', '2 changed a 5>6'], ['false 1 changed a']],
    ['a wrong value', ['0 new a >5', '2 changed a 5>7'], ['false 2 changed a', 'missed 2 changed a']],
    ['a wrong value before', ['0 new a >5', '2 changed a 4>6'], ['false 2 changed a', 'missed 2 changed a']],
    ['the wrong kind', ['0 new a >5', '2 back a >6'], ['false 2 back a', 'missed 2 changed a']],
    ['another item', ['0 new a >5', '2 changed b 5>6'], ['false 2 changed b', 'missed 2 changed a']],
    ['a change twice', ['0 new a >5', '2 changed a 5>6', '2 changed a 5>6'], ['doubled 2 changed a']],
    ['a change a visit too late', ['0 new a >5', '3 changed a 5>6'], ['late 2 changed a']],
    ['a change of a visit that there was not', ['0 new a >5', '2 changed a 5>6', '9 gone a 6>'], ['false 9 gone a']],
    ['nothing', [], ['missed 0 new a', 'missed 2 changed a']],
  ])('says so of %s', (_what, lines, faults) => {
    expect(judged(visits, ...lines)).toEqual(faults)
  })

  it('calls a value that was skipped missed, and the change over it right', () => {
    const story = visitsOf({ a: '5' }, { a: '6' }, { a: '7' })

    expect(judged(story, '0 new a >5', '2 changed a 5>7')).toEqual(['missed 1 changed a'])
    expect(judged(story, '0 new a >5', '2 changed a 4>7')).toEqual([
      'false 2 changed a',
      'missed 1 changed a',
      'missed 2 changed a',
    ])
  })

  it('wants an item gone at the third good visit in a row without it, not before, and back when it is there again', () => {
    const story = visitsOf({ a: '5' }, {}, 'failed', 'same', { a: '5' }, {}, {}, 'failed', {}, {}, { a: '5' })

    expect(judged(story, '0 new a >5', '8 gone a 5>', '10 back a 5>5')).toEqual([])
    expect(judged(story, '0 new a >5', '6 gone a 5>', '10 back a 5>5')).toEqual(['false 6 gone a', 'missed 8 gone a'])
    expect(judged(story, '0 new a >5', '8 gone a 5>')).toEqual(['missed 10 back a'])
  })

  it('takes no hours of 404 and no outage for an end, and a day of 404 for one', () => {
    const hours = (row: Row, count: number): Row[] => Array.from({ length: count }, () => row)
    const away = visitsOf({ a: '5' }, ...hours(404, 14), { a: '5' }, ...hours('failed', 26), { a: '5' })
    const gone = visitsOf({ a: '5' }, ...hours(404, 26))

    expect(judged(away, '0 new a >5')).toEqual([])
    expect(judged(away, '0 new a >5', '14 gone a 5>', '15 back a 5>5')).toEqual(['false 14 gone a', 'false 15 back a'])
    expect(judged(gone, '0 new a >5', '25 gone a 5>')).toEqual([])
    expect(judged(gone, '0 new a >5')).toEqual(['missed 26 gone a'])
  })

  it('wants an item gone when the last of its pages has lost it', () => {
    const away = visitsOfTwo([{ a: '5' }, { a: '5' }], [{}, 'same'], [{}, 'same'], [{}, {}], [{}, {}], [{}, {}])

    expect(judged(away, '0 new a >5', '5.5 gone a 5>')).toEqual([])
    expect(judged(away, '0 new a >5', '3 gone a 5>')).toEqual(['false 3 gone a', 'missed 5.5 gone a'])
    expect(judged(away, '0 new a >5')).toEqual(['missed 5.5 gone a'])
  })

  it('wants no change of two pages that differ for long, and one once the page that gave the value has lost the item', () => {
    const differ = visitsOfTwo(
      [{ a: '5' }, { a: '6' }],
      [{ a: '5' }, { a: '6' }],
      [{}, { a: '6' }],
      [{}, { a: '6' }],
      [{}, { a: '6' }],
    )

    expect(judged(differ, '0 new a >5', '4.5 changed a 5>6')).toEqual([])
    expect(judged(differ, '0 new a >5', '0.5 changed a 5>6')).toEqual(['false 0.5 changed a', 'missed 4.5 changed a'])
    expect(judged(differ, '0 new a >5')).toEqual(['missed 4.5 changed a'])
  })

  it('leaves open whether another page decides once the page that gave the value is missing so long that it may be given up', () => {
    // At its 25th 404 the page has been missing for a day, give or take the moments of its answers.
    const missing = Array.from({ length: 24 }, (): [Row, Row] => [404, { a: '6' }])
    const story = visitsOfTwo([{ a: '5' }, { a: '6' }], ...missing, [404, { a: '6' }])

    expect(judged(story, '0 new a >5')).toEqual([])
    expect(judged(story, '0 new a >5', '25.5 changed a 5>6')).toEqual([])
    expect(judged(story, '0 new a >5', '20.5 changed a 5>6')).toEqual(['false 20.5 changed a'])
  })

  it('wants the value of an item that moved, where it is now, once the page before lacks it', () => {
    const later = visitsOfTwo([{ a: '5' }, {}], [{}, { a: '6' }])
    const before = visitsOfTwo([{}, { a: '5' }], [{ a: '6' }, {}], [{ a: '6' }, {}])

    expect(judged(later, '0 new a >5', '1.5 changed a 5>6')).toEqual([])
    expect(judged(later, '0 new a >5')).toEqual(['missed 1.5 changed a'])
    expect(judged(before, '0.5 new a >5', '2 changed a 5>6')).toEqual([])
    expect(judged(before, '0.5 new a >5', '1 changed a 5>6')).toEqual(['false 1 changed a', 'missed 2 changed a'])
  })

  it('leaves a visit that died with its process whole or not at all, and wants what it saw at the next one', () => {
    const story = visitsOf({ a: '5', b: '1' }, { lost: { a: '6', b: '2' } }, { a: '6', b: '2' })
    const first = ['0 new a >5', '0 new b >1']

    expect(judged(story, ...first, '1 changed a 5>6', '1 changed b 1>2')).toEqual([])
    expect(judged(story, ...first, '2 changed a 5>6', '2 changed b 1>2')).toEqual([])
    expect(judged(story, ...first, '1 changed a 5>6', '2 changed b 1>2')).toEqual(['late 1 changed b'])
    expect(judged(story, ...first, '1 changed a 5>6', '1 changed b 1>2', '2 changed b 1>2')).toEqual(['false 2 changed b'])
    expect(judged(story, ...first)).toEqual(['missed 2 changed a', 'missed 2 changed b'])
  })

  it('lets a crawl hold what it may, if it publishes the truth of it later', () => {
    const story = visitsOf({ a: '5' }, { held: { a: '6' } }, { held: { a: '7' } }, { a: '7' })

    expect(judged(story, '0 new a >5', '3 changed a 5>7')).toEqual([])
    expect(judged(story, '0 new a >5', '1 changed a 5>6', '2 changed a 6>7')).toEqual([])
    expect(judged(story, '0 new a >5', '1 changed a 5>1', '3 changed a 5>7')).toEqual(['false 1 changed a'])
    expect(judged(story, '0 new a >5')).toEqual(['missed 3 changed a'])
  })
})
