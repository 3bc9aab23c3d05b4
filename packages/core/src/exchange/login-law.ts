// The law of logins: when a session may log in again. Pure.
//
// A password that is wrong now is wrong in a minute, and accounts are locked after a few attempts: pauses grow, from ten seconds to six hours. They are kept
// in the store, or each restart would knock again.
import type { LoginAtRest } from '../hosts/login-at-rest.ts'

const FIRST_MS = 10_000
const SECOND_MS = 60_000
const THIRD_MS = 600_000
const LONGEST_MS = 6 * 3_600_000

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

/** A session, as far as its login goes. */
export interface LoginState extends LoginAtRest {
  isIn: boolean
  failures: number
  restUntil: number
  failed?: { readonly at: number; readonly why: string }
  isRunning: boolean
  /** Epoch ms of the last login: what was requested before says nothing of it. */
  since: number
  /** A page that was requested since then was not logged out. */
  isProven: boolean
  /** Pages that were not logged out, in this run. */
  good: number
}

/** A session of which `kept` is known. */
export function loginState(kept: LoginAtRest = { isIn: false, failures: 0, restUntil: 0 }): LoginState {
  // What an earlier run proved holds until a page says otherwise.
  return { ...kept, isRunning: false, since: 0, isProven: kept.isIn, good: 0 }
}

/** A login failed at `now`, or was in vain. */
export function failedLogin(state: LoginState, now: number, why: string): void {
  state.isIn = false
  state.isProven = false
  state.failures++
  state.failed = { at: Math.round(now), why: why.slice(0, MAX_WHY) }
  state.restUntil = Math.round(now + loginPauseMs(state.failures))
}
