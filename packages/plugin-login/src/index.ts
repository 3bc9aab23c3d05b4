// Logs the sessions of a crawl in: the plugin that `crawl()` adds where its spider has a login.
import { definePlugin, type Plugin } from '@avocet/core'
import { parseUrl } from '@avocet/core/plugin'
import { shown } from '@avocet/core/store'
import { freshLoginMemory, joinedLoginMemory, LOGIN_PART, type LoginMemory } from './login-memory.ts'
import type { LoginOptions, SpiderLogin } from './log-in.ts'
import { Logins } from './logins.ts'

export { failedLogins } from './login-memory.ts'

/** Keeps the sessions of one crawl logged in. */
export function login(options: LoginOptions): Plugin {
  // Not open where a host at rest is asked about.
  let logins: Logins | undefined
  return definePlugin<undefined, LoginMemory>({
    name: LOGIN_PART,
    outsideEffects: false,
    seesRequired: true,
    readsPages: true,
    crawlMemory: freshLoginMemory,
    merge: joinedLoginMemory,
    open(session, memory) {
      logins = new Logins({ ...options, login: checkedLogin(options.login) }, session, memory)
    },
    admit: (ask) => logins?.holds(ask),
    onAdmit: (exchange) => logins?.begins(exchange),
    beforeRequest: (outgoing) => logins?.putsOff(outgoing),
    onResponse: (answer) => logins?.reviews(answer),
    close: (report) => logins?.done(report),
  })
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
