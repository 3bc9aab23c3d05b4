// The laws of requests, each as a function of what the request was.
import {
  asked,
  attempted,
  dropped,
  isAgain,
  mayBeAsked,
  NEVER_TRIED,
  reopened,
  revisited,
  type RequestState,
} from '@avocet/store-sql'
import { describe, expect, it } from 'vitest'

const REASON = 7
const fetched = { at: 10, status: 200, durationMs: 5, wireBytes: 100 }
const first: RequestState = attempted<number, number>(NEVER_TRIED, {
  outcome: { kind: 'done', fetched },
  ...{ run: 1, reason: null, error: null },
})

describe('a request', () => {
  it('that is put back waits, and counts its attempt or one that is free', () => {
    const put = (counted: boolean): RequestState =>
      attempted<number, number>(NEVER_TRIED, {
        outcome: { kind: 'retry', at: 50, reason: 'timeout', counted },
        ...{ run: 1, reason: REASON, error: null },
      })

    expect(put(true)).toMatchObject({ state: 0, attempts: 1, free_attempts: 0, not_before: 50, reason: REASON, run: null })
    expect(put(false)).toMatchObject({ state: 0, attempts: 0, free_attempts: 1, not_before: 50, fetched_at: null })
  })

  it('that is settled stays so while its next visit is put back', () => {
    const due = revisited(first, 100)

    const put = attempted<number, number>(due, {
      outcome: { kind: 'retry', at: 150, reason: 'timeout', counted: true },
      ...{ run: 2, reason: REASON, error: null },
    })

    expect(put).toMatchObject({ state: 1, reason: null, attempts: 1, not_before: 150, run: 1 })
    expect([isAgain(first), isAgain(due), isAgain(put)]).toEqual([false, true, true])
  })

  it('has the number and the moment of its last page, and the sum of rounds that were left out', () => {
    const again = { at: 100, skipped: 2, etag: '"a"' }
    const visit = (was: RequestState, at: number): RequestState =>
      attempted<number, number>(was, {
        outcome: { kind: 'done', fetched: { ...fetched, at }, again },
        ...{ run: 2, reason: null, error: null },
      })

    const third = visit(visit(NEVER_TRIED, 10), 20)

    expect(third).toMatchObject({ visits: 2, page_at: 20, page_visit: 1, skipped: 4, attempts: 0, due_at: 100, etag: '"a"' })
  })

  it('may be asked for once a run, unless it waits, is about to be visited, or was fetched since', () => {
    const may = (was: RequestState, run: number, modifiedAt?: number): boolean => mayBeAsked(was, { at: 60, run, modifiedAt })

    expect([may(first, 2), may(first, 1), may(NEVER_TRIED, 2), may(first, 2, 10), may(first, 2, 11)]).toEqual([
      ...[true, false, false, false, true],
    ])
    expect([may(revisited(first, 60), 2), may(revisited(first, 61), 2)]).toEqual([false, true])
    expect(may(asked(first, { at: 60, by: 1 }), 2)).toBe(false)
  })

  it('that was gone is believed to be there again once it is reopened or dropped', () => {
    const gone = attempted<number, number>(first, {
      outcome: { kind: 'failed', reason: 'http-404', fetched, gone: true },
      ...{ run: 2, reason: REASON, error: null },
    })

    expect(gone).toMatchObject({ state: 3, missing: -1, visits: 1, due_at: 10 })
    expect(reopened(gone)).toMatchObject({ state: 0, missing: 0, not_before: 0, attempts: 0, reason: REASON })
    expect(dropped(gone, 8)).toMatchObject({ state: 3, missing: 0, not_before: null, attempts: 2, reason: 8 })
  })
})
