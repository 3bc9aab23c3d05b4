// A login as a crawl uses it: its URL as it is requested, and isLoggedOut() that says yes or no, or throws.
import type { Login } from '../ports/login.ts'
import { shown } from '../values/shown.ts'
import { parseUrl } from '../url/parse-url.ts'

/** `login` of the spider, checked wherever it is used. */
export function checkedLogin(login: Login): Login {
  return {
    url: requestedAs(login.url),
    submit: (page) => login.submit(page),
    isLoggedOut: (page) => claimOf(login.isLoggedOut(page)),
  }
}

/** A dot at the end of a host name is folded away, as in the key of its host: cookies of either are not sent to the other. */
function requestedAs(url: string): string {
  const parsed = parseUrl(url) ?? url
  return parsed.replace(/^(https?:\/\/[^/?]*?)\.(?=(?::\d+)?(?:[/?]|$))/, '$1')
}

/** What isLoggedOut() gave; an answer that comes later is none. */
function claimOf(given: unknown): boolean {
  if (given instanceof Promise) given.catch(() => {})
  if (typeof given === 'boolean') return given
  const what = given instanceof Promise ? 'a promise; it must not be async' : `${shown(given)}; return a comparison`
  throw new TypeError(`expected isLoggedOut() of the login to give true or false, got ${what}`)
}
