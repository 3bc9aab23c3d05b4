// One login: the page with the form, the form, and the page behind it.
import { Link, type Page } from '@avocet/core'
import { formatDuration, parseUrl } from '@avocet/core/plugin'
import { messageOf, shown } from '@avocet/core/store'
import type { LoginCrawl, SpiderLogin, LoginPage, LoginPutOff, LoginVisit } from './login-port.ts'
import { isSpelledLike, type LoginAddresses } from './login-addresses.ts'
import type { LoginState } from './login-law.ts'
import { LOGIN_PART } from './login-memory.ts'
import { LOGGED_OUT } from './returned-pages.ts'

/** What a login is run with. */
export interface LoginParts {
  readonly crawl: LoginCrawl
  readonly login: SpiderLogin
  /** Told where the form was found. */
  readonly addresses: LoginAddresses
  readonly session: string | undefined
  /** The host whose requests wait for it. */
  readonly hostKey: string
  readonly state: LoginState
}

/** Told once: why it failed, or that it was put off; or undefined. */
type Ended = (why?: string | LoginPutOff) => void

/** Logs a session in. */
export function logIn({ crawl, login, addresses, session, hostKey, state }: LoginParts, ended: Ended): void {
  const known = login.url
  const isOut = (page: Page): boolean => login.isLoggedOut(page)
  const guarded = (on: LoginPage, step: () => void): void => {
    try {
      step()
    } catch (error) {
      ended(on.shown(messageOf(error)))
    }
  }
  const visit = (wish: Pick<LoginVisit, 'url' | 'isNext'> & Partial<LoginVisit>, then: (came: LoginPage) => void): void => {
    crawl.visit({ session, hostKey, handler: LOGIN_PART, known, ...wish }, (came) =>
      typeof came === 'string' || 'notBefore' in came ? ended(came) : guarded(came, () => then(came)),
    )
  }
  visit({ url: known, isNext: false }, (came) => {
    const { page } = came
    // Who is in already is led on from the form.
    const isLedOn = !isSpelledLike(page.request.url, known) && !isOut(page)
    if (isLedOn && !page.asksForPassword) return ended()
    const failed = (error: unknown): void => ended(isLedOn ? undefined : came.shown(messageOf(error)))
    const submit = (link: Link): void =>
      guarded(came, () => {
        addresses.found(came.way)
        const { method, headers, body } = link.options
        visit({ url: targetOf(link, page.baseUrl), method, headers, body, isNext: true }, (answer) =>
          ended(isOut(answer.page) ? `${answer.shownUrl} ${LOGGED_OUT}` : undefined),
        )
      })
    try {
      const given: unknown = login.submit(page)
      if (!(given instanceof Promise)) return submit(linkOf(given))
      state.isSubmitting = true
      void inTime(given, crawl)
        .finally(() => (state.isSubmitting = false))
        .then((link) => submit(linkOf(link)))
        .catch(failed)
    } catch (error) {
      failed(error)
    }
  })
}

function linkOf(given: unknown): Link {
  if (given instanceof Link) return given
  throw new TypeError(`expected submit() of the login to give a link, got ${shown(given)}; return page.form(…).submit()`)
}

function targetOf({ url }: Link, base: string): string {
  const target = parseUrl(url, base)
  if (target !== undefined) return target
  throw new TypeError(
    `expected the login to lead to an http(s) URL of at most 8,000 bytes, got ${shown(url.replace(/\?.*/s, '?…'), 200)}`,
  )
}

/** What the spider submits, within the time of a handler. */
function inTime(given: Promise<unknown>, { clock, handlerTimeoutMs }: LoginCrawl): Promise<unknown> {
  const hold = clock.hold('submit() of the login')
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const late = `submit() of the login did not finish within ${formatDuration(handlerTimeoutMs)}`
  const deadline = clock.at(clock.now() + handlerTimeoutMs, () => reject(new Error(late)))
  given.then(resolve, reject)
  return promise.finally(() => [deadline, hold].forEach((each) => each[Symbol.dispose]()))
}
