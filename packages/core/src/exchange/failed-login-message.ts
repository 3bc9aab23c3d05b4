// What a report says of a login that failed.
import { FAILED_LOGINS } from './login-law.ts'

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
  if (failures < FAILED_LOGINS) return { message: said, isProblem: false }
  const remedy = 'the login is tried again after a growing pause; check the account and the form'
  return { message: `${said}, and ${remedy}`, isProblem: true }
}
