// What is kept of the logins of a crawl, so that a restart neither knocks again too soon, nor logs in without need.

/** Name of the plugin. */
export const LOGIN_PART = 'login'

/** What is kept of the logins of a session. */
export interface LoginAtRest {
  /** It was logged in when it was last heard of: it is tried before it logs in again. */
  isIn: boolean
  /** Some login of it led to pages that were not logged out. Absent: none so far. */
  hasBeenIn?: boolean
  /** Logins that failed, in a row. */
  failures: number
  /** Epoch ms before which it must not log in. */
  restUntil: number
  /** Of the last login that failed: epoch ms, and why. Absent since one did not. */
  failed?: { readonly at: number; readonly why: string }
}

/** What is kept of all of them. */
export interface LoginMemory {
  /** By `session NAME`, or `host KEY` where the session is that of a host. */
  sessions: Readonly<Record<string, LoginAtRest>>
  /** Where logins found their form, if not where they were told: host and path. */
  places: readonly string[]
}

/** Characters as JSON: memory of a crawl has 64 KiB. */
const MAX_CHARACTERS = 40 * 1_024

/** Nothing is known. */
export function freshLoginMemory(): LoginMemory {
  return { sessions: {}, places: [] }
}

/** Joins what two processes left, as much as there is room for. */
export function joinedLoginMemory(a: LoginMemory, b: LoginMemory): LoginMemory {
  const sessions = Object.entries({ ...a.sessions, ...b.sessions })
  return { sessions: boundedLogins(sessions), places: [...new Set([...a.places, ...b.places])] }
}

/** `logins`, oldest first, as many as there is room for: a session that is forgotten logs in again, so those that must wait are forgotten last. */
export function boundedLogins(logins: readonly (readonly [string, LoginAtRest])[]): Record<string, LoginAtRest> {
  const sized = logins.map((entry) => ({ entry, size: JSON.stringify(entry).length }))
  let left = MAX_CHARACTERS
  const kept = new Set<unknown>()
  for (const isWaiting of [true, false])
    for (const { entry, size } of sized.toReversed()) {
      if (entry[1].failures > 0 !== isWaiting || size > left) continue
      left -= size
      kept.add(entry)
    }
  return Object.fromEntries(logins.filter((entry) => kept.has(entry)))
}

/** Sessions that are out, of what processes left in a store. `memories`: what a crawl at rest has of a plugin; what cannot be read says nothing. */
export function failedLogins(memories: (part: string) => readonly string[]): readonly (readonly [key: string, LoginAtRest])[] {
  const { sessions } = memories(LOGIN_PART).map(memoryIn).reduce(joinedLoginMemory, freshLoginMemory())
  return Object.entries(sessions).filter(([, { isIn, failures, failed }]) => !isIn && failures > 0 && failed !== undefined)
}

function memoryIn(text: string): LoginMemory {
  try {
    return { ...freshLoginMemory(), ...(JSON.parse(text) as readonly [number, LoginMemory?])[1] }
  } catch {
    return freshLoginMemory()
  }
}
