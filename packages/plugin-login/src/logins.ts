// The logins of a crawl: which session is in, which must wait, and what becomes of pages that say that they are logged out.
//
// A login is requests of the crawl's own, in RAM: a kill in the middle of one leaves nothing, and the next run begins anew. Its cookies are
// the plugin's. It is required of the host whose next request is one of a session that is out, and other hosts of that session wait meanwhile. While a session
// cannot log in, its requests are put off in the store, so that those of others go. A page that comes back logged out is requested again, uncounted: what
// waits goes in the order of its discovery, or that page could be the first after the end of the next session as well, again and again. Whether it is news is
// a question of when it was requested: of forty pages that were in flight when the session ended, the first leads to a login, and the others are old news. A
// login after which no page is there has failed; one page alone does not decide that (login-law.ts), and one that is out after each login is to blame itself
// (returned-pages.ts).
import type { CrawlReport } from '@avocet/core'
import { hostKeyOf, messageOf } from '@avocet/core/store'
import { headerOf, isRedirect, isRefusal, parseUrl, siteOf } from '@avocet/core/plugin'
import type { Admission, Answered, Exchange, OutgoingRequest, Session } from '@avocet/core/plugin'
import { LogIn, type LoginOptions } from './log-in.ts'
import { isSpelledLike, LoginAddresses } from './login-addresses.ts'
import { failedLogin, loginState, returnsOf, toleratedPages, type LoginState } from './login-law.ts'
import { boundedLogins, LOGIN_PART, type LoginMemory } from './login-memory.ts'
import { DATA_REFUSED, failedLoginMessage, LOGGED_OUT, ReturnedPages } from './returned-pages.ts'

/** How soon a host looks again whether its session is in. */
const LOOK_AGAIN_MS = 1_000
/** So long hosts wait for a login that is made at another one. */
const LONGEST_RUN_MS = 600_000
/** A login that could not be made now is made later. */
const LATER_MS = 30_000
/** A page that came back right after a login, or twice, goes behind others, so that these say whether the login has failed. */
const BEHIND_MS = 2_000
/** Sessions that are remembered. */
const MOST = 1_000
/** Why a request waits in the store whose session could not log in. It was not sent. */
const LOGIN_AWAITED = 'login-awaited'
/** Why a page goes again, or fails, that is logged out. */
const LOST = 'logged-out'

/** Runs them. */
export class Logins {
  readonly #states = new Map<string, LoginState>()
  /** Logins that have begun, by the host at which they are made. */
  readonly #begun = new Map<string, { readonly state: LoginState; readonly logIn: LogIn }>()
  readonly #returned = new ReturnedPages()
  readonly #addresses: LoginAddresses
  readonly #options: LoginOptions
  readonly #hostKey: string
  readonly #session: Session
  readonly #memory: LoginMemory
  /** Whether who is logged in has a page where others have the form, such as the front page of a site. */
  #isFormAPage = false
  /** Scripts of pages get 401 whoever is logged in: that says nothing. */
  #isDataRefused = false

  constructor(options: LoginOptions, session: Session, memory: LoginMemory) {
    this.#options = options
    this.#session = session
    this.#memory = memory
    const { url } = options.login
    this.#addresses = new LoginAddresses(url, memory.places)
    this.#hostKey = hostKeyOf(url, options.hostKeying)
    for (const [key, kept] of Object.entries(memory.sessions)) this.#states.set(key, loginState(kept))
  }

  /** The crawl is over. */
  done({ ended, run }: CrawlReport): void {
    if (ended !== 'done' || run.pages === 0 || Object.keys(this.#memory.sessions).length > 0) return
    const url = this.#options.login.url.replace(/[?#].*$/s, '')
    this.#session.problem(
      `the login at ${url} was not needed: no request is on its host, or in a named session of its site; give seeds or links that need it a session, or correct login.url`,
    )
  }

  /** Has a host wait whose next request needs a login. */
  holds(ask: Admission): void {
    const { host, now, nextUrl, nextSession: session } = ask
    const begun = this.#begun.get(host.key)
    if (begun?.state.runsAt === host.key) return begun.logIn.goesOn(ask)
    const key = nextUrl === undefined ? undefined : this.#keyOf(host.key, session)
    if (key === undefined) return
    const state = this.#states.get(key) ?? loginState()
    if (state.isIn || state.restUntil > now) return
    if (state.runsUntil > now && state.runsAt !== host.key)
      return ask.notBefore(now + LOOK_AGAIN_MS, `session ${session ?? ''} logs in`)
    const logIn: LogIn = new LogIn({
      ...this.#options,
      ...{ addresses: this.#addresses, session },
      took: () => this.#begun.set(host.key, { state: this.#stateOf(key), logIn }),
      ended: (why, isLater) => this.#ended(key, host.key, { why, isLater }),
    })
    logIn.goesOn(ask)
  }

  /** A request of a login is booked. */
  begins({ request, host, admittedAt }: Exchange): void {
    const key = request.handler === `(${LOGIN_PART})` ? this.#keyOf(host.key, request.session) : undefined
    if (key === undefined) return
    const state = this.#stateOf(key)
    state.runsAt = host.key
    state.runsUntil = admittedAt + LONGEST_RUN_MS
  }

  /** Has a request wait whose session could not log in. */
  putsOff(outgoing: OutgoingRequest): void {
    const { request, host, required } = outgoing.exchange
    const key = required ? undefined : this.#keyOf(host.key, request.session)
    if (key === undefined) return
    const { isIn, restUntil } = this.#stateOf(key)
    if (!isIn) outgoing.retry(Math.max(outgoing.now + LOOK_AGAIN_MS, restUntil), LOGIN_AWAITED)
  }

  /** Looks whether an answer says that its session is logged out. */
  reviews(answer: Answered): void {
    const { request, host, required } = answer.exchange
    const { response, forbidden } = answer
    // What is not modified has no body, and trouble says nothing; a page that is forbidden, which others may take for a ban, says more.
    const saysNothing = response.status === 304 || (!forbidden && (response.status >= 500 || isRefusal(response.status)))
    if (required || saysNothing) return
    const key = this.#keyOf(host.key, request.session)
    if (key === undefined || (isSpelledLike(request.url, this.#options.login.url) && isRedirect(response))) return
    const verdict = this.#reviewed(key, answer)
    if (verdict === 'lost') answer.drop(LOST, { insists: true })
    else if (verdict !== undefined) answer.retry(verdict, LOST, { counted: false, insists: true })
  }

  /** When a request goes again whose answer says that its session is logged out, epoch ms, unless it is to blame itself; undefined where it does not. */
  #reviewed(key: string, answer: Answered): number | 'lost' | undefined {
    const { request, admittedAt } = answer.exchange
    const { response, now } = answer
    const state = this.#stateOf(key)
    const isNews = state.isIn && admittedAt >= state.since
    const isForm = isSpelledLike(request.url, this.#options.login.url)
    if (!this.#isOut(answer)) {
      this.#returned.forget(request.id)
      this.#isFormAPage ||= isForm
      if (isNews && response.status < 300) this.#addresses.used(request.url)
      if (isNews && response.status < 400) this.#good(key, state)
      return undefined
    }
    if (!isNews) return now
    const returned = this.#returned.again(request.id, state)
    if (response.unauthorized && !this.#isDataRefused && returned.count >= returnsOf(state)) {
      this.#isDataRefused = true
      this.#session.problem(`data of ${request.url} ${DATA_REFUSED}`)
      return this.#reviewed(key, answer)
    }
    // A form that is there for everybody is no news. Where nobody knows yet, a new login tells.
    if (isForm && !this.#isFormAPage && (!state.isProven || returned.count > 1)) return undefined
    const isWorking = state.isProven || (state.hasBeenIn && state.failures === 0)
    if (returned.count >= returnsOf(state) && isWorking) {
      this.#returned.forget(request.id)
      return 'lost'
    }
    const isFirst = state.isProven && returned.count === 1
    // Where nothing else is there to be asked, a new login says more than the same page once more.
    if (state.isProven || (returned.isRepeat && isWorking)) state.isIn = false
    else if (++state.outs >= toleratedPages(state)) this.#failed(key, `${request.url} ${LOGGED_OUT}`)
    this.#keep(key, state)
    return isFirst ? now : Math.max(now, state.restUntil) + BEHIND_MS
  }

  #isOut(answer: Answered): boolean {
    const { response, exchange } = answer
    const { status, headers, unauthorized = false } = response
    const { url } = exchange.request
    if (status === 401 || (unauthorized && !this.#isDataRefused)) return true
    const target = isRedirect(response) ? parseUrl(headerOf(headers, 'location') ?? '', url) : undefined
    if (this.#addresses.leads(url, target)) return true
    try {
      return this.#options.login.isLoggedOut(answer.page())
    } catch (error) {
      const message = `isLoggedOut() of the login threw ${messageOf(error)}: the page is taken for one that is logged in`
      this.#session.problem(message)
      return false
    }
  }

  #good(key: string, state: LoginState): void {
    state.good++
    if (state.isProven && state.failures === 0) return
    state.isProven = true
    state.hasBeenIn = true
    state.failures = 0
    delete state.failed
    this.#keep(key, state)
  }

  /** `why` it failed; undefined: the session is in. */
  #ended(
    key: string,
    hostKey: string,
    { why, isLater = false }: { readonly why?: string | undefined; readonly isLater?: boolean | undefined },
  ): void {
    const state = this.#stateOf(key)
    this.#begun.delete(hostKey)
    delete state.runsAt
    state.runsUntil = 0
    if (isLater) state.restUntil = this.#now + LATER_MS
    else if (why === undefined) {
      state.isIn = true
      state.isProven = false
      state.outs = 0
      state.logins++
      state.since = this.#now
    } else this.#failed(key, why)
    this.#keep(key, state)
  }

  #failed(key: string, why: string): void {
    const state = this.#stateOf(key)
    failedLogin(state, this.#now, why)
    const keepsCookies = this.#session.plugins.some(({ name }) => name === 'cookies')
    const { failures } = state
    const { message, isProblem } = failedLoginMessage({ key, url: this.#options.login.url, failures, why, keepsCookies })
    if (isProblem) this.#session.problem(message)
    else this.#session.notice(message)
  }

  #keyOf(hostKey: string, session: string | undefined): string | undefined {
    if (session === undefined) return hostKey === this.#hostKey ? `host ${hostKey}` : undefined
    return siteOf(hostKey) === siteOf(this.#hostKey) ? `session ${session}` : undefined
  }

  #stateOf(key: string): LoginState {
    let state = this.#states.get(key)
    if (state === undefined) this.#states.set(key, (state = loginState()))
    return state
  }

  /** To be committed with the next page. */
  #keep(key: string, { isIn, hasBeenIn, failures, restUntil, failed }: LoginState): void {
    const kept = Object.entries(this.#memory.sessions).filter(([other]) => other !== key)
    this.#memory.places = this.#addresses.kept
    const own = { isIn, failures, restUntil, ...(hasBeenIn && { hasBeenIn }), ...(failed && { failed }) }
    this.#memory.sessions = boundedLogins([...kept.slice(1 - MOST), [key, own]])
  }

  get #now(): number {
    return this.#session.clock.now()
  }
}
