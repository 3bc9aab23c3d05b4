// What is counted of the pages of a handler at a host, and how it is read back.
import { describe, expect, it } from 'vitest'
import type { Request } from '@avocet/core'
import { failure, type Outcome } from '@avocet/core/store'
import {
  countedPage,
  countUnit,
  driedUpOf,
  hasDriedUp,
  hostYield,
  type HandlerYield,
  type CountedUnit,
} from '../src/handler-yields.ts'
import type { JournalMemory } from '../src/host-memory.ts'

type Unit = Omit<CountedUnit, 'host' | 'times' | 'refused'>
type YieldingHost = Pick<JournalMemory, 'yields'>

const requestFor = (handler: string): Request => ({ id: 1, handler }) as Request
const fetched = { at: 0, status: 200, durationMs: 1, wireBytes: 1 }
const invalid = failure('AVO_HANDLER_YIELD_INVALID', 'no item', { phase: 'handler', sent: true })
const DONE: Outcome = { kind: 'done', fetched }
const UNCHANGED: Outcome = { kind: 'done', fetched, reason: 'unchanged' }
const REJECTED: Outcome = { kind: 'failed', reason: 'handler', failure: invalid }

const page = (items: number, { handler = 'product', ...more }: Partial<Unit> & { readonly handler?: string } = {}): Unit => ({
  ...{ request: requestFor(handler), outcome: DONE, items, held: 0, dropped: 0, rejects: 0, links: 0, isDocument: false },
  ...more,
})

function counted(pages: readonly Unit[], host: YieldingHost = {}, times: 1 | -1 = 1): YieldingHost {
  for (const each of pages) countUnit(host, { ...each, times, refused: [], host: {} as CountedUnit['host'] })
  return host
}

const read = (host: YieldingHost): readonly HandlerYield[] => hostYield({ journal: JSON.stringify([1, host]) })

const repeated = (times: number, one: Unit): Unit[] => Array.from({ length: times }, () => one)

describe('the yields of a host', () => {
  it('are those of each handler, in the order in which they were first used', () => {
    const host = counted([
      page(0, { handler: 'start', links: 20 }),
      page(3),
      page(1, { dropped: 2, rejects: 3 }),
      page(0, { outcome: REJECTED }),
      page(0, { handler: 'start' }),
    ])

    expect(read(host)).toEqual([
      {
        handler: 'start',
        pages: 2,
        items: 0,
        dropped: 0,
        spoiled: 0,
        fruitful: 0,
        barren: 2,
        yielding: 1,
        rejects: 0,
        driedUp: false,
        visits: 2,
        failing: 0,
        inTrouble: false,
      },
      {
        handler: 'product',
        pages: 2,
        items: 4,
        dropped: 2,
        spoiled: 1,
        fruitful: 2,
        barren: 0,
        yielding: 2,
        rejects: 3,
        driedUp: false,
        visits: 3,
        failing: 1,
        inTrouble: false,
      },
    ])
  })

  it('are fruitful where a plugin dropped all items: what the page yielded counts', () => {
    const host = counted([...repeated(100, page(2)), ...repeated(100, page(0, { dropped: 2 }))])

    expect(read(host)).toMatchObject([{ items: 200, dropped: 200, fruitful: 200, barren: 0, driedUp: false }])
  })

  it('are fruitful where all items are held: whether they are right is not known yet', () => {
    const host = counted([...repeated(100, page(2)), ...repeated(100, page(0, { held: 2 }))])

    expect(read(host)).toMatchObject([{ items: 200, fruitful: 200, yielding: 200, barren: 0, driedUp: false }])
  })

  it('are none of a host that was never met, and of one of an older store', () => {
    expect(hostYield({})).toEqual([])
    expect(hostYield({ journal: '[1,{"open":[0]}]' })).toEqual([])
  })

  it('tell barren pages from those before: 400 items, and then none', () => {
    const host = counted([...repeated(400, page(1)), ...repeated(40, page(0))])

    expect(read(host)).toMatchObject([{ pages: 440, items: 400, fruitful: 400, barren: 40 }])
  })

  it('leave pages that were as they had been out: they say nothing of the handler', () => {
    const host = counted([page(2), ...repeated(20, page(0, { outcome: UNCHANGED }))])
    expect(read(host)).toMatchObject([{ pages: 1, items: 2, barren: 0 }])
  })

  it.each<[string, string, boolean]>([
    ['one failure, of few visits', 'good bad good', false],
    ['failures of a plugin: it is ours', 'ours ours ours ours', false],
    ['two in a row after a long green history', `${'good '.repeat(60)}bad bad`, true],
    ['all of a redesign, and then one good visit', `${'bad '.repeat(30)}good`, true],
    ['and then two', `${'bad '.repeat(30)}good good`, false],
    ['every fifth, the last one just before', 'good good good good bad '.repeat(20), true],
    ['every fifth, and the next is due', `${'good good good good bad '.repeat(20)}good good good good`, true],
    ['every fifth until it was mended', `${'good good good good bad '.repeat(20)}${'good '.repeat(8)}`, false],
  ])('tell a handler in trouble by its last visits: %s', (_what, visits, expected) => {
    const ours = failure('AVO_PLUGIN_THREW', 'ENOSPC', { phase: 'handler', sent: true })
    const kinds: Readonly<Record<string, Unit>> = {
      good: page(1),
      bad: page(0, { outcome: REJECTED }),
      ours: page(0, { outcome: { ...REJECTED, failure: ours } }),
    }
    expect(
      read(
        counted(
          visits
            .trim()
            .split(' ')
            .flatMap((kind) => kinds[kind] ?? []),
        ),
      ),
    ).toMatchObject([{ inTrouble: expected }])
  })

  it('are kept of 32 handlers by name, of the others together, and of names that are too long with them', () => {
    const names = Array.from({ length: 40 }, (_, n) => `h${n}`)
    const host = counted([...names.map((handler) => page(1, { handler })), page(5, { handler: 'x'.repeat(101) })])

    const yields = read(host)
    expect(yields).toHaveLength(33)
    expect(yields.at(-1)).toMatchObject({ pages: 9, items: 13 })
    expect(yields.at(-1)).not.toHaveProperty('handler')
    expect(yields.reduce((sum, { items }) => sum + items, 0)).toBe(45)
    expect(JSON.stringify(host.yields).length).toBeLessThan(33 * 50)
  })

  it('take back what the store refused, but not that the handler found something', () => {
    const host = counted([...repeated(50, page(1)), ...repeated(40, page(0))])
    const [before] = read(host)
    const refused = [page(3, { dropped: 1 })]
    counted(refused, host)
    counted(refused, host, -1)

    expect(read(host)).toEqual([{ ...before, barren: 0, driedUp: false }])
  })

  it('keep the pages of a group of which the store refused another', () => {
    const host = counted([page(2)])
    const refused = page(3)
    counted([page(0), refused, page(0, { links: 1 })], host)
    counted([refused], host, -1)

    expect(read(host)).toMatchObject([{ pages: 3, items: 2, fruitful: 1, barren: 1, yielding: 2 }])
  })
})

describe('a handler', () => {
  it.each([
    ['400 items of 400 pages, and then none in 40', { pages: 440, fruitful: 400, barren: 40 }, true],
    ['one item each of 10 pages, and then none in 4', { pages: 14, fruitful: 10, barren: 4 }, false],
    ['and then none in 5', { pages: 15, fruitful: 10, barren: 5 }, true],
    ['one page in twenty with items, and then none in 80', { pages: 480, fruitful: 20, barren: 80 }, false],
    ['and then none in 100', { pages: 500, fruitful: 20, barren: 100 }, true],
    ['never an item', { pages: 9_000, fruitful: 0, barren: 9_000 }, false],
    ['no page', { pages: 0, fruitful: 0, barren: 0 }, false],
  ])('that got %s has dried up: %#', (_what, counts, expected) => {
    expect(hasDriedUp(counts)).toBe(expected)
  })

  it('that has dried up is listed with its host', () => {
    const memory = (items: number) => ({
      journal: JSON.stringify([1, counted([...repeated(items, page(1)), ...repeated(40, page(0))])]),
    })
    const hosts = [
      { hostKey: 'a.test', memory: memory(9) },
      { hostKey: 'b.test', memory: memory(400) },
      { hostKey: 'c.test', memory: {} },
    ]
    expect(hosts.flatMap((host) => driedUpOf(host, 0)).toReversed()).toEqual([
      {
        hostKey: 'b.test',
        handler: 'product',
        items: 400,
        barren: 40,
        why: 'no items in the last 40 pages of handler product, after 400 items',
      },
      {
        hostKey: 'a.test',
        handler: 'product',
        items: 9,
        barren: 40,
        why: 'no items in the last 40 pages of handler product, after 9 items',
      },
    ])
  })
})

describe('what is wrong with a host', () => {
  const whyOf = (row: NonNullable<JournalMemory['yields']>[number]): string | undefined =>
    driedUpOf({ hostKey: 'a.test', memory: { journal: JSON.stringify([1, { yields: [row] }]) } }, 1_000_000)[0]?.why

  it('is that a handler finds nothing any more, or fails now, with its last good visit', () => {
    expect(whyOf(['product', 60, 40, 0, 0, 40, 20, 0, 40, 0])).toBe(
      'no items in the last 20 pages of handler product, after 40 items',
    )
    expect(whyOf(['product', 60, 40, 0, 0, 40, 0, 1, 40, 0, '000111', 940_000])).toBe(
      'handler product failed on 3 of its last 6 pages, last good visit 1 min ago',
    )
  })

  it('is that a handler yielded nothing of ten pages', () => {
    expect(whyOf(['product', 10, 0, 0, 0, 0, 10, 0, 0, 0])).toBe(
      'neither an item nor a link from any of 10 pages of handler product',
    )
    expect(whyOf(['product', 9, 0, 0, 0, 0, 9, 0, 0, 0])).toBeUndefined()
    expect(whyOf(['product', 10, 0, 0, 0, 0, 10, 0, 1, 0])).toBeUndefined()
  })
})

describe('a unit', () => {
  it('counts when its handler was run for its items', () => {
    expect(countedPage({ ...page(1), dropped: 2, rejects: 1 })).toEqual({
      ...{ handler: 'product', as: 'handled', at: 0, items: 1, dropped: 2, rejects: 1, isFruitful: true, yielded: true },
    })
    expect(countedPage(page(0, { outcome: UNCHANGED }))).toMatchObject({ as: 'unchanged' })
    expect(countedPage(page(0, { outcome: REJECTED }))).toMatchObject({ as: 'spoiled' })
  })

  it('does not count when it failed otherwise, was put back, or is a document of a plugin', () => {
    expect(countedPage(page(0, { outcome: { kind: 'failed', reason: 'http-404' } }))).toBeUndefined()
    expect(countedPage(page(0, { outcome: { kind: 'retry', at: 0, counted: true, reason: 'x' } }))).toBeUndefined()
    expect(countedPage(page(0, { isDocument: true }))).toBeUndefined()
  })
})
