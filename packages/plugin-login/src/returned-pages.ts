// Pages that came back logged out, and whether they or their session are to blame: a page that is out again after new logins, while its session had pages.
//
// Once is no evidence: any page can be the first after a session ended. So a return counts only if something changed since the last one: a login was made, or
// another page of the session was there. In RAM: a new run counts anew, and asks each such page a few times more.
import { FAILED_LOGINS } from './login-law.ts'

/** Pages that are remembered. */
const MOST = 1_000
/** Behind the URL of a page: why a login failed where the site only did not accept it. */
export const LOGGED_OUT = 'says that it is logged out'

/** The session when the page came back. */
interface Moment {
  /** Epoch ms of its login. */
  readonly since: number
  /** Pages of it that were not logged out. */
  readonly good: number
}
/** The same of its scripts, where they get 401 after each login. */
export const DATA_REFUSED =
  'is answered with 401, also after new logins: for the rest of the run that is not taken for logged out'

/** What is known of a page. */
interface Returned {
  /** So often it has come back, each time after something had changed. */
  readonly count: number
  /** Nothing had changed. */
  readonly isRepeat: boolean
}

/** Counts them. */
export class ReturnedPages {
  readonly #pages = new Map<number, Moment & { readonly count: number }>()

  /** The request `id` came back. */
  again(id: number, { since, good }: Moment): Returned {
    const before = this.#pages.get(id)
    const isRepeat = before?.since === since && before.good === good
    const count = (before?.count ?? 0) + (isRepeat ? 0 : 1)
    if (this.#pages.size >= MOST) this.#pages.clear()
    this.#pages.set(id, { count, since, good })
    return { count, isRepeat }
  }

  /** It was settled. */
  forget(id: number): void {
    this.#pages.delete(id)
  }
}

/** One that failed. */
interface FailedOnce {
  /** Whose it is. */
  readonly key: string
  readonly url: string
  /** In a row, this one among them. */
  readonly failures: number
  /** As the end of a sentence. */
  readonly why: string
  readonly keepsCookies: boolean
}

/** The message, and whether a person should know of it now. */
export function failedLoginMessage({ key, url, failures, why, keepsCookies }: FailedOnce): {
  message: string
  isProblem: boolean
} {
  const said = `login of ${key} at ${url} failed (${failures} in a row): ${why}; its pages wait`
  if (!keepsCookies) {
    const remedy = 'expected a plugin that keeps cookies, got none called cookies: add cookies() of @avocet/plugin-cookies'
    return { message: `${said}; ${remedy}`, isProblem: true }
  }
  const remedy = 'check the account and the form'
  if (failures >= FAILED_LOGINS)
    return { message: `${said}, and the login is tried again after a growing pause; ${remedy}`, isProblem: true }
  return { message: why.endsWith(LOGGED_OUT) ? `${said}; ${remedy}` : said, isProblem: false }
}
