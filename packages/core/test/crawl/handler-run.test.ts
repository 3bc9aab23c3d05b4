// Handlers do what they like; a crawl takes it or says in one line why not.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { link, type Handler, type Page } from '@avocet/core'
import { systemClock } from '@avocet/core/store'
import { runHandler } from '../../src/pages/run-handler.ts'
import { LoopBudget } from '../../src/process/loop-budget.ts'
import { countTurns } from '../count-turns.ts'

const page = { request: { handler: 'product', url: 'http://shop.test/1' } } as Page
const limits = { timeoutMs: 50, maxYields: 3 }
const loop = new LoopBudget(systemClock())
const handlers = { product: () => [] }
const run = async (handler: unknown) =>
  runHandler(handler as Handler<unknown>, page, { clock: systemClock(), ...limits, loop, handlers })

describe('a handler', () => {
  it.each([
    {
      form: 'a generator',
      handler: function* () {
        yield { a: 1 }
        yield link('/2')
      },
    },
    {
      form: 'an async generator',
      handler: async function* () {
        yield { a: 1 }
        yield link('/2')
      },
    },
    { form: 'a function that returns a list', handler: () => [{ a: 1 }, link('/2')] },
    { form: 'an async function that returns a list', handler: async () => [{ a: 1 }, link('/2')] },
  ])('may be $form', async ({ handler }) => {
    expect(await run(handler)).toEqual({ kind: 'yielded', items: ['{"a":1}'], links: [link('/2')] })
  })

  it.each(
    [
      {
        does: 'yields what toJSON makes nothing of',
        handler: () => [{ toJSON() {} }],
        code: 'AVO_HANDLER_YIELD_INVALID',
        says: '$.toJSON is a function',
      },
      {
        does: 'yields what toJSON makes a text of',
        handler: () => [{ toJSON: () => 'x' }],
        code: 'AVO_HANDLER_YIELD_INVALID',
        says: '$.toJSON is a function',
      },
      {
        does: 'returns nothing',
        handler: () => undefined,
        code: 'AVO_HANDLER_RETURN',
        says: 'got nothing; write it as a generator',
      },
      {
        does: 'yields an iterator',
        handler: function* () {
          yield [link('/2')].values()
        },
        code: 'AVO_HANDLER_YIELD_INVALID',
        says: 'got an iterator; write yield* in front of it, as in yield* page.links()',
      },
      {
        does: 'yields an asynchronous generator',
        handler: async function* () {
          yield (async function* () {})()
        },
        code: 'AVO_HANDLER_YIELD_INVALID',
        says: 'got an iterator; write yield*',
      },
      {
        does: 'yields a set',
        handler: () => [new Set([link('/2')])],
        code: 'AVO_HANDLER_YIELD_INVALID',
        says: 'got an instance of Set; write yield*',
      },
      {
        does: 'yields an object of a class without a name',
        handler: () => [
          new (class {
            readonly a = 1
          })(),
        ],
        code: 'AVO_HANDLER_YIELD_INVALID',
        says: 'got an object of a class without a name; yield an object, or link(url)',
      },
      {
        does: 'is a generator that returns a list',
        handler: function* () {
          yield { a: 1 }
          return [link('/2')]
        },
        code: 'AVO_HANDLER_RETURN',
        says: 'expected handler product to yield its items and links, got a list returned; write yield* instead of return',
      },
      {
        does: 'names a handler that there is not',
        handler: () => [link('/2', { handler: 'prodct' })],
        code: 'AVO_HANDLER_LINK_INVALID',
        says: `handler product yielded link('/2') to handler 'prodct', which the spider does not have (did you mean 'product'?); it has: product`,
      },
      { does: 'returns a number', handler: () => 5, code: 'AVO_HANDLER_RETURN', says: 'got 5' },
      {
        does: 'throws',
        handler: () => {
          throw new Error('no price')
        },
        code: 'AVO_HANDLER_THREW',
        says: 'handler product threw no price',
      },
      {
        does: 'throws undefined',
        handler: () => {
          // oxlint-disable-next-line typescript/only-throw-error -- this is what is tested
          throw undefined
        },
        code: 'AVO_HANDLER_THREW',
        says: 'threw undefined',
      },
      {
        does: 'rejects late',
        handler: async () => {
          await Promise.resolve()
          throw new Error('late')
        },
        code: 'AVO_HANDLER_THREW',
        says: 'threw late',
      },
      {
        does: 'awaits for ever',
        handler: () => new Promise(() => {}),
        code: 'AVO_HANDLER_TIMEOUT',
        says: 'did not finish within 50 ms',
      },
      {
        does: 'yields endlessly',
        handler: function* () {
          for (;;) yield { a: 1 }
        },
        code: 'AVO_HANDLER_YIELDS',
        says: 'more than 3',
      },
      {
        does: 'yields a string',
        handler: () => ['http://x/'],
        code: 'AVO_HANDLER_YIELD_INVALID',
        says: 'for a URL write yield link(url)',
      },
      {
        does: 'yields a promise',
        handler: () => [Promise.resolve(1)],
        code: 'AVO_HANDLER_YIELD_INVALID',
        says: 'write yield await',
      },
      {
        does: 'yields a cycle',
        handler: () => {
          const a: Record<string, unknown> = {}
          a['a'] = a
          return [a]
        },
        code: 'AVO_HANDLER_YIELD_INVALID',
        says: 'not JSON',
      },
      { does: 'yields an instance', handler: () => [new Map()], code: 'AVO_HANDLER_YIELD_INVALID', says: 'an instance of Map' },
    ].map((row) => ({ ...row, code: row.code === 'AVO_HANDLER_RETURN_NOT' ? 'AVO_HANDLER_YIELD_INVALID' : row.code })),
  )('that $does fails with $code, and nothing of it is kept', async ({ handler, code, says }) => {
    const result = await run(handler)

    expect(result).toMatchObject({ kind: 'failed', failure: { code, blame: 'user' } })
    expect(result.kind === 'failed' && result.failure.message).toContain(says)
  })

  it('that is synchronous costs no promise', () => {
    const result = runHandler(
      function* () {
        yield { a: 1 }
      },
      page,
      { clock: new VirtualClock(), ...limits, loop, handlers },
    )

    expect(result).not.toBeInstanceOf(Promise)
  })

  it('that yields much leaves the event loop to others after a few thousand', async () => {
    const turns = countTurns()
    const inEachTurn = new Map<number, number>()
    const handler = function* () {
      for (let n = 0; n < 20_000; n++) {
        inEachTurn.set(turns.now, (inEachTurn.get(turns.now) ?? 0) + 1)
        yield n % 2 === 0 ? link(`/${n}`) : { n }
      }
    }

    const result = await runHandler(handler, page, {
      clock: systemClock(),
      timeoutMs: 60_000,
      maxYields: 100_000,
      // Where work takes no time it counts as its worst.
      loop: new LoopBudget(new VirtualClock()),
      handlers,
    })
    turns.stop()

    expect(result).toMatchObject({ kind: 'yielded', links: { length: 10_000 }, items: { length: 10_000 } })
    expect(Math.max(...inEachTurn.values())).toBeLessThanOrEqual(6_000)
  })

  it('that yields for ever is ended, and reported, however it yields', async () => {
    let ended = 0
    const endless = function* () {
      try {
        for (;;) yield link('/x')
      } finally {
        ended++
      }
    }
    const endlessAsync = async function* () {
      yield* endless()
    }

    for (const handler of [endless, endlessAsync]) {
      const world = { clock: systemClock(), timeoutMs: 60_000, maxYields: 5_000, loop, handlers }
      const result = await runHandler(handler, page, world)
      expect(result).toMatchObject({ kind: 'failed', failure: { code: 'AVO_HANDLER_YIELDS' } })
    }
    expect(ended).toBe(2)
  })
})
