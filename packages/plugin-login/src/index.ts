// Logs the sessions of a crawl in: what a crawl loads where its spider has a login.
import { parseUrl } from '@avocet/core/plugin'
import { shown } from '@avocet/core/store'
import { freshLoginMemory, joinedLoginMemory, LOGIN_MOMENTS, LOGIN_PART, type LoginMemory } from './login-memory.ts'
import type { LoginGatekeeper, SpiderLogin } from './login-port.ts'
import { Logins } from './logins.ts'

export { failedLogins } from './login-memory.ts'

/** Keeps the sessions of a crawl logged in. */
export function loginGatekeeper(login: SpiderLogin): LoginGatekeeper {
  return {
    remembers: {
      name: LOGIN_PART,
      crawlMemory: freshLoginMemory,
      merge: (a, b) => joinedLoginMemory(a as LoginMemory, b as LoginMemory),
      moments: LOGIN_MOMENTS,
    },
    open: (crawl) => new Logins(checkedLogin(login), crawl, crawl.memory as LoginMemory),
  }
}

/** `login` of the spider, checked wherever it is used. */
function checkedLogin(login: SpiderLogin): SpiderLogin {
  return {
    url: parseUrl(login.url) ?? login.url,
    submit: (page) => login.submit(page),
    isLoggedOut: (page) => claimOf(login.isLoggedOut(page)),
  }
}

/** What isLoggedOut() gave; an answer that comes later is none. */
function claimOf(given: unknown): boolean {
  if (given instanceof Promise) given.catch(() => {})
  if (typeof given === 'boolean') return given
  const what = given instanceof Promise ? 'a promise; it must not be async' : `${shown(given)}; return a comparison`
  throw new TypeError(`expected isLoggedOut() of the login to give true or false, got ${what}`)
}
