// What a report says of a login that failed.
import { FAILED_LOGINS } from './login-law.ts'

/** Behind the URL of a page: why a login failed where the site only did not accept it. */
export const LOGGED_OUT = 'says that it is logged out'

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
