// What becomes of a known request: by an outcome, and at the word of a plugin, a link or an operator. Each law is a function of what the request was.
//
// An attempt counts when something was fetched, or when it says so. What is settled with a next visit stays settled, and is due again (`not_before`). A
// retry leaves what was settled as it was. `visits` is null of a request that was not visited twice, and is not to be: its page is that of its one visit.
import { pageAtOf, type Again, type Blame, type Outcome } from '@avocet/core/store'
import { STATES } from './states.ts'

/** A request, as the columns of its rows have it; null where there is nothing. */
export interface RequestState<Reason = number, Failure = number> {
  /** Index in `STATES`. */
  readonly state: number
  readonly attempts: number
  readonly free_attempts: number
  readonly fetched_at: number | null
  readonly status: number | null
  readonly duration_ms: number | null
  readonly wire_bytes: number | null
  /** Number of the run of its last visit. */
  readonly run: number | null
  /** Waits until then; epoch ms. */
  readonly not_before: number | null
  readonly visits: number | null
  readonly due_at: number
  readonly skipped: number
  readonly etag: string | null
  readonly last_modified: string | null
  readonly body_hash: string | null
  /** In so many visits, the first at `missing_since`; -1: it is believed to be gone. */
  readonly missing: number
  readonly missing_since: number | null
  readonly asked_at: number | null
  readonly asked_by: Reason | number | null
  readonly page_at: number | null
  readonly page_visit: number | null
  readonly reason: Reason | null
  readonly blame: Blame | null
  readonly target: string | null
  readonly error: Failure | null
}

const [WAITING, FAILED] = [STATES.indexOf('waiting'), STATES.indexOf('failed')]
const NO_TROUBLE = { reason: null, blame: null, target: null, error: null }
const NOT_ASKED = { asked_at: null, asked_by: null }

/** A request that was never tried. */
export const NEVER_TRIED: RequestState<never, never> = {
  ...{ state: WAITING, attempts: 0, free_attempts: 0, run: null, not_before: null, ...NO_TROUBLE, ...NOT_ASKED },
  ...{ fetched_at: null, status: null, duration_ms: null, wire_bytes: null },
  ...{ visits: null, due_at: 0, skipped: 0, etag: null, last_modified: null, body_hash: null },
  ...{ missing: 0, missing_since: null, page_at: null, page_visit: null },
}

/** An outcome of an attempt in `run`. `reason` and `error`: its own, as the store has them. */
export interface Attempted<Reason, Failure> {
  readonly outcome: Outcome
  readonly run: number
  readonly reason: Reason | null
  readonly error: Failure | null
}

/** The request has this outcome. */
export function attempted<Reason, Failure>(
  was: RequestState<Reason, Failure>,
  { outcome, run, reason, error }: Attempted<Reason, Failure>,
): RequestState<Reason, Failure> {
  const { kind, fetched } = outcome
  // Field by field: it is made for each page.
  const sent = {
    ...was,
    fetched_at: fetched?.at ?? was.fetched_at,
    status: fetched?.status ?? was.status,
    duration_ms: fetched?.durationMs ?? was.duration_ms,
    wire_bytes: fetched?.wireBytes ?? was.wire_bytes,
  }
  if (kind === 'retry')
    return {
      ...{ ...sent, not_before: outcome.at },
      ...(was.state === WAITING && { ...NO_TROUBLE, reason }),
      ...(outcome.counted ? { attempts: was.attempts + 1 } : { free_attempts: was.free_attempts + 1 }),
    }
  const settled = {
    ...sent,
    state: STATES.indexOf(kind),
    attempts: was.attempts + (fetched === undefined ? 0 : 1),
    run,
    not_before: null,
    reason: kind === 'failed' ? reason : null,
    blame: kind === 'failed' ? (outcome.failure?.blame ?? null) : null,
    target: kind === 'moved' ? outcome.target : null,
    error,
    asked_at: null,
    asked_by: null,
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
  const pageAt = pageAtOf(outcome)
  return {
    visits: (was.visits ?? 0) + 1,
    due_at: again?.at ?? (was.visits === null ? (outcome.fetched?.at ?? 0) : was.due_at),
    skipped: was.skipped + (again?.skipped ?? 0),
    ...{ etag: again?.etag ?? null, last_modified: again?.lastModified ?? null, body_hash: again?.bodyHash ?? null },
    ...{ missing: gone ? -1 : (again?.missing?.visits ?? 0), missing_since: again?.missing?.since ?? null },
    ...(pageAt !== undefined && { page_at: pageAt, page_visit: was.visits ?? 0 }),
    ...(again !== undefined && { attempts: 0, free_attempts: 0, not_before: again.at }),
  }
}

/** It waits again as if it had never been tried, but for what is known of its last fetch. */
export function reopened<State extends RequestState<unknown, unknown>>(was: State): State {
  return {
    ...was,
    state: WAITING,
    attempts: 0,
    free_attempts: 0,
    not_before: 0,
    ...NO_TROUBLE,
    reason: was.reason,
    ...forgiven(was),
  }
}

/** It has failed for good, at the word of an operator. That is no visit: its history stays. */
export function dropped<Reason, State extends RequestState<Reason, unknown>>(was: State, reason: Reason | null): State {
  return { ...was, state: FAILED, not_before: null, ...NO_TROUBLE, reason, ...NOT_ASKED, ...forgiven(was) }
}

/** It is due again at `at`, epoch ms; undefined: no more. */
export function revisited<State extends RequestState<unknown, unknown>>(was: State, at: number | undefined): State {
  if (at === undefined) return { ...was, not_before: null }
  return { ...scheduled(was), due_at: at, ...forgiven(was), not_before: at }
}

/** A link or a seed asks for a visit. A round that comes later stays as it is. */
export function asked<State extends RequestState<unknown, unknown>>(
  was: State,
  { at, by }: { readonly at: number; readonly by: State['asked_by'] },
): State {
  const known = scheduled(was)
  return { ...known, due_at: Math.max(known.due_at, at), asked_at: at, asked_by: by, not_before: at }
}

/** Whether it may be asked for: not what waits, was visited in this run, is about to be, or was fetched since its page was modified. */
export function mayBeAsked(
  was: RequestState<unknown, unknown>,
  { at, run, modifiedAt = Infinity }: { readonly at: number; readonly run: number; readonly modifiedAt: number | undefined },
): boolean {
  if (was.state === WAITING || was.run === run || was.asked_at !== null || (was.fetched_at ?? -Infinity) >= modifiedAt)
    return false
  return was.not_before === null || (was.not_before > at && was.attempts + was.free_attempts === 0)
}

/** Whether it is settled, and due again. */
export function isAgain({ state, not_before }: Pick<RequestState, 'state' | 'not_before'>): boolean {
  return state !== WAITING && not_before !== null
}

/** With attempts of a next visit that begin. */
function scheduled<State extends RequestState<unknown, unknown>>(was: State): State {
  const renewed = { ...was, attempts: 0, free_attempts: 0 }
  if (was.visits !== null) return renewed
  return { ...renewed, visits: 1, page_at: was.fetched_at, page_visit: 0 }
}

/** It is no longer believed to be gone. */
function forgiven({ missing }: Pick<RequestState, 'missing'>): Pick<RequestState, 'missing'> {
  return { missing: Math.max(missing, 0) }
}
