// What changed between two visits of a page: which items are new, gone, or others.
import { describe, expect, it } from 'vitest'
import { changesBetween, itemsBrought } from '../../src/visits/visit-changes.ts'
import { ReadItem, type ReadVisit } from '../../src/visits/read-item.ts'

function visit(items: readonly unknown[], more: Partial<ReadVisit> = {}): ReadVisit {
  const read = items.map((item, ordinal) => new ReadItem({ seq: ordinal + 1, ordinal, json: JSON.stringify(item) }))
  return { visit: 0, items: read, ...more }
}

/** `changed tea: price 2 -> 3`. */
function changes(before: ReadVisit, after: ReadVisit, stamps: readonly string[] = []): string[] {
  const { items, moreItems } = changesBetween(before, after, new Set(stamps))
  const lines = items.map(({ kind, title, fields }) => {
    const differ = fields.map(({ path, before: was, after: is }) => `${path} ${was ?? '-'} -> ${is ?? '-'}`)
    return `${kind} ${title ?? 'it'}: ${differ.join(', ')}`
  })
  return moreItems > 0 ? [...lines, `${moreItems} more`] : lines
}

const tea = { sku: 'T1', name: 'tea', price: 2, currency: 'EUR' }
const milk = { sku: 'M1', name: 'milk', price: 1, currency: 'EUR' }
const salt = { sku: 'S1', name: 'salt', price: 3, currency: 'EUR' }

describe('what changed between two visits', () => {
  it('is nothing where all items are the same, wherever they are', () => {
    expect(changes(visit([tea, milk]), visit([tea, milk]))).toEqual([])
    expect(changes(visit([tea, milk]), visit([milk, tea]))).toEqual([])
    expect(changes(visit([{ a: 1, b: 2 }]), visit([{ b: 2, a: 1 }]))).toEqual([])
  })

  it('of the page of one thing is its fields, also where all of them are others', () => {
    expect(changes(visit([tea]), visit([{ ...tea, price: 3 }]))).toEqual(['changed it: price 2 -> 3'])
    expect(changes(visit([{ a: 1 }]), visit([{ b: 2 }]))).toEqual(['changed it: b - -> 2, a 1 -> -'])
  })

  it('of a list is found by the field that tells its items apart, not by their places', () => {
    const before = visit([tea, milk])
    const after = visit([salt, { ...tea, price: 4 }, milk])

    expect(changes(before, after)).toEqual([
      'changed T1: price 2 -> 4',
      'new S1: sku - -> S1, name - -> salt, price - -> 3, currency - -> EUR',
    ])
    expect(changes(after, before)).toEqual([
      'changed T1: price 4 -> 2',
      'gone S1: sku S1 -> -, name salt -> -, price 3 -> -, currency EUR -> -',
    ])
  })

  it('is found by that field also where one visit brought one item', () => {
    expect(changes(visit([tea]), visit([milk, tea]))).toEqual([
      'new M1: sku - -> M1, name - -> milk, price - -> 1, currency - -> EUR',
    ])
  })

  it('is found by that field also where another one counts the places', () => {
    const placed = (...items: readonly (typeof tea)[]): ReadVisit => visit(items.map((item, n) => ({ pos: n + 1, ...item })))

    expect(changes(placed(tea, milk), placed(salt, tea, { ...milk, price: 5 }))).toEqual([
      'changed T1: pos 1 -> 2',
      'changed M1: pos 2 -> 3, price 1 -> 5',
      'new S1: pos - -> 1, sku - -> S1, name - -> salt, price - -> 3, currency - -> EUR',
    ])
  })

  it.each<[string, readonly number[], readonly number[]]>([
    ['ranks, of which an advertisement has one', [1, 2, 4, 5], [1, 2, 4, 5, 6]],
    ['offsets', [0, 10, 20, 30], [0, 10, 20, 30, 40]],
  ])('is found by that field also where another one has %s', (_, before, after) => {
    const all = ['A', 'B', 'C', 'D']
    const listed = (skus: readonly string[], ranks: readonly number[]): ReadVisit =>
      visit(skus.map((sku, n) => ({ rank: ranks[n], sku, price: 9 })))

    const lines = changes(listed(all, before), listed(['N', ...all], after))
    expect(lines.filter((line) => line.startsWith('new'))).toEqual([expect.stringMatching(/^new N: /)])
    expect(lines.join()).not.toMatch(/sku \w -> \w/)
  })

  it('is found by names where prices move on in steps', () => {
    const priced = (skus: readonly string[]): ReadVisit => visit(skus.map((sku, n) => ({ price: n + 1.5, sku })))

    expect(changes(priced(['A', 'B', 'C']), priced(['N', 'A', 'B']))).toEqual([
      'changed A: price 1.5 -> 2.5',
      'changed B: price 2.5 -> 3.5',
      'new N: price - -> 1.5, sku - -> N',
      'gone C: price 3.5 -> -, sku C -> -',
    ])
  })

  it('is found by that field also where an item of another kind lacks it', () => {
    const total = { total: 2 }

    expect(changes(visit([total, tea, milk]), visit([total, salt, tea, milk]))).toEqual([
      'new S1: sku - -> S1, name - -> salt, price - -> 3, currency - -> EUR',
    ])
    expect(changes(visit([total, tea, milk]), visit([{ total: 3 }, milk, { ...tea, price: 9 }]))).toEqual([
      'changed item 1: total 2 -> 3',
      'changed T1: price 2 -> 9',
    ])
  })

  it('is found by places where no field tells items apart', () => {
    const before = visit([{ price: 1 }, { price: 1 }])

    expect(changes(before, visit([{ price: 1 }, { price: 2 }]))).toEqual(['changed item 2: price 1 -> 2'])
    expect(changes(before, visit([{ price: 1 }, { price: 1 }, { price: 1 }]))).toEqual(['new item 3: price - -> 1'])
  })

  it('is told of items that are no objects, and of what is no JSON', () => {
    expect(changes(visit(['a', 7]), visit(['a', 8]))).toEqual(['changed item 2:  7 -> 8'])
    const broken = { ...visit([]), items: [new ReadItem({ seq: 1, ordinal: 0, json: '{"cut' })] }
    expect(changes(broken, visit(['a']))).toEqual(['changed it:  {"cut -> a'])
  })

  it('leaves out fields that say when the visit was', () => {
    const at = (seenAt: number, price: number): ReadVisit => visit([{ ...tea, price, seenAt }])

    expect(changes(at(1, 2), at(2, 2), ['seenAt'])).toEqual([])
    expect(changes(at(1, 2), at(2, 3), ['seenAt'])).toEqual(['changed it: price 2 -> 3'])
  })

  it('is five items at most, and the others are counted', () => {
    const many = visit(Array.from({ length: 9 }, (_, n) => ({ n })))

    expect(changes(visit([]), many).slice(4)).toEqual(['new item 5: n - -> 4', '4 more'])
  })
})

describe('what a visit brought', () => {
  it('is its items with their fields, told apart by what tells them apart', () => {
    const { items } = itemsBrought(visit([tea, milk]).items, new Set())

    expect(items.map(({ title, fields }) => [title, fields[2]])).toEqual([
      ['T1', { path: 'price', before: null, after: '2' }],
      ['M1', { path: 'price', before: null, after: '1' }],
    ])
    expect(itemsBrought(visit(['tea']).items, new Set()).items).toMatchObject([
      { title: null, fields: [{ path: '', after: 'tea' }] },
    ])
  })
})
