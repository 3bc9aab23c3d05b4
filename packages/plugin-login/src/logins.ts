// The logins of a crawl: which session is in, which must wait, and what becomes of pages that say that they are logged out.
//
// A login is requests of the crawl's own, in RAM: a kill in the middle of one leaves nothing, and the next run begins anew. Its cookies are
// the plugin's. While a session is out its requests stay in the queues of their hosts, behind a gate that is asked when one is to be taken: none is sent, and
// none is written, unless they keep those of other sessions out. A page that comes back logged out goes back into its queue, uncounted, and is requested first
// with the new session: behind others, it could be the first after the end of that one as well, again and again. Whether it is news is a question of when it
// was requested: of forty pages that were in flight when the session ended, the first leads to a login, and the others are old news. A login after which no
// page is there has failed; one page alone does not decide that (login-law.ts), and one that is out after each login is to blame itself (returned-pages.ts).
import { failure, hostKeyOf, messageOf, sessionOf, type Leased } from '@avocet/core/store'
import { siteOf } from '@avocet/core/plugin'
import type { LoginGate, LoginCrawl, LoginPutOff, SpiderLogin, OpenLogins, LoginReview, LoginAnswer } from './login-port.ts'
import { logIn } from './log-in.ts'
import { isSpelledLike, LoginAddresses } from './login-addresses.ts'
import { failedLogin, loginState, returnsOf, toleratedPages, type LoginState } from './login-law.ts'
import { boundedLogins, type LoginMemory } from './login-memory.ts'
import { DATA_REFUSED, failedLoginMessage, LOGGED_OUT, ReturnedPages } from './returned-pages.ts'

/** How soon a request looks again whether its session is in. */
const LOOK_AGAIN_MS = 1_000
/** A page that came back right after a login, or twice, goes behind others, so that these say whether the login has failed. */
const BEHIND_MS = 2_000
/** Sessions that are remembered. */
const MOST = 1_000
/** Why a request waits in the store whose session could not log in. It was not sent. */
const LOGIN_AWAITED = 'login-awaited'

/** Runs them. */
export class Logins implements OpenLogins {
  readonly #states = new Map<string, LoginState>()
  /** Sessions that are to log in, by key, and the host whose requests wait for that. */
  readonly #needed = new Map<string, { readonly session: string | undefined; readonly hostKey: string }>()
  /** All that are known of; undefined: that of a host. */
  readonly #sessions: Set<string | undefined>
  readonly #returned = new ReturnedPages()
  readonly #addresses: LoginAddresses
  readonly #login: SpiderLogin
  readonly #hostKey: string
  readonly #crawl: LoginCrawl
  readonly #memory: LoginMemory
  /** Whether who is logged in has a page where others have the form, such as the front page of a site. */
  #isFormAPage = false
  /** Scripts of pages get 401 whoever is logged in: that says nothing. */
  #isDataRefused = false
  #isClosed = false

  constructor(login: SpiderLogin, crawl: LoginCrawl, memory: LoginMemory) {
    this.#login = login
    this.#crawl = crawl
    this.#memory = memory
    this.#sessions = sessionsAhead(crawl)
    this.#addresses = new LoginAddresses(login.url, memory.places)
    this.#hostKey = hostKeyOf(login.url, crawl.hostKeying)
    for (const [key, kept] of Object.entries(memory.sessions)) this.#states.set(key, loginState(kept))
  }

  get busy(): boolean {
    return !this.#isClosed && [...this.#states.values()].some(({ isSubmitting }) => isSubmitting)
  }

  close(): void {
    this.#isClosed = true
  }

  done(): void {
    if (Object.keys(this.#memory.sessions).length > 0) return
    const url = this.#login.url.replace(/[?#].*$/s, '')
    this.#crawl.tell(
      `the login at ${url} was not needed: no request is on its host, or in a named session of its site; give seeds or links that need it a session, or correct login.url`,
      'problem',
    )
  }

  /** Where there is one session alone, nothing else would come. */
  get putOffFor(): string | undefined {
    return this.#sessions.size < 2 ? undefined : LOGIN_AWAITED
  }

  readonly holds = ({ hostKey, identity }: Leased): LoginGate | undefined => {
    const session = sessionOf(identity)
    this.#sessions.add(session)
    const key = this.#keyOf(hostKey, session)
    if (key === undefined) return undefined
    const state = this.#stateOf(key)
    if (state.isIn) return undefined
    const now = this.#now
    const who = session === undefined ? 'the session' : `session ${session}`
    if (!state.isRunning && state.restUntil > now)
      return { until: state.restUntil, why: `${who} could not log in`, isResting: true }
    // The one thing a question leaves behind: that it was asked. Asking again changes nothing, and whether it is still so is seen when logins begin.
    if (!state.isRunning && !this.#needed.has(key)) this.#needed.set(key, { session, hostKey })
    return { until: now + LOOK_AGAIN_MS, why: `${who} logs in`, isResting: false }
  }

  begin(): void {
    if (this.#needed.size === 0 || this.#isClosed) return
    for (const [key, needed] of this.#needed) {
      this.#needed.delete(key)
      const state = this.#stateOf(key)
      if (state.isRunning || state.isIn) continue
      state.isRunning = true
      const parts = { crawl: this.#crawl, login: this.#login, addresses: this.#addresses, ...needed, state }
      logIn(parts, (why) => this.#ended(key, why))
    }
  }

  reviewed(answer: LoginAnswer): LoginReview | undefined {
    const { request, kind } = answer
    const key = this.#keyOf(request.hostKey, request.session)
    if (key === undefined || (isSpelledLike(request.url, this.#login.url) && kind === 'redirect')) return undefined
    return this.#reviewed(key, answer)
  }

  /** What becomes of a request whose answer says that its session is logged out; undefined where it does not. */
  #reviewed(key: string, answer: LoginAnswer): LoginReview | undefined {
    const { request, admittedAt, page } = answer
    const state = this.#stateOf(key)
    const isNews = state.isIn && admittedAt >= state.since
    const isForm = isSpelledLike(request.url, this.#login.url)
    if (!this.#isOut(answer)) {
      this.#returned.forget(request.id)
      this.#isFormAPage ||= isForm
      if (isNews && page.response.status < 300) this.#addresses.used(request.url)
      if (isNews && page.response.status < 400) this.#good(key, state)
      return undefined
    }
    if (!isNews) return { kind: 'again' }
    const returned = this.#returned.again(request.id, state)
    if (page.response.unauthorized && !this.#isDataRefused && returned.count >= returnsOf(state)) {
      this.#isDataRefused = true
      this.#crawl.tell(`data of ${request.url} ${DATA_REFUSED}`, 'problem')
      return this.#reviewed(key, answer)
    }
    // A form that is there for everybody is no news. Where nobody knows yet, a new login tells.
    if (isForm && !this.#isFormAPage && (!state.isProven || returned.count > 1)) return undefined
    const isWorking = state.isProven || (state.hasBeenIn && state.failures === 0)
    if (returned.count >= returnsOf(state) && isWorking) {
      this.#returned.forget(request.id)
      const message = `${request.url} was logged out ${returned.count} times, also after new logins, while its session had other pages`
      return { kind: 'failed', failure: failure('AVO_LOGGED_OUT', message, { sent: true }) }
    }
    const isFirst = state.isProven && returned.count === 1
    // Where nothing else is there to be asked, a new login says more than the same page once more.
    if (state.isProven || (returned.isRepeat && isWorking)) state.isIn = false
    else if (++state.outs >= toleratedPages(state)) this.#failed(key, `${request.url} ${LOGGED_OUT}`)
    this.#keep(key, state)
    if (isFirst) return { kind: 'again' }
    const at = Math.max(this.#now, state.restUntil) + BEHIND_MS
    return { kind: 'retry', at, reason: 'logged-out' }
  }

  #isOut({ page, target }: LoginAnswer): boolean {
    const { status, unauthorized = false } = page.response
    if (status === 401 || (unauthorized && !this.#isDataRefused)) return true
    if (this.#addresses.leads(page.request.url, target)) return true
    try {
      return this.#login.isLoggedOut(page)
    } catch (error) {
      const message = `isLoggedOut() of the login threw ${messageOf(error)}: the page is taken for one that is logged in`
      this.#crawl.tell(message, 'problem')
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

  /** `why` it failed, or was put off; undefined: the session is in. */
  #ended(key: string, why: string | LoginPutOff | undefined): void {
    const state = this.#stateOf(key)
    state.isRunning = false
    if (typeof why === 'object') state.restUntil = why.notBefore
    else if (why === undefined) {
      state.isIn = true
      state.isProven = false
      state.outs = 0
      state.logins++
      state.since = this.#now
    } else this.#failed(key, why)
    this.#keep(key, state)
    if (typeof why === 'string' && !this.#isClosed) this.#crawl.save()
    this.#crawl.goOn()
  }

  #failed(key: string, why: string): void {
    const state = this.#stateOf(key)
    failedLogin(state, this.#now, this.#crawl.hidden(why))
    const keepsCookies = this.#crawl.plugins.includes('cookies')
    const { failures } = state
    const { message, isProblem } = failedLoginMessage({ key, url: this.#login.url, failures, why, keepsCookies })
    this.#crawl.tell(message, isProblem ? 'problem' : 'notice')
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
    return this.#crawl.clock.now()
  }
}

/** By name; undefined: that of a host. Seeds of a function may be of any session. */
function sessionsAhead({ spider: { seeds }, sessions }: LoginCrawl): Set<string | undefined> {
  const ofSeeds =
    typeof seeds === 'function'
      ? [undefined, '(of a seed)']
      : seeds.map((seed) => (typeof seed === 'string' ? undefined : seed.session))
  return new Set([...sessions, ...ofSeeds])
}
