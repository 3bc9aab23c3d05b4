// Orders of operators: what holds of the rows that a store has, which of them go, and which orders are refused.
import { memoryFrontier } from 'avocet'
import { isUntilResumed, type Frontier } from '@avocet/core/store'
import type { Control } from '@avocet/core/tools'
import { describe, expect, it } from 'vitest'
import { Orders } from '../src/orders.ts'
import { MAX_ADDED_SEEDS } from '../src/stored-order.ts'

const UNTIL_RESUMED = 253_402_300_799_000

async function opened(): Promise<Frontier> {
  const frontier = memoryFrontier()
  await frontier.open({ name: 'shop', hostKeying: 'host' }, 0)
  return frontier
}

async function after(...given: readonly Control[]): Promise<{ readonly frontier: Frontier; readonly orders: Orders }> {
  const frontier = await opened()
  for (const order of given) await Orders.give(frontier, order, 1_000)
  return { frontier, orders: await Orders.of(frontier.reader) }
}

/** Rows as a store has them. */
function rows(...said: readonly Control[]): { readonly at: number; readonly json: string }[] {
  return said.map((each, n) => ({ at: n + 1, json: JSON.stringify(each) }))
}

const A = { hostKey: 'a.test' } as const

describe('orders', () => {
  it('hold as the latest of a kind says, however late the clock is', async () => {
    const frontier = await opened()
    await Orders.give(frontier, { kind: 'pause' }, 1_000)
    await Orders.give(frontier, { kind: 'resume' }, 10)
    await Orders.give(frontier, { kind: 'pause-host', ...A, until: 5_000 }, 11)
    await Orders.give(frontier, { kind: 'pause-host', ...A }, 12)

    const orders = await Orders.of(frontier.reader)

    expect(orders.isPaused).toBe(false)
    expect(orders.ofHost('a.test').pausedUntil).toBe(UNTIL_RESUMED)
    expect(orders.pausedHosts(9_000)).toEqual({ pausedHosts: { count: 1, first: [{ ...A, until: Infinity }] } })
    expect(orders.listed.map(({ at }) => at)).toEqual([1_000, 1_001, 1_002, 1_003])
  })

  it('to accept what is held of a host are told to its plugins', async () => {
    const accept = { kind: 'accept-held', ...A } as const
    const { orders } = await after(accept)

    expect([orders.ofHost('a.test').acceptedAt, orders.ofHost('b.test').acceptedAt]).toEqual([1_000, 0])
    expect(new Orders().take(rows({ ...accept, items: 3 })).published).toBe(3)
  })

  it('are nothing where a row is damaged, or of another version', () => {
    const orders = new Orders()

    orders.take(['', '{', '[2,{}]', 'null'].map((json, n) => ({ at: n + 1, json })))

    expect(orders.listed).toEqual([])
  })

  it('that say nothing any more go with the next order, except for the last 200; those that hold stay', async () => {
    const frontier = await opened()
    await Orders.give(frontier, { kind: 'pause-host', ...A }, 1)
    await Orders.give(frontier, { kind: 'limit-host', ...A, limits: { maxRps: 1, delayMs: 9 } }, 2)
    for (let n = 0; n < 250; n++) await Orders.give(frontier, { kind: n % 2 === 0 ? 'pause' : 'resume' }, 10)
    await Orders.give(frontier, { kind: 'limit-host', ...A, limits: { maxRps: 2 } }, 2)

    const orders = await Orders.of(frontier.reader)

    expect(await frontier.reader.orders(0)).toHaveLength(203)
    expect(orders.listed).toHaveLength(200)
    expect(orders.ofHost('a.test')).toEqual({
      pausedUntil: UNTIL_RESUMED,
      limits: { maxRps: 2, delayMs: 9 },
      forgottenAt: 0,
      acceptedAt: 0,
    })
  })

  it('are new once', () => {
    const orders = new Orders()
    const given = rows({ kind: 'stop', now: true }, { kind: 'stop' }, { kind: 'pause-host', ...A })

    expect(orders.take(given)).toEqual({ stop: 'now', hosts: ['a.test'], seeds: [], givenUp: 0, published: 0 })
    expect(orders.take(given)).toEqual({ hosts: [], seeds: [], givenUp: 0, published: 0 })
  })

  it('tell what was done to given-up pages', async () => {
    const frontier = await opened()
    await Orders.give(frontier, { kind: 'given-up', done: 'dropped', pages: 5, settled: 2 }, 9)

    expect(await new Orders().hear(frontier.reader)).toMatchObject({ givenUp: 2 })
  })
})

describe('limits of a host', () => {
  it('are set one by one, and null has one as configured', async () => {
    const { orders } = await after(
      { kind: 'limit-host', ...A, limits: { maxRps: 2, delayMs: 500 } },
      { kind: 'limit-host', ...A, limits: { maxRps: null, maxInFlight: 3 } },
      { kind: 'limit-host', hostKey: '__proto__', limits: { maxRps: 1 } },
    )

    expect(orders.ofHost('a.test').limits).toEqual({ delayMs: 500, maxInFlight: 3 })
    expect(orders.ofHost('__proto__').limits).toEqual({ maxRps: 1 })
    expect(orders.ofHost('b.test').limits).toEqual({})
  })
})

describe('seeds that were added', () => {
  it('are listed without what may be a secret in them', async () => {
    const url = 'https://user:word@shop.test/a?token=SECRET#part'
    const { orders } = await after({ kind: 'add', seeds: [{ url }] })

    expect(JSON.stringify(orders.listed)).not.toMatch(/word|SECRET|part/)
    expect(orders.listed[0]?.control).toEqual({ kind: 'add', seeds: [{ url: 'https://shop.test/a' }] })
  })

  it('are pending until a run says that it offered them', async () => {
    const { frontier } = await after({ kind: 'add', seeds: [{ url: 'https://shop.test/a?b' }] })

    const { seeds } = await new Orders().hear(frontier.reader)

    expect(seeds).toEqual([{ at: 1_000, seeds: [{ url: 'https://shop.test/a?b' }] }])
    await frontier.order([], { now: 0, drop: seeds.map(({ at }) => at) })
    expect(await new Orders().hear(frontier.reader)).toMatchObject({ seeds: [] })
    expect(await Orders.of(frontier.reader)).toMatchObject({ listed: [{ control: { kind: 'add' } }] })
  })
})

describe('the moment of a pause without an end', () => {
  it('is that one also where a clock that was ahead has moved it', () => {
    expect([UNTIL_RESUMED, UNTIL_RESUMED - 365 * 86_400_000, Infinity, Date.now()].map(isUntilResumed)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('an order that nobody can carry out', () => {
  it.each<[Control, string]>([
    [{ kind: 'pause-host', hostKey: '' }, 'the name of a host'],
    [{ kind: 'pause-host', hostKey: 'https://shop.example/' }, 'the name of a host'],
    [{ kind: 'pause-host', ...A, until: Number.NaN }, 'a moment in epoch ms'],
    [{ kind: 'pause-host', ...A, until: 9e15 }, 'before the year 5000'],
    [{ kind: 'limit-host', ...A, limits: { delayMs: 1e17 } }, 'a year at most'],
    [{ kind: 'limit-host', ...A, limits: { maxRps: 1e-306 } }, 'at least one request a year'],
    [{ kind: 'limit-host', ...A, limits: {} }, 'a limit to set'],
    [{ kind: 'limit-host', ...A, limits: { maxRps: 0 } }, 'a positive number of requests per second'],
    [{ kind: 'limit-host', ...A, limits: { maxInFlight: 1.5 } }, 'a whole number of requests'],
    [{ kind: 'limit-host', ...A, limits: { delayMs: -1 } }, '0 or more ms'],
    [null as never, 'an order (pause, '],
    ['pause' as never, 'an order (pause, '],
    [{ kind: 'limit-host', ...A, limits: null as never }, 'a limit to set'],
    [{ kind: 'add', seeds: null as never }, 'URLs to add'],
    [{ kind: 'add', seeds: [null as never] }, 'absolute http(s) URLs'],
    [{ kind: 'add', seeds: [] }, `1 to ${MAX_ADDED_SEEDS} URLs`],
    [{ kind: 'add', seeds: [{ url: 'javascript:alert(1)' }] }, 'absolute http(s) URLs'],
  ])('%j is refused: expected %s', async (order, expected) => {
    await expect(after(order)).rejects.toMatchObject({ code: 'AVO_USAGE' })
    await expect(after(order)).rejects.toThrow(expected)
  })

  it('is refused where more URLs wait to be added than a run takes at once', async () => {
    const seeds = Array.from({ length: MAX_ADDED_SEEDS }, (_each, n) => ({ url: `https://a.test/${n}` }))
    const { frontier } = await after(...Array.from({ length: 20 }, () => ({ kind: 'add', seeds }) as const))

    await expect(Orders.give(frontier, { kind: 'add', seeds }, 0)).rejects.toThrow('expected at most 20000 added URLs')
  })

  it('is refused where it is one host too many', async () => {
    const frontier = await opened()
    const hosts = Array.from({ length: 10_000 }, (_each, n) => ({ kind: 'forget-host', hostKey: `h${n}.test` }))
    await frontier.order(
      hosts.map((each) => JSON.stringify(each)),
      { now: 1, drop: [] },
    )

    await Orders.give(frontier, { kind: 'pause-host', hostKey: 'h7.test' }, 0)
    await expect(Orders.give(frontier, { kind: 'forget-host', hostKey: 'one.more' }, 0)).rejects.toThrow(
      'at most 10000 hosts with orders',
    )
  })
})
