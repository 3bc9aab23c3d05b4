// What becomes of a known request: by an outcome, and when a plugin, a link or an operator asks for it. Every store applies these laws to its rows.
//
// Each law is a pure function of what the request was. One that does not apply returns the request itself, so `now !== was` says whether anything changed.
// Laws know nothing of queues and leases: what is handed out is for the store to leave alone.
//
// An attempt counts when something was fetched, or when it says so. What is settled with a next visit stays settled, and is due again (`notBefore`). A
// retry leaves what was settled as it was. `visits` is null of a request that was not visited twice, and is not to be: its page is that of its one visit.
import type { Again, Outcome } from '../ports/frontier.ts'
import type { HandlerError } from '../ports/handler-error.ts'
import type { Earlier, SettledState } from '../ports/request.ts'
import type { Blame } from '../values/errors.ts'

/** A request, as a row; null where there is nothing. `Reason` and `Failure`: a store may keep ids of them. Moments are epoch ms. */
export interface RequestState<Reason = string, Failure = HandlerError> {
  readonly state: 'waiting' | SettledState
  readonly attempts: number
  readonly freeAttempts: number
  readonly fetchedAt: number | null
  readonly status: number | null
  readonly durationMs: number | null
  readonly wireBytes: number | null
  /** Number of the run of its last visit. */
  readonly run: number | null
  /** Waits until then; of a settled one: is due again then. */
  readonly notBefore: number | null
  readonly visits: number | null
  readonly dueAt: number
  readonly skipped: number
  readonly etag: string | null
  readonly lastModified: string | null
  readonly bodyHash: string | null
  /** In so many visits, the first at `missingSince`; negative: in so many it was believed to be gone. */
  readonly missing: number
  readonly missingSince: number | null
  /** A link or a seed asked for its next visit; the id of the request whose page has the link. */
  readonly askedAt: number | null
  readonly askedBy: number | null
  /** The last page that a handler got, and the visit that its items are of. */
  readonly pageAt: number | null
  readonly pageVisit: number | null
  readonly reason: Reason | null
  readonly blame: Blame | null
  readonly target: string | null
  readonly error: Failure | null
}

const NO_TROUBLE = { reason: null, blame: null, target: null, error: null }
const NOT_ASKED = { askedAt: null, askedBy: null }

/** A request that was never tried. */
const NEVER_TRIED: RequestState<never, never> = {
  ...{ state: 'waiting', attempts: 0, freeAttempts: 0, run: null, notBefore: null, ...NO_TROUBLE, ...NOT_ASKED },
  ...{ fetchedAt: null, status: null, durationMs: null, wireBytes: null },
  ...{ visits: null, dueAt: 0, skipped: 0, etag: null, lastModified: null, bodyHash: null },
  ...{ missing: 0, missingSince: null, pageAt: null, pageVisit: null },
}

/** An outcome of an attempt in `run`. `reason` and `error`: its own, as the store has them. */
interface Attempt<Reason, Failure> {
  readonly outcome: Outcome
  readonly run: number
  readonly reason: Reason | null
  readonly error: Failure | null
}

/** It has this outcome. */
function attempted<Reason, Failure>(
  was: RequestState<Reason, Failure>,
  { outcome, run, reason, error }: Attempt<Reason, Failure>,
): RequestState<Reason, Failure> {
  const { kind, fetched } = outcome
  // Field by field: it is made for each page.
  const sent = {
    ...was,
    fetchedAt: fetched?.at ?? was.fetchedAt,
    status: fetched?.status ?? was.status,
    durationMs: fetched?.durationMs ?? was.durationMs,
    wireBytes: fetched?.wireBytes ?? was.wireBytes,
  }
  if (kind === 'retry')
    return {
      ...{ ...sent, notBefore: outcome.at },
      ...(was.state === 'waiting' && { ...NO_TROUBLE, reason }),
      ...(outcome.counted ? { attempts: was.attempts + 1 } : { freeAttempts: was.freeAttempts + 1 }),
    }
  const settled = {
    ...sent,
    state: kind,
    attempts: was.attempts + (fetched === undefined ? 0 : 1),
    run,
    notBefore: null,
    reason: kind === 'failed' ? reason : null,
    blame: kind === 'failed' ? (outcome.failure?.blame ?? null) : null,
    target: kind === 'moved' ? outcome.target : null,
    error,
    askedAt: null,
    askedBy: null,
  }
  const isLast = was.visits === null && outcome.again === undefined && (kind === 'done' || outcome.gone !== true)
  return isLast ? settled : { ...settled, ...visited(was, outcome) }
}

/** What is known of visits, and not of trouble. */
type Rounds = Omit<RequestState, keyof typeof NO_TROUBLE | keyof typeof NOT_ASKED>

/** What a visit that has ended says of those to come. With none to come by a rule, what was seen is compared with nothing. */
function visited(was: RequestState<unknown, unknown>, outcome: Exclude<Outcome, { kind: 'retry' }>): Partial<Rounds> {
  const again: Again | undefined = outcome.again
  const gone = outcome.kind !== 'done' && outcome.gone === true
  const missing = gone ? undefined : again?.missing
  const pageAt = pageAtOf(outcome)
  return {
    visits: (was.visits ?? 0) + 1,
    dueAt: again?.at ?? (was.visits === null ? (outcome.fetched?.at ?? 0) : was.dueAt),
    skipped: was.skipped + (again?.skipped ?? 0),
    ...{ etag: again?.etag ?? null, lastModified: again?.lastModified ?? null, bodyHash: again?.bodyHash ?? null },
    ...{ missing: gone ? Math.min(was.missing, 0) - 1 : (missing?.visits ?? 0), missingSince: missing?.since ?? null },
    ...(pageAt !== undefined && { pageAt, pageVisit: was.visits ?? 0 }),
    ...(again !== undefined && { attempts: 0, freeAttempts: 0, notBefore: again.at }),
  }
}

/** Failed, it waits again as if it had never been tried, but for what is known of its last fetch. Due since ever: it is not one that was never tried. */
function reopened<State extends RequestState<unknown, unknown>>(was: State): State {
  if (was.state !== 'failed') return was
  const fresh = { ...NO_TROUBLE, reason: was.reason, attempts: 0, freeAttempts: 0, notBefore: 0, missing: forgiven(was) }
  return { ...was, state: 'waiting', ...fresh }
}

/** Before the reason that a request had when an operator dropped it. */
const DROPPED_PREFIX = 'dropped-'

/** With what reason a request is failed once it is dropped; undefined where it was dropped already. */
function droppedReason(reason: string): string | undefined {
  return reason.startsWith(DROPPED_PREFIX) ? undefined : `${DROPPED_PREFIX}${reason}`
}

/** Of what waits under a host that was given up. */
const DROPPED_WITH_HOST: string = `${DROPPED_PREFIX}host-dead`

/** An operator gave it up for `reason`, unless it is done, moved, or due again in a round. That is no visit: its history stays. */
function dropped<Reason, State extends RequestState<Reason, unknown>>(was: State, reason: Reason): State {
  if (was.state !== 'waiting' && !isGivenUp(was)) return was
  return { ...was, state: 'failed', notBefore: null, ...NO_TROUBLE, reason, ...NOT_ASKED, missing: forgiven(was) }
}

/** Settled, it is due again at `at`; undefined: no more. What a link or a seed asked for is due whatever the rules say. */
function revisited<State extends RequestState<unknown, unknown>>(was: State, at: number | undefined): State {
  if (was.state === 'waiting' || was.askedAt !== null) return was
  if (at === undefined) return { ...was, notBefore: null }
  return { ...scheduled(was), dueAt: at, missing: forgiven(was), notBefore: at }
}

/** What asks for a visit at `at` in `run`: a link of the request `by`, or a seed. `modifiedAt`: only if it was fetched before its page was modified. */
interface Question {
  readonly at: number
  readonly run: number
  readonly by: number | null
  readonly modifiedAt?: number | undefined
}

/** A link or a seed asks for a visit. Not of what waits, was visited in this run, or is about to be. A round that comes later keeps its moment. */
function asked<State extends RequestState<unknown, unknown>>(
  was: State,
  { at, run, by, modifiedAt = Infinity }: Question,
): State {
  const { state, notBefore, fetchedAt } = was
  if (state === 'waiting' || was.run === run || was.askedAt !== null || (fetchedAt ?? -Infinity) >= modifiedAt) return was
  if (notBefore !== null && (notBefore <= at || was.attempts + was.freeAttempts > 0)) return was
  const known = scheduled(was)
  return { ...known, dueAt: Math.max(known.dueAt, at), askedAt: at, askedBy: by, notBefore: at }
}

/** Whether it is settled, and due again. */
function isAgain({ state, notBefore }: Pick<RequestState, 'state' | 'notBefore'>): boolean {
  return state !== 'waiting' && notBefore !== null
}

/** Whether it failed, and is not due again, unless rarely because it is gone. */
function isGivenUp({ state, notBefore, missing }: Pick<RequestState, 'state' | 'notBefore' | 'missing'>): boolean {
  return state === 'failed' && (notBefore === null || missing < 0)
}

/** What is known of the visits that it has had; undefined on its first one. */
function earlierOf(request: Pick<RequestState, keyof Omit<Earlier, 'gone'> | 'missingSince'>): Earlier | undefined {
  const { visits, dueAt, skipped, etag, lastModified, bodyHash, missing, missingSince } = request
  if (visits === null) return undefined
  return {
    visits,
    dueAt,
    skipped,
    ...(etag !== null && { etag }),
    ...(lastModified !== null && { lastModified }),
    ...(bodyHash !== null && { bodyHash }),
    ...(missing > 0 && { missing: { visits: missing, since: missingSince ?? 0 } }),
    ...(missing < 0 && { gone: -missing }),
  }
}

/** When the last page that a handler got was fetched, and which visit its items are of; undefined where that is not known. */
function lastPageOf(
  request: Pick<RequestState, 'visits' | 'pageAt' | 'pageVisit' | 'state' | 'fetchedAt'>,
): { readonly at: number; readonly visit: number } | undefined {
  const { visits, pageAt, pageVisit, state, fetchedAt } = request
  // One that was visited once: what it was fetched for since then has failed.
  const at = visits === null && state === 'done' ? fetchedAt : pageAt
  return at === null ? undefined : { at, visit: pageVisit ?? 0 }
}

/** When the page was fetched that a handler got, epoch ms; undefined where it got none, for the page is as it was, or there was trouble. */
function pageAtOf(outcome: Outcome): number | undefined {
  if (outcome.kind === 'done') return outcome.reason === 'unchanged' ? undefined : outcome.fetched.at
  return outcome.kind === 'failed' && outcome.failure?.blame === 'user' ? outcome.fetched?.at : undefined
}

// What it counts as: at its host, in the totals, and among the reasons of those that failed.

/** What the counts of settled requests gain; negative where they lose. */
export type Gain = Readonly<Record<SettledState | 'again', number>>

/** What a request that was `was`, and is `now`, adds to the counts of its host, and to the totals. */
function gainOf(was: RequestState<unknown, unknown>, now: RequestState<unknown, unknown>): Gain {
  return {
    done: Number(now.state === 'done') - Number(was.state === 'done'),
    moved: Number(now.state === 'moved') - Number(was.state === 'moved'),
    failed: Number(now.state === 'failed') - Number(was.state === 'failed'),
    again: Number(isAgain(now)) - Number(isAgain(was)),
  }
}

/** The reason that it counts among the failures for; null where it has not failed. */
function failureReason<Reason>({ state, reason }: Pick<RequestState<Reason, unknown>, 'state' | 'reason'>): Reason | null {
  return state === 'failed' ? reason : null
}

/** Runs that died while a page was in progress, after which it is handled alone. */
const SUSPECTED_AFTER_RUNS = 2

/** The same, after which a page that was alone in progress in the last of them is given up. */
const POISON_AFTER_RUNS = 3

/** What such a page has become. */
const POISON: Outcome = {
  kind: 'failed',
  reason: 'poison',
  failure: {
    ...{ code: 'AVO_POISON', blame: 'url', sent: true, wireBytes: 0 },
    message: 'the process died three times while working on this page',
  },
}

/** With attempts of a next visit that begin. */
function scheduled<State extends RequestState<unknown, unknown>>(was: State): State {
  const renewed = { ...was, attempts: 0, freeAttempts: 0 }
  return was.visits === null ? { ...renewed, visits: 1, pageAt: was.fetchedAt, pageVisit: 0 } : renewed
}

/** Its `missing` once it is no longer believed to be gone. */
const forgiven = ({ missing }: Pick<RequestState, 'missing'>): number => Math.max(missing, 0)

interface Laws {
  readonly NEVER_TRIED: typeof NEVER_TRIED
  readonly attempted: typeof attempted
  readonly reopened: typeof reopened
  readonly dropped: typeof dropped
  readonly revisited: typeof revisited
  readonly asked: typeof asked
  readonly isAgain: typeof isAgain
  readonly isGivenUp: typeof isGivenUp
  readonly earlierOf: typeof earlierOf
  readonly lastPageOf: typeof lastPageOf
  readonly pageAtOf: typeof pageAtOf
  readonly gainOf: typeof gainOf
  readonly failureReason: typeof failureReason
  readonly SUSPECTED_AFTER_RUNS: typeof SUSPECTED_AFTER_RUNS
  readonly POISON_AFTER_RUNS: typeof POISON_AFTER_RUNS
  readonly POISON: typeof POISON
  readonly DROPPED_PREFIX: typeof DROPPED_PREFIX
  readonly DROPPED_WITH_HOST: typeof DROPPED_WITH_HOST
  readonly droppedReason: typeof droppedReason
}

/** All of them under one name, for stores. */
export const requestLaws: Laws = {
  ...{ NEVER_TRIED, attempted, reopened, dropped, revisited, asked, isAgain, isGivenUp, earlierOf, lastPageOf },
  ...{ pageAtOf, gainOf, failureReason, SUSPECTED_AFTER_RUNS, POISON_AFTER_RUNS, POISON, DROPPED_PREFIX, DROPPED_WITH_HOST },
  droppedReason,
}
