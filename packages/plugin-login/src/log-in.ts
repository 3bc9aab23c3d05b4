// One login: the page with the form, the form, and the page behind it. Each is required of the host whose requests wait, and comes before them.
import { Link, type Spider } from '@avocet/core'
import { formatDuration, parseUrl, type Admission, type RequiredDocument } from '@avocet/core/plugin'
import { messageOf, shown, type Clock } from '@avocet/core/store'
import { isSpelledLike, type LoginAddresses } from './login-addresses.ts'
import { LOGGED_OUT } from './returned-pages.ts'

/** How a spider logs in. */
export type SpiderLogin = NonNullable<Spider['login']>

/** What logins are made with. */
export interface LoginOptions {
  readonly login: SpiderLogin
  readonly clock: Clock
  readonly handlerTimeoutMs: number
  readonly hostKeying: 'host' | 'domain'
}

/** What a login is run with. */
interface LoginParts extends LoginOptions {
  /** Told where the form was found. */
  readonly addresses: LoginAddresses
  readonly session: string | undefined
  /** Told once: why it failed, or undefined; `isLater`: it could not be made now, which is no failure. */
  readonly ended: (why?: string, isLater?: boolean) => void
  /** Something of it has come. */
  readonly took: () => void
}

type Came = NonNullable<RequiredDocument['page']>
/** What comes next, and what takes it. */
interface Step {
  readonly wish: Exclude<Parameters<Admission['require']>[0], string>
  readonly take: (came: Came) => void
}

/** How soon it is looked again whether the spider has filled in the form. */
const LOOK_AGAIN_MS = 50

/** Logs a session in. */
export class LogIn {
  readonly #parts: LoginParts
  /** Undefined while the spider takes its time to fill in the form. */
  #step: Step | undefined

  constructor(parts: LoginParts) {
    const { url } = parts.login
    this.#parts = parts
    this.#step = this.#stepTo({ url }, (came) => this.#fillIn(came))
  }

  /** Has the host wait for what comes next. */
  goesOn(ask: Admission): void {
    const { session } = this.#parts
    const why = `${session === undefined ? 'the session' : `session ${session}`} logs in`
    if (this.#step === undefined) return ask.notBefore(ask.now + LOOK_AGAIN_MS, why)
    const { wish, take } = this.#step
    ask.require(wish, ({ result, page }) => {
      this.#parts.took()
      if (result.kind === 'failed')
        return this.#parts.ended(result.failure.message, result.failure.code === 'AVO_REQUIRED_ELSEWHERE')
      if (page === undefined) return
      const { status } = result.response
      if (status >= 400) return this.#parts.ended(`${page.shownUrl} answered ${status}`)
      this.#guarded(page, () => take(page))
    })
  }

  #stepTo(wish: Omit<Step['wish'], 'session' | 'known'>, take: Step['take']): Step {
    const { session, login } = this.#parts
    return { wish: { session, known: login.url, ...wish }, take }
  }

  #guarded(on: Came, step: () => void): void {
    try {
      step()
    } catch (error) {
      this.#parts.ended(on.shown(messageOf(error)))
    }
  }

  #fillIn(came: Came): void {
    const { login, ended } = this.#parts
    const { page } = came
    // Who is in already is led on from the form.
    const isLedOn = !isSpelledLike(page.request.url, login.url) && !login.isLoggedOut(page)
    if (isLedOn && !page.asksForPassword) return ended()
    const failed = (error: unknown): void => ended(isLedOn ? undefined : came.shown(messageOf(error)))
    try {
      const given: unknown = login.submit(page)
      if (!(given instanceof Promise)) return this.#submit(came, linkOf(given))
      this.#step = undefined
      void inTime(given, this.#parts)
        .then((link) => this.#submit(came, linkOf(link)))
        .catch(failed)
    } catch (error) {
      failed(error)
    }
  }

  #submit(came: Came, link: Link): void {
    this.#guarded(came, () => {
      const { login, addresses, ended } = this.#parts
      addresses.found(came.way)
      const { method, headers, body } = link.options
      const sent = { url: targetOf(link, came.page.baseUrl), method, headers, body }
      this.#step = this.#stepTo(sent, ({ page, shownUrl }) =>
        ended(login.isLoggedOut(page) ? `${shownUrl} ${LOGGED_OUT}` : undefined),
      )
    })
  }
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
function inTime(given: Promise<unknown>, { clock, handlerTimeoutMs }: LoginParts): Promise<unknown> {
  const hold = clock.hold('submit() of the login')
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const late = `submit() of the login did not finish within ${formatDuration(handlerTimeoutMs)}`
  const deadline = clock.at(clock.now() + handlerTimeoutMs, () => reject(new Error(late)))
  given.then(resolve, reject)
  return promise.finally(() => [deadline, hold].forEach((each) => each[Symbol.dispose]()))
}
