// In full: errors in the user's code, as a store groups the pages that failed with them.
import { failure, MAX_ERROR_GROUPS, OTHER_ERRORS, type Frontier, type HandlerError, type Outcome } from '@avocet/core/store'
import type { FrontierStore } from '@avocet/testkit/contracts'
import { describe, expect, it } from 'vitest'
import { leaseOne, newRequest, openedWith, unitOf } from '../../packages/testkit/src/contracts/frontier/story.ts'

/** What `handlerErrors` promises. */
export function handlerErrors(make: () => FrontierStore): void {
  describe('errors in handlers', () => {
    it('are one where code and place are the same, and messages differ in numbers and URLs only', async () => {
      const { frontier } = await failedWith(make, [
        thrown('TypeError: no price at https://shop.test/7', '/shop.ts:3:1'),
        thrown('TypeError: no price at https://shop.test/18', '/shop.ts:3:1'),
        thrown('TypeError: no price at https://shop.test/7', '/shop.ts:9:1'),
        thrown('Error: 12 of 30 rows'),
        thrown('Error: 7 of 31 rows'),
      ])

      const stack = 'as it was thrown'
      expect((await frontier.reader.problems()).handlerErrors).toEqual([
        {
          ...thrown('TypeError: no price at https://shop.test/7', '/shop.ts:3:1'),
          stack,
          count: 2,
          url: 'https://a.example/1',
          handler: 'start',
        },
        { ...thrown('Error: 12 of 30 rows'), stack, count: 2, url: 'https://a.example/4', handler: 'start' },
        {
          ...thrown('TypeError: no price at https://shop.test/7', '/shop.ts:9:1'),
          stack,
          count: 1,
          url: 'https://a.example/3',
          handler: 'start',
        },
      ])
      const [, second] = await frontier.reader.requests({ state: 'failed', limit: 9 })
      expect(second?.handlerError).toMatchObject({ place: '/shop.ts:3:1', stack })
    })

    it('no longer count where a page waits again', async () => {
      const { frontier } = await failedWith(make, [thrown('Error: a'), thrown('Error: a')])
      await frontier.change({ kind: 'reopen', reasons: ['handler-threw'], limit: 1 })

      expect((await frontier.reader.problems()).handlerErrors).toMatchObject([{ count: 1, url: 'https://a.example/2' }])
      const [record] = await frontier.reader.requests({ state: 'waiting', limit: 1 })
      expect(record).not.toHaveProperty('handlerError')
    })

    it('no longer count where a page is dropped, whose reason says that a handler threw', async () => {
      const { frontier } = await failedWith(make, [thrown('Error: a'), thrown('Error: a')])
      await frontier.change({ kind: 'drop', reasons: ['handler-threw'], limit: 1 })

      expect((await frontier.reader.problems()).handlerErrors).toMatchObject([{ count: 1, url: 'https://a.example/2' }])
      const [record] = await frontier.reader.requests({ reason: 'dropped-handler-threw', limit: 1 })
      expect(record).toMatchObject({ url: 'https://a.example/1', state: 'failed' })
      expect(record).not.toHaveProperty('handlerError')
    })

    it('of more than a hundred kinds count as others, so that all add up to the pages that failed', async () => {
      const names = Array.from({ length: MAX_ERROR_GROUPS + 3 }, (_, n) => 'x'.repeat(n + 1))
      const longest = 'x'.repeat(MAX_ERROR_GROUPS + 3)
      const { frontier } = await failedWith(
        make,
        [...names, longest].map((name) => thrown(`Error: ${name}`)),
      )

      const groups = (await frontier.reader.problems()).handlerErrors
      expect(groups).toHaveLength(MAX_ERROR_GROUPS + 1)
      expect(groups[0]).toMatchObject({ ...OTHER_ERRORS, count: 3 })
      expect(groups[1]).toMatchObject({ message: `Error: ${longest}`, count: 2 })
      await expectAllCounted(frontier)
    })

    it('make room where all their pages are mended, before any other kind does', async () => {
      const { frontier } = await failedWith(make, [[thrown('Error: mended'), 9 * HOUR_MS], ...kinds(MAX_ERROR_GROUPS - 1)])
      await frontier.change({ kind: 'reopen', reasons: ['handler-threw'], limit: 1 })
      const lease = await leaseOne(frontier, { n: 1 })
      await frontier.commit([unitOf(lease, lease.requests[0], { outcome: failed(thrown('Error: new')) })])

      const messages = (await frontier.reader.problems()).handlerErrors.map(({ message }) => message)
      expect(messages).toHaveLength(MAX_ERROR_GROUPS)
      expect(messages).toContain('Error: new')
      expect(messages).not.toContain(OTHER_ERRORS.message)
      await expectAllCounted(frontier)
    })

    it('are listed after a year, too: of the kinds seen longest ago that with the fewest pages becomes one of the others', async () => {
      const seenAgain = thrown('Error: x')
      const old = kinds(MAX_ERROR_GROUPS).slice(1)
      const { frontier } = await failedWith(make, [
        seenAgain,
        ...old,
        ...old,
        thrown('Error: xxx'),
        [seenAgain, 5 * HOUR_MS],
        [thrown('Error: new'), 9 * HOUR_MS],
        [thrown('Error: newer'), 9 * HOUR_MS],
      ])

      const messages = (await frontier.reader.problems()).handlerErrors.map(({ message }) => message)
      expect(messages).toHaveLength(MAX_ERROR_GROUPS + 1)
      expect(messages).toEqual(
        expect.arrayContaining(['Error: new', 'Error: newer', 'Error: x', 'Error: xxx', OTHER_ERRORS.message]),
      )
      expect(messages).not.toContain('Error: xx')
      expect(messages).not.toContain('Error: xxxx')
      const [, second] = await frontier.reader.requests({ state: 'failed', limit: 9 })
      expect(second?.handlerError).toEqual(OTHER_ERRORS)
      await expectAllCounted(frontier)
    })

    it('that count as others in another store do so here', async () => {
      const { frontier } = await failedWith(make, [OTHER_ERRORS, ...kinds(MAX_ERROR_GROUPS), thrown('Error: new')])

      expect((await frontier.reader.problems()).handlerErrors[0]).toMatchObject({ ...OTHER_ERRORS, count: 2 })
      expect((await frontier.reader.problems()).handlerErrors).toHaveLength(MAX_ERROR_GROUPS + 1)
    })
  })
}

function thrown(message: string, place?: string): HandlerError {
  return { code: 'AVO_HANDLER_THREW', message, stack: 'as it was thrown', ...(place !== undefined && { place }) }
}

/** So many, seen in this order: x, xx, xxx. */
function kinds(count: number): HandlerError[] {
  return Array.from({ length: count }, (_, n) => thrown(`Error: ${'x'.repeat(n + 1)}`))
}

async function expectAllCounted({ reader }: Pick<Frontier, 'reader'>): Promise<void> {
  const groups = (await reader.problems()).handlerErrors
  const pages = (await reader.failures()).reduce((sum, { count }) => sum + count, 0)
  expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(pages)
}

const HOUR_MS = 3_600_000

/** With the moment at which its page was fetched. */
type At = readonly [HandlerError, number]

function failed(handlerError: HandlerError, at = 40): Outcome {
  const why = failure('AVO_HANDLER_THREW', handlerError.message, { phase: 'handler', sent: true, handlerError })
  return { kind: 'failed', reason: 'handler-threw', failure: why, fetched: { at, status: 200, durationMs: 9, wireBytes: 12 } }
}

/** One page for each error. */
async function failedWith(
  make: () => FrontierStore,
  errors: readonly (HandlerError | At)[],
): Promise<Awaited<ReturnType<typeof openedWith>>> {
  const opened = await openedWith(
    make,
    errors.map((_, index) => newRequest(`a.example/${index + 1}`)),
  )
  const lease = await leaseOne(opened.frontier, { n: errors.length })
  const units = errors.map((error, index) =>
    unitOf(lease, lease.requests[index], { outcome: 'code' in error ? failed(error) : failed(...error) }),
  )
  await opened.frontier.commit(units)
  await opened.frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  return opened
}
