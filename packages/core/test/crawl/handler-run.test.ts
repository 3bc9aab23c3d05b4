// Handlers do what they like; a crawl takes it or says in one line why not.
import { VirtualClock } from '@avocet/testkit'
import { describe, expect, it } from 'vitest'
import { link, systemClock, type Handler, type Page } from '@avocet/core'
import { runHandler } from '../../src/crawl/handler-run.ts'

const page = { request: { handler: 'product', url: 'http://shop.test/1' } } as Page
const limits = { timeoutMs: 50, maxYields: 3 }
const run = async (handler: unknown) => runHandler(handler as Handler<unknown>, page, { clock: systemClock(), limits })

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
        does: 'returns nothing',
        handler: () => undefined,
        code: 'AVO_HANDLER_RETURN',
        says: 'got nothing; write it as a generator',
      },
      { does: 'returns a number', handler: () => 5, code: 'AVO_HANDLER_RETURN', says: 'got number 5' },
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
      { clock: new VirtualClock(), limits },
    )

    expect(result).not.toBeInstanceOf(Promise)
  })
})
