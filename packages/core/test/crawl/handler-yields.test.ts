// What is counted of the pages of a handler at a host, and how it is read back.
import { describe, expect, it } from 'vitest'
import { failure } from '../../src/ports/failure.ts'
import type { Outcome } from '../../src/ports/frontier.ts'
import { countYields, countedPage, type YieldingHost } from '../../src/hosts/handler-yields.ts'
import { hasDriedUp, hostYield, type HandlerYield } from '../../../at-rest/src/handler-yield.ts'
import { driedUpOf, mostItems } from '../../../at-rest/src/host-judgement.ts'
import { requestOf } from '../../src/hosts/request-of.ts'
import type { Fingerprint, Request } from '../../src/ports/request.ts'

/** A page of a handler, and what became of it. */
interface Unit {
  readonly request: Request
  readonly outcome: Outcome
  readonly items: readonly unknown[]
  readonly dropped: number
  readonly rejects?: readonly unknown[]
  readonly offered: number
}

const requestFor = (handler: string): Request =>
  requestOf({
    id: 1,
    fingerprint: '0123456789abcdef' as Fingerprint,
    hostKey: 'a',
    url: 'https://a/1',
    handler,
    depth: 0,
    priority: 0,
    attempts: 0,
    freeAttempts: 0,
  })
const fetched = { at: 0, status: 200, durationMs: 1, wireBytes: 1 }
const invalid = failure('AVO_HANDLER_YIELD_INVALID', 'no item', { phase: 'handler', sent: true })
const DONE: Outcome = { kind: 'done', fetched }
const UNCHANGED: Outcome = { kind: 'done', fetched, reason: 'unchanged' }
const REJECTED: Outcome = { kind: 'failed', reason: 'handler', failure: invalid }

const page = (items: number, { handler = 'product', ...more }: Partial<Unit> & { readonly handler?: string } = {}): Unit => ({
  request: requestFor(handler),
  outcome: DONE,
  items: Array.from({ length: items }, () => ({})),
  dropped: 0,
  offered: 0,
  ...more,
})

function counted(pages: readonly Unit[], host: YieldingHost = { core: {} }): YieldingHost {
  countYields(pages.map((each) => ({ ...each, host })))
  return host
}

const read = ({ core }: YieldingHost): readonly HandlerYield[] => hostYield({ core: JSON.stringify([1, core]) })

const repeated = (times: number, one: Unit): Unit[] => Array.from({ length: times }, () => one)

describe('the yields of a host', () => {
  it('are those of each handler, in the order in which they were first used', () => {
    const host = counted([
      page(0, { handler: 'start', offered: 20 }),
      page(3),
      page(1, { dropped: 2, rejects: [{}, {}, {}] }),
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

  it('are none of a host that was never met, and of one of an older store', () => {
    expect(hostYield({})).toEqual([])
    expect(hostYield({ core: '[1,{"seq":4}]' })).toEqual([])
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
    expect(JSON.stringify(host.core.yields).length).toBeLessThan(33 * 50)
  })

  it('take back what the store refused, and are what they were: 40 pages without an item are still 40', () => {
    const host = counted([...repeated(50, page(1)), ...repeated(40, page(0))])
    const before = read(host)
    countYields([{ ...page(3, { dropped: 1 }), host }])(() => false)

    expect(read(host)).toEqual(before)
    expect(read(host).filter(hasDriedUp)).toHaveLength(1)
  })

  it('keep the pages of a group of which the store refused another', () => {
    const host = counted([page(2)])
    countYields([page(0), page(3), page(0, { offered: 1 })].map((each) => ({ ...each, host })))((index) => index !== 1)

    expect(read(host)).toMatchObject([{ pages: 3, items: 2, fruitful: 1, barren: 2, yielding: 2 }])
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

  it('that has dried up is listed with its host, that with most items before first', () => {
    const core = (items: number) => ({
      core: JSON.stringify([1, counted([...repeated(items, page(1)), ...repeated(40, page(0))]).core]),
    })
    const hosts = [
      { hostKey: 'a.test', memory: core(9) },
      { hostKey: 'b.test', memory: core(400) },
      { hostKey: 'c.test', memory: {} },
    ]
    expect(mostItems(hosts.flatMap((host) => driedUpOf(host, 0)))).toEqual([
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

describe('a unit', () => {
  const request = requestFor('product')

  it('counts when its handler was run for its items', () => {
    expect(
      countedPage({ request, outcome: { kind: 'done', fetched }, items: [{}], dropped: 2, rejects: [{}], offered: 0 }),
    ).toEqual({
      handler: 'product',
      as: 'handled',
      at: 0,
      items: 1,
      dropped: 2,
      rejects: 1,
      yielded: true,
    })
    expect(
      countedPage({ request, outcome: { kind: 'done', fetched, reason: 'unchanged' }, items: [], offered: 0 }),
    ).toMatchObject({
      as: 'unchanged',
    })
    expect(
      countedPage({ request, outcome: { kind: 'failed', reason: 'handler', failure: invalid }, items: [], offered: 0 }),
    ).toMatchObject({
      as: 'spoiled',
    })
  })

  it('does not count when it failed otherwise, or was put back', () => {
    expect(countedPage({ request, outcome: { kind: 'failed', reason: 'http-404' }, items: [], offered: 0 })).toBeUndefined()
    expect(
      countedPage({ request, outcome: { kind: 'retry', at: 0, counted: true, reason: 'x' }, items: [], offered: 0 }),
    ).toBeUndefined()
    expect(countedPage({ items: [], offered: 0 })).toBeUndefined()
  })
})
