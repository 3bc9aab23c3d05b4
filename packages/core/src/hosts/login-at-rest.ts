// What is kept of the logins of a crawl: so that a restart neither knocks again too soon, nor logs in without need.
import { rewound } from '../setback.ts'

/** What is kept of the logins of a session. */
export interface LoginAtRest {
  /** It was logged in when it was last heard of: it is tried before it logs in again. */
  readonly isIn: boolean
  /** Logins that failed, in a row. */
  readonly failures: number
  /** Epoch ms before which it must not log in. */
  readonly restUntil: number
}

/** The same, of a clock that was ahead by `byMs`. */
export function rewoundLogins(logins: Readonly<Record<string, LoginAtRest>>, byMs: number): Record<string, LoginAtRest> {
  const moved = ({ restUntil, ...kept }: LoginAtRest): LoginAtRest => ({ ...kept, restUntil: rewound(restUntil, byMs) })
  return Object.fromEntries(Object.entries(logins).map(([key, kept]) => [key, moved(kept)]))
}
