// The laws of requests, each as a function of what the request was; and any sequence of them, beside a model that looks back over all that happened.
import { requestLaws, type Outcome, type RequestState } from '@avocet/core/store'
import { array, assert, boolean, constant, integer, oneof, option, property, record, type Arbitrary } from 'fast-check'
import { describe, expect, it } from 'vitest'

const { asked, attempted, dropped, earlierOf, gainOf, isAgain, lastPageOf, NEVER_TRIED, reopened, revisited } = requestLaws
type Request = RequestState

const fetched = { at: 10, status: 200, durationMs: 5, wireBytes: 100 }
const tried = (was: Request, outcome: Outcome, run = 1): Request =>
  attempted(was, { outcome, run, reason: 'reason' in outcome ? (outcome.reason ?? null) : null, error: null })
const first = tried(NEVER_TRIED, { kind: 'done', fetched })

describe('a request', () => {
  it('that is put back waits, and counts its attempt or one that is free', () => {
    const put = (counted: boolean): Request => tried(NEVER_TRIED, { kind: 'retry', at: 50, reason: 'timeout', counted })

    expect(put(true)).toMatchObject({
      state: 'waiting',
      attempts: 1,
      freeAttempts: 0,
      notBefore: 50,
      reason: 'timeout',
      run: null,
    })
    expect(put(false)).toMatchObject({ state: 'waiting', attempts: 0, freeAttempts: 1, notBefore: 50, fetchedAt: null })
  })

  it('that is settled stays so while its next visit is put back', () => {
    const due = revisited(first, 100)

    const put = tried(due, { kind: 'retry', at: 150, reason: 'timeout', counted: true }, 2)

    expect(put).toMatchObject({ state: 'done', reason: null, attempts: 1, notBefore: 150, run: 1 })
    expect([isAgain(first), isAgain(due), isAgain(put)]).toEqual([false, true, true])
  })

  it('has the number and the moment of its last page, and the sum of rounds that were left out', () => {
    const again = { at: 100, skipped: 2, etag: '"a"' }
    const visit = (was: Request, at: number): Request => tried(was, { kind: 'done', fetched: { ...fetched, at }, again }, 2)

    const third = visit(visit(NEVER_TRIED, 10), 20)

    expect(third.attempts).toBe(0)
    expect(lastPageOf(third)).toEqual({ at: 20, visit: 1 })
    expect(earlierOf(third)).toEqual({ visits: 2, dueAt: 100, skipped: 4, etag: '"a"' })
  })

  it('may be asked for once a run, unless it waits, is about to be visited, or was fetched since', () => {
    const may = (was: Request, run: number, modifiedAt?: number): boolean =>
      asked(was, { at: 60, run, by: 1, modifiedAt }) !== was

    expect([may(first, 2), may(first, 1), may(NEVER_TRIED, 2), may(first, 2, 10), may(first, 2, 11)]).toEqual([
      ...[true, false, false, false, true],
    ])
    expect([may(revisited(first, 60), 2), may(revisited(first, 61), 2)]).toEqual([false, true])
    expect(may(asked(first, { at: 60, run: 2, by: 1 }), 2)).toBe(false)
  })

  it('that was gone is believed to be there again once it is reopened or dropped', () => {
    const gone = tried(first, { kind: 'failed', reason: 'http-404', fetched, gone: true }, 2)

    expect(gone).toMatchObject({ state: 'failed', missing: -1, visits: 1, dueAt: 10 })
    expect([earlierOf(gone)?.gone, earlierOf(tried(gone, { kind: 'failed', reason: 'reset', gone: true }, 2))?.gone]).toEqual([
      1, 2,
    ])
    expect(reopened(gone)).toMatchObject({ state: 'waiting', missing: 0, notBefore: 0, attempts: 0, reason: 'http-404' })
    expect(dropped(gone, 'dropped-http-404')).toMatchObject({ state: 'failed', missing: 0, notBefore: null, attempts: 2 })
  })
})

// What may happen to a request, and the model: a log of all that did, from which each answer is looked up anew.

type Event =
  | { readonly kind: 'outcome'; readonly outcome: Outcome; readonly run: number }
  | { readonly kind: 'reopen' | 'drop' }
  | { readonly kind: 'revisit'; readonly at: number | null }
  | { readonly kind: 'ask'; readonly at: number; readonly run: number }

class Log {
  readonly events: Event[] = []

  /** Takes an event, unless there is a reason why it changes nothing. */
  take(event: Event): void {
    const { state, notBefore, asked: wasAsked } = this
    const isDue = (at: number): boolean => notBefore !== null && (notBefore <= at || this.triesOfVisit > 0)
    const applies = {
      outcome: () => true,
      reopen: () => state === 'failed',
      drop: () => state === 'waiting' || (state === 'failed' && (notBefore === null || this.gone)),
      revisit: () => state !== 'waiting' && !wasAsked,
      ask: () => event.kind === 'ask' && state !== 'waiting' && !wasAsked && this.run !== event.run && !isDue(event.at),
    }
    if (applies[event.kind]()) this.events.push(event)
  }

  /** Events after the last one of these. */
  #since(is: (event: Event) => boolean): readonly Event[] {
    return this.events.slice(this.events.findLastIndex(is) + 1)
  }

  get state(): string {
    const last = this.events.findLast((event) => isSettling(event) || event.kind === 'reopen' || event.kind === 'drop')
    return last === undefined || last.kind === 'reopen' ? 'waiting' : last.kind === 'outcome' ? last.outcome.kind : 'failed'
  }

  get notBefore(): number | null {
    const last = this.events.at(-1)
    if (last === undefined || last.kind === 'drop') return null
    if (last.kind === 'outcome') return last.outcome.kind === 'retry' ? last.outcome.at : (last.outcome.again?.at ?? null)
    return last.kind === 'revisit' || last.kind === 'ask' ? last.at : 0
  }

  get triesOfVisit(): number {
    return this.#since(beginsVisit).filter((event) => event.kind === 'outcome' && (isRetry(event) || event.outcome.fetched))
      .length
  }

  get freeAttempts(): number {
    return this.#since(beginsVisit).filter((event) => isRetry(event) && !event.outcome.counted).length
  }

  get asked(): boolean {
    return this.#since((event) => isSettling(event) || event.kind === 'drop').some(({ kind }) => kind === 'ask')
  }

  get run(): number | null {
    const last = this.events.findLast(isSettling)
    return last?.kind === 'outcome' ? last.run : null
  }

  /** Settled visits since it was first to be visited again, that one included. */
  get visits(): number | null {
    const from = this.events.findIndex((event) => isScheduling(event) || (isSettling(event) && isGone(event)))
    return from < 0 ? null : 1 + this.events.slice(from + 1).filter(isSettling).length
  }

  get gone(): boolean {
    const last = this.events.findLast(
      (event) => isSettling(event) || ['reopen', 'drop'].includes(event.kind) || (event.kind === 'revisit' && event.at !== null),
    )
    return last !== undefined && isGone(last)
  }

  get answers(): object {
    const { state, notBefore, freeAttempts, visits, run } = this
    return { state, notBefore, attempts: this.triesOfVisit - freeAttempts, freeAttempts, visits, run }
  }
}

type Retried = Event & { readonly kind: 'outcome'; readonly outcome: Outcome & { readonly kind: 'retry' } }

function isRetry(event: Event): event is Retried {
  return event.kind === 'outcome' && event.outcome.kind === 'retry'
}

function isSettling(event: Event): boolean {
  return event.kind === 'outcome' && !isRetry(event)
}

function isScheduling(event: Event): boolean {
  if (event.kind === 'outcome') return event.outcome.kind !== 'retry' && event.outcome.again !== undefined
  return event.kind === 'ask' || (event.kind === 'revisit' && event.at !== null)
}

function isGone(event: Event): boolean {
  return event.kind === 'outcome' && 'gone' in event.outcome
}

function beginsVisit(event: Event): boolean {
  return isScheduling(event) || event.kind === 'reopen'
}

function applied(was: Request, event: Event): Request {
  if (event.kind === 'outcome') return tried(was, event.outcome, event.run)
  if (event.kind === 'revisit') return revisited(was, event.at ?? undefined)
  if (event.kind === 'ask') return asked(was, { at: event.at, run: event.run, by: null })
  return event.kind === 'reopen' ? reopened(was) : dropped(was, requestLaws.DROPPED_WITH_HOST)
}

const moment = integer({ min: 1, max: 100 })
const run = integer({ min: 1, max: 3 })

function outcomes(): Arbitrary<Outcome> {
  const again = option(
    moment.map((at) => ({ again: { at, skipped: 1 } })),
    { nil: {} },
  )
  const missing = { visits: 1, since: 5 }
  const rarely = moment.map((at) => ({ gone: true as const, again: { at, skipped: 0, missing } }))
  const gone = option(oneof(constant({ gone: true as const }), rarely), { nil: {} })
  return oneof(
    again.map((next): Outcome => ({ kind: 'done', fetched, ...next })),
    gone.map((next): Outcome => ({ kind: 'moved', target: 'https://b.example/', fetched, ...next })),
    record({ next: oneof(again, gone), isSent: boolean() }).map(({ next, isSent }): Outcome => ({
      kind: 'failed',
      reason: 'reset',
      ...(isSent && { fetched }),
      ...next,
    })),
    record({ at: moment, counted: boolean() }).map((retry): Outcome => ({ kind: 'retry', reason: 'timeout', ...retry })),
  )
}

function events(): Arbitrary<Event> {
  return oneof(
    record({ kind: constant('outcome' as const), outcome: outcomes(), run }),
    record({ kind: oneof(constant('reopen' as const), constant('drop' as const)) }),
    record({ kind: constant('revisit' as const), at: option(moment) }),
    record({ kind: constant('ask' as const), at: moment, run }),
  )
}

describe('any sequence of laws', () => {
  it('says of a request what a log of all that happened says, and counts it as that', () => {
    const agrees = property(array(events(), { maxLength: 12 }), (sequence) => {
      const log = new Log()
      let now: Request = NEVER_TRIED
      const counts = { done: 0, moved: 0, failed: 0, again: 0 }
      for (const event of sequence) {
        const was = now
        const before = log.events.length
        log.take(event)
        now = applied(was, event)
        for (const name of ['done', 'moved', 'failed', 'again'] as const) counts[name] += gainOf(was, now)[name]

        expect(now !== was).toBe(log.events.length > before)
        expect(now).toMatchObject(log.answers)
        expect([now.askedAt !== null, now.missing < 0]).toEqual([log.asked, log.gone])
        expect([now.missing > 0, now.missingSince]).toEqual([false, null])
        const { state } = log
        const is = (name: string): number => Number(state === name)
        const again = Number(state !== 'waiting' && log.notBefore !== null)
        expect(counts).toEqual({ done: is('done'), moved: is('moved'), failed: is('failed'), again })
      }
    })
    assert(agrees, { numRuns: 2_000 })
  })
})
