// Contract: errors in the user's code, as a store groups the pages that failed with them.
import { failure, MAX_ERROR_GROUPS, OTHER_ERRORS, type HandlerError, type Outcome } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { leaseOne, newRequest, openedWith, turnOf } from './story.ts'

/** What `handlerErrors` promises. */
export function handlerErrorsContract(make: () => FrontierStore): void {
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
      expect(await frontier.reader.handlerErrors()).toEqual([
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
      await frontier.reopen({ reasons: ['handler-threw'], limit: 1 })

      expect(await frontier.reader.handlerErrors()).toMatchObject([{ count: 1, url: 'https://a.example/2' }])
      const [record] = await frontier.reader.requests({ state: 'waiting', limit: 1 })
      expect(record).not.toHaveProperty('handlerError')
    })

    it('beyond the first hundred kinds count as others, so that all add up to the pages that failed', async () => {
      const names = Array.from({ length: MAX_ERROR_GROUPS + 3 }, (_, n) => 'x'.repeat(n + 1))
      const { frontier } = await failedWith(
        make,
        [...names, 'x'].map((name) => thrown(`Error: ${name}`)),
      )

      const groups = await frontier.reader.handlerErrors()
      expect(groups).toHaveLength(MAX_ERROR_GROUPS + 1)
      expect(groups[0]).toMatchObject({ ...OTHER_ERRORS, count: 3 })
      expect(groups[1]).toMatchObject({ message: 'Error: x', count: 2 })
      const failed = (await frontier.reader.failures()).reduce((sum, { count }) => sum + count, 0)
      expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(failed)
    })
  })
}

function thrown(message: string, place?: string): HandlerError {
  return { code: 'AVO_HANDLER_THREW', message, stack: 'as it was thrown', ...(place !== undefined && { place }) }
}

/** One page for each error. */
async function failedWith(
  make: () => FrontierStore,
  errors: readonly HandlerError[],
): Promise<Awaited<ReturnType<typeof openedWith>>> {
  const opened = await openedWith(
    make,
    errors.map((_, index) => newRequest(`a.example/${index + 1}`)),
  )
  const lease = await leaseOne(opened.frontier, { n: errors.length })
  const units = errors.map((handlerError, index) => {
    const fetched = { at: 40, status: 200, durationMs: 9, wireBytes: 12 }
    const why = failure('AVO_HANDLER_THREW', handlerError.message, { phase: 'handler', sent: true, handlerError })
    const outcome: Outcome = { kind: 'failed', reason: 'handler-threw', failure: why, fetched }
    return turnOf(lease, lease.requests[index], { outcome })
  })
  await opened.frontier.commit(units)
  return opened
}
