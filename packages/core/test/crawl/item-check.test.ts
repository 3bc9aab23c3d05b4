// Items against a schema, which is the user's: it may wait, throw, never answer, or answer with anything.
import { VirtualClock } from '@avocet/simulator'
import { systemClock } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { checkItems, type CheckedItems, type CheckWorld } from '../../src/pages/item-check.ts'
import { LoopBudget } from '../../src/process/loop-budget.ts'
import { countTurns } from '../count-turns.ts'

const URL_OF_PAGE = 'https://shop.example/1'

function world(validate: (value: unknown) => unknown, more: Partial<CheckWorld> = {}): CheckWorld {
  const clock = systemClock()
  const schema = { '~standard': { version: 1, vendor: 'test', validate } } as unknown as CheckWorld['schema']
  return { schema, clock, timeoutMs: 60_000, loop: new LoopBudget(clock), hide: (text) => text, ...more }
}

const check = (items: readonly unknown[], made: CheckWorld): ReturnType<typeof checkItems> =>
  checkItems(
    items.map((item) => JSON.stringify(item)),
    URL_OF_PAGE,
    made,
  )
const answering = (answer: unknown): CheckWorld => world(() => answer)
const even = (value: unknown): unknown =>
  (value as { n: number }).n % 2 === 0 ? { value } : { issues: [{ message: 'odd', path: ['n'] }] }

describe('a schema that answers at once', () => {
  it('costs no turn of the event loop, and leaves each item at its place', () => {
    const checked = check([{ n: 0 }, { n: 1 }, { n: 2 }], world(even)) as CheckedItems

    expect(checked.items).toEqual([
      { json: '{"n":0}', ordinal: 0 },
      { json: '{"n":2}', ordinal: 2 },
    ])
    expect(checked.rejects).toEqual([{ json: '{"n":1}', ordinal: 1, reason: 'n: odd', at: expect.any(Number) as number }])
  })

  it('makes of an item what it likes, and gets a copy that it may change', () => {
    const changing = world((value) => ({ value: Object.assign(value as object, { seen: true }) }))

    expect(check([{ n: 1 }], changing)).toMatchObject({ items: [{ json: '{"n":1,"seen":true}' }], rejects: [] })
  })

  it('lets others have the event loop while it checks 100,000 items', async () => {
    const items = Array.from({ length: 100_000 }, (_, n) => ({ n }))

    const turns = countTurns()
    const checked = (await check(items, world(even))) as CheckedItems
    turns.stop()

    expect(turns.now).toBeGreaterThan(1)
    expect([checked.items.length, checked.rejects.length]).toEqual([50_000, 50_000])
    expect(checked.rejects.at(-1)?.ordinal).toBe(99_999)
  })
})

describe('a schema that waits', () => {
  it('is asked about one item after the other, in their order', async () => {
    let asked = 0
    let most = 0
    const slow = world(async (value) => {
      most = Math.max(most, ++asked)
      await Promise.resolve()
      asked--
      return even(value)
    })

    const checked = await check([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }], slow)

    expect(most).toBe(1)
    expect(checked).toMatchObject({
      kind: 'checked',
      items: [{ ordinal: 0 }, { ordinal: 2 }],
      rejects: [{ ordinal: 1 }, { ordinal: 3 }],
    })
  })

  it('may wait for some items only', async () => {
    const now = world((value) => ((value as { n: number }).n === 150 ? Promise.resolve(even(value)) : even(value)))

    const checked = (await check(
      Array.from({ length: 300 }, (_, n) => ({ n })),
      now,
    )) as CheckedItems

    expect(checked.items.map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 150 }, (_, n) => 2 * n))
  })

  it('fails the page when it never answers, after the time that a handler has', async () => {
    const clock = new VirtualClock()
    const never = world(async () => new Promise(() => {}), { clock, loop: new LoopBudget(clock), timeoutMs: 60_000 })

    const started = clock.now()
    const failed = await clock.run(async () => check([{ n: 0 }], { ...never, clock: unheld(clock) }))

    expect(clock.now() - started).toBe(60_000)
    expect(failed).toMatchObject({
      kind: 'failed',
      failure: {
        code: 'AVO_HANDLER_TIMEOUT',
        message: expect.stringContaining('the schema did not finish within 1 min') as string,
      },
    })
  })
})

/** What waits for nothing on the clock would hold it for ever. */
const unheld = (clock: VirtualClock): CheckWorld['clock'] => ({
  ...systemClock(),
  at: (epochMs, wake) => clock.at(epochMs, wake),
  now: () => clock.now(),
  hold: () => ({ [Symbol.dispose]() {} }),
})

describe('a schema that is broken', () => {
  it.each([
    [
      'throws',
      () => {
        throw new TypeError('no such field')
      },
      'the schema of items threw no such field',
    ],
    ['rejects', async () => Promise.reject(new Error('offline')), 'the schema of items threw offline'],
    ['answers nothing', () => undefined, 'the schema of items threw '],
    ['answers with issues that are none', () => ({ issues: 'all' }), 'the schema of items threw '],
    [
      'makes what throws when it is read',
      () => ({
        value: {
          get price(): number {
            throw new Error('not today')
          },
        },
      }),
      'the schema of items threw not today',
    ],
  ])('fails the page when it %s', async (_does, validate, says) => {
    const failed = await check([{ n: 0 }], world(validate))

    expect(failed).toMatchObject({ kind: 'failed', failure: { code: 'AVO_HANDLER_SCHEMA', blame: 'user', phase: 'handler' } })
    expect(failed.kind === 'failed' && failed.failure.message).toContain(says)
  })
})

describe('a reason', () => {
  const reasonFor = async (answer: unknown): Promise<string | undefined> => {
    const checked = await check([{ n: 0 }], answering(answer))
    return checked.kind === 'checked' ? checked.rejects[0]?.reason : checked.kind
  }

  it.each([
    ['the path and the message', { issues: [{ message: 'too low', path: ['offers', 3, 'price'] }] }, 'offers[3].price: too low'],
    ['paths of keys', { issues: [{ message: 'too low', path: [{ key: 'offers' }, { key: 0 }] }] }, 'offers[0]: too low'],
    [
      'a path that the message has',
      { issues: [{ message: 'price must be a number', path: ['price'] }] },
      'price must be a number',
    ],
    ['symbols', { issues: [{ message: 'odd', path: [Symbol('x')] }] }, 'Symbol(x): odd'],
    ['no path', { issues: [{ message: 'too\n  many' }] }, 'too many'],
    [
      'the first three',
      { issues: Array.from({ length: 70_000 }, (_, n) => ({ message: 'bad', path: [n] })) },
      '[0]: bad; [1]: bad; [2]: bad; and 69997 more',
    ],
  ])('says %s', async (_what, answer, reason) => {
    expect(await reasonFor(answer)).toBe(reason)
  })

  it.each([
    [{ since: new Date(0) }, '$.since is a Date'],
    [{ n: NaN }, '$.n is NaN, and JSON has no such number'],
    ['Assam', "$ is 'Assam'"],
    [undefined, '$ is nothing'],
  ])('says that %s is no plain data', async (value, flaw) => {
    expect(await reasonFor({ value })).toBe(
      `expected the schema to make plain data of an item, but ${flaw}; let it put out texts for dates and URLs, and null where there is no value`,
    )
  })

  it('is cut, however long its message and its path are', async () => {
    const path = Array.from({ length: 999 }, () => 'deep'.repeat(99))
    const reason = await reasonFor({ issues: [{ message: 'long'.repeat(900), path }] })

    expect(reason?.length).toBe(500)
  })

  it('has no secret', async () => {
    const told = answering({ issues: [{ message: 'no tea for s3cret' }] })
    const checked = await check([{ n: 0 }], { ...told, hide: (text) => text.replaceAll('s3cret', '*') })

    expect(checked).toMatchObject({ rejects: [{ reason: 'no tea for *' }] })
  })
})
