// The law of logins: when a session may log in again. Pure.
//
// A password that is wrong now is wrong in a minute, and accounts are locked after a few attempts: pauses grow, from ten seconds to six hours. They are kept
// in the store, or each restart would knock again.
import type { LoginAtRest } from './login-memory.ts'

const FIRST_MS = 10_000
const SECOND_MS = 60_000
const THIRD_MS = 600_000
const LONGEST_MS = 6 * 3_600_000

/** Pages that may be logged out after a login before it counts as failed: some are out whoever asks. */
const TOLERATED = 3
/** The same where earlier logins had pages. */
const TOLERATED_OF_WORKING = 10
/** After so many failures the number is doubled no more: 24 pages or 80, between pauses of ten minutes and more. */
const MOST_DOUBLED = 3

/** So often a page may come back while its session works. */
const MOST_RETURNS = 3
/**
 * And so many times more, times the share of logins in what the session got: 5 returns where each login gives four pages. Pages are lost by chance
 * otherwise.
 */
const MORE_RETURNS = 10

/** Characters of a reason: memory of a crawl is written as a whole. */
const MAX_WHY = 200

/** So many in a row are a problem that a person should know of. */
export const FAILED_LOGINS = 3

/** Ms until the next attempt after so many that failed in a row. */
function loginPauseMs(failures: number): number {
  if (failures <= 1) return FIRST_MS
  if (failures === 2) return SECOND_MS
  return Math.min(LONGEST_MS, THIRD_MS * 2 ** Math.min(failures - FAILED_LOGINS, 20))
}

/** So many pages say that the login failed. More after each failure, so that pages in front that are out for everybody do not hide those behind them. */
export function toleratedPages({ hasBeenIn, failures }: Pick<LoginState, 'hasBeenIn' | 'failures'>): number {
  return (hasBeenIn ? TOLERATED_OF_WORKING : TOLERATED) * 2 ** Math.min(failures, MOST_DOUBLED)
}

/** So often a page comes back until it is to blame. Right after a login, that has hardly ended again; later, the page may have been the first after its end. */
export function returnsOf({ isProven, good, logins }: Pick<LoginState, 'isProven' | 'good' | 'logins'>): number {
  return MOST_RETURNS + (isProven ? Math.floor((MORE_RETURNS * logins) / Math.max(1, good + logins)) : 0)
}

/** A session, as far as its login goes. */
export interface LoginState extends LoginAtRest {
  hasBeenIn: boolean
  /** The host at which a login is being made, and until when others wait for it, epoch ms. */
  runsAt?: string
  runsUntil: number
  /** Epoch ms of the last login: what was requested before says nothing of it. */
  since: number
  /** A page that was requested since then was not logged out. */
  isProven: boolean
  /** Pages that were not logged out, in this run. */
  good: number
  /** Logins of this run that did not fail at once. */
  logins: number
  /** Answers since the last login that were logged out, while none was not. */
  outs: number
}

/** A session of which `kept` is known. */
export function loginState(kept: LoginAtRest = { isIn: false, failures: 0, restUntil: 0 }): LoginState {
  // What an earlier run proved holds until a page says otherwise.
  const { isIn, hasBeenIn = isIn } = kept
  return { ...kept, hasBeenIn, runsUntil: 0, since: 0, isProven: isIn, good: 0, logins: 0, outs: 0 }
}

/** A login failed at `now`, or was in vain. */
export function failedLogin(state: LoginState, now: number, why: string): void {
  state.isIn = false
  state.isProven = false
  state.failures++
  state.failed = { at: Math.round(now), why: why.slice(0, MAX_WHY) }
  state.restUntil = Math.round(now + loginPauseMs(state.failures))
}
