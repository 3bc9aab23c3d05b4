// The logins of a crawl: which session is in, which must wait, and what becomes of pages that say that they are logged out.
//
// A login is requests of the crawl's own (own-exchanges.ts), in RAM: a kill in the middle of one leaves nothing, and the next run begins anew. Its cookies are
// the plugin's. While a session is out its requests stay in the queues of their hosts, behind a gate that is asked when one is to be taken: none is sent, and
// none is written, unless they keep those of other sessions out. A page that comes back logged out goes back into its queue, uncounted, and is requested first
// with the new session: behind others, it could be the first after the end of that one as well, again and again. Whether it is news is a question of when it
// was requested: of forty pages that were in flight when the session ended, the first leads to a login, and the others are old news. A login after which no
// page is there has failed; one page alone does not decide that (login-law.ts), and one that is out after each login is to blame itself (returned-pages.ts).
import { messageOf } from '../values/errors.ts'
import { failure, reasonOf } from '../ports/failure.ts'
import type { Fetched } from '../ports/frontier.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { boundedLogins, LOGIN_AWAITED } from '../hosts/crawl-core-memory.ts'
import type { Gate } from '../hosts/request-queue.ts'
import { sessionOf } from '../ports/identity.ts'
import type { Login } from '../ports/login.ts'
import type { Page } from '../ports/page.ts'
import type { Leased } from '../ports/request.ts'
import { requestOf } from '../hosts/request-of.ts'
import type { Run } from '../run/run.ts'
import { PARKED_MS } from '../scheduler/window-size.ts'
import { outcomeOnly, type PendingUnit } from '../store/commits.ts'
import { locationOf, hostKeyOf, siteOf } from '../url/host-key.ts'
import { parseUrl } from '../url/parse-url.ts'
import { checkedLogin } from './checked-login.ts'
import type { OwnExchanges } from '../exchange/own-exchanges.ts'
import type { LiveExchange } from '../exchange/live-exchange.ts'
import type { Closing } from '../exchange/close.ts'
import { type Judgement, fetchedOf } from '../exchange/judge.ts'
import { logIn, type LoginParts, type LoginPlace } from './log-in.ts'
import { isSpelledLike, LoginAddresses } from './login-addresses.ts'
import { DATA_REFUSED, failedLoginMessage, LOGGED_OUT, ReturnedPages } from './returned-pages.ts'
import { failedLogin, loginState, returnsOf, toleratedPages, type LoginState } from './login-law.ts'
import { sessionsAhead } from '../exchange/proxy-sessions.ts'

/** How soon a request looks again whether its session is in. */
const LOOK_AGAIN_MS = 1_000
/** A page that came back right after a login, or twice, goes behind others, so that these say whether the login has failed. */
const BEHIND_MS = 2_000
/** Sessions that are remembered. */
const MOST = 1_000

/** Runs them. */
export class Logins {
  readonly #states = new Map<string, LoginState>()
  readonly #needed = new Map<string, LoginPlace>()
  /** All that are known of; undefined: that of a host. */
  readonly #sessions: Set<string | undefined>
  readonly #returned = new ReturnedPages()
  readonly #own: OwnExchanges
  readonly #addresses: LoginAddresses
  readonly #login: Login | undefined
  readonly #hostKey: string
  readonly #run: Run
  readonly #discoveries: LoginParts['discoveries']
  /** Whether who is logged in has a page where others have the form, such as the front page of a site. */
  #isFormAPage = false
  /** Scripts of pages get 401 whoever is logged in: that says nothing. */
  #isDataRefused = false
  #running = 0
  #isClosed = false

  constructor(run: Run, parts: Pick<LoginParts, 'discoveries'> & { readonly own: OwnExchanges }) {
    this.#run = run
    this.#discoveries = parts.discoveries
    this.#own = parts.own
    const { login } = run.settings.spider
    this.#login = login && checkedLogin(login)
    this.#sessions = login === undefined ? new Set() : sessionsAhead(run.settings)
    this.#addresses = new LoginAddresses(this.#url, run.memories.core.loginPlaces)
    this.#hostKey = login === undefined ? '' : hostKeyOf(this.#url, run.settings.hostKeying)
    for (const [key, kept] of Object.entries(run.memories.core.logins ?? {})) this.#states.set(key, loginState(kept))
  }

  /** Whether one is in progress that is waited for. */
  get busy(): boolean {
    if (this.#running === 0 || this.#isClosed) return false
    return [...this.#states.values()].some((state) => state.isRunning && this.#waitsUntil(state) === undefined)
  }

  /** Nothing more begins: the next run logs in anew. */
  close(): void {
    this.#isClosed = true
  }

  /** Has the queue of `host` hold what must wait for its session. */
  guard(host: LiveHost): void {
    if (this.#login !== undefined) host.queue.gate ??= (request) => this.#gateOf(request)
  }

  /**
   * Requests in the queue of `host` whose sessions rest, where nothing else is in it: in the store they wait as well, and those of other sessions come. Not
   * where there is one session alone: nothing else would come.
   */
  putOff(host: LiveHost): readonly PendingUnit[] {
    if (this.#sessions.size < 2 || host.queue.held()?.isResting !== true) return []
    const until = (request: Leased): number | undefined => {
      const gate = this.#gateOf(request)
      return gate?.isResting === true ? gate.until : undefined
    }
    return host.queue
      .takeAll((request) => until(request) !== undefined)
      .map((request) => {
        host.unsettled++
        const at = until(request) ?? this.#now
        return outcomeOnly(host, requestOf(request), { kind: 'retry', at, counted: false, reason: LOGIN_AWAITED })
      })
  }

  /** What holds a request whose session is not in; undefined where it may go. */
  #gateOf({ hostKey, identity }: Pick<Leased, 'hostKey' | 'identity'>): Gate | undefined {
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
    if (!state.isRunning && !this.#needed.has(key)) this.#needed.set(key, { url: this.#url, session })
    const waitsUntil = this.#waitsUntil(state)
    if (waitsUntil !== undefined)
      return { until: waitsUntil, why: `${who} logs in, and waits for ${state.guest?.hostKey}`, isResting: true }
    return { until: now + LOOK_AGAIN_MS, why: `${who} logs in`, isResting: false }
  }

  /** Begins the logins that requests wait for. */
  begin(): void {
    const login = this.#login
    if (login === undefined || this.#needed.size === 0 || this.#isClosed) return
    for (const [key, place] of this.#needed) {
      this.#needed.delete(key)
      const state = this.#stateOf(key)
      if (state.isRunning || state.isIn) continue
      state.isRunning = true
      this.#running++
      const found = (way: readonly string[]): void => this.#addresses.found(way)
      const send: OwnExchanges['send'] = (request, own) => {
        state.guest = request
        this.#own.send(request, own)
      }
      const parts = { run: this.#run, login, own: { send }, discoveries: this.#discoveries, found }
      logIn(place, parts, (why) => this.#ended(key, why))
    }
  }

  /** `judged`, or, where the answer says that its session is logged out, that its request waits. */
  reviewed(exchange: LiveExchange, { response }: Closing, judged: Judgement): Judgement {
    const { request, leased } = exchange
    const key = this.#login && leased && this.#keyOf(request.hostKey, request.session)
    if (key === undefined || response === undefined) return judged
    // What is not modified has no body, and says nothing of the login.
    if (response.status === 304 || (isSpelledLike(request.url, this.#url) && judged.kind === 'redirect')) return judged
    // A policy may take what is forbidden for a ban, and have it wait: the page says whether its session has ended. Other trouble says nothing of that.
    const mayBeOut = judged.kind === 'retry' && this.#run.settings.blockedStatuses.has(response.status)
    if (judged.kind !== 'page' && judged.kind !== 'redirect' && judged.kind !== 'failed' && !mayBeOut) return judged
    const { pages, html, userAgent } = this.#run.settings
    const fetched = fetchedOf(exchange, this.#now, response)
    const page = (exchange.page = pages.of({ request, response, html, userAgent, fetchedAt: fetched.at }))
    return this.#judged(key, { exchange, page, fetched }) ?? judged
  }

  /** What becomes of a request whose answer says that its session is logged out; undefined where it does not. */
  #judged(
    key: string,
    { exchange, page, fetched }: { readonly exchange: LiveExchange; readonly page: Page; readonly fetched: Fetched },
  ): Judgement | undefined {
    const { request, admittedAt } = exchange
    const state = this.#stateOf(key)
    const isNews = state.isIn && admittedAt >= state.since
    const isForm = isSpelledLike(request.url, this.#url)
    if (!this.#isOut(page)) {
      this.#returned.forget(request.id)
      this.#isFormAPage ||= isForm
      if (isNews && page.response.status < 300) this.#addresses.used(request.url)
      if (isNews && page.response.status < 400) this.#good(key, state)
      return undefined
    }
    if (!isNews) return { kind: 'unsent' }
    const returned = this.#returned.again(request.id, state)
    if (page.response.unauthorized && !this.#isDataRefused && returned.count >= returnsOf(state)) {
      this.#isDataRefused = true
      this.#run.tally.problem(`data of ${request.url} ${DATA_REFUSED}`)
      return this.#judged(key, { exchange, page, fetched })
    }
    // A form that is there for everybody is no news. Where nobody knows yet, a new login tells.
    if (isForm && !this.#isFormAPage && (!state.isProven || returned.count > 1)) return undefined
    const isWorking = state.isProven || (state.hasBeenIn && state.failures === 0)
    if (returned.count >= returnsOf(state) && isWorking) {
      this.#returned.forget(request.id)
      const message = `${request.url} was logged out ${returned.count} times, also after new logins, while its session had other pages`
      const cause = failure('AVO_LOGGED_OUT', message, { sent: true })
      return { kind: 'failed', outcome: { kind: 'failed', reason: reasonOf(cause.code), failure: cause, fetched } }
    }
    const isFirst = state.isProven && returned.count === 1
    // Where nothing else is there to be asked, a new login says more than the same page once more.
    if (state.isProven || (returned.isRepeat && isWorking)) state.isIn = false
    else if (++state.outs >= toleratedPages(state)) this.#failed(key, `${request.url} ${LOGGED_OUT}`)
    this.#keep(key, state)
    if (isFirst) return { kind: 'unsent' }
    const at = Math.max(this.#now, state.restUntil) + BEHIND_MS
    return { kind: 'retry', outcome: { kind: 'retry', at, counted: false, reason: 'logged-out', fetched } }
  }

  #isOut(page: Page): boolean {
    const { status, headers, unauthorized = false } = page.response
    if (status === 401 || (unauthorized && !this.#isDataRefused)) return true
    const { url } = page.request
    if (status >= 300 && status < 400 && this.#addresses.leads(url, parseUrl(locationOf(headers), url))) return true
    try {
      return this.#login?.isLoggedOut(page) ?? false
    } catch (error) {
      this.#run.tally.problem(`isLoggedOut() of the login threw ${messageOf(error)}: the page is taken for one that is logged in`)
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
  #ended(key: string, why: string | undefined): void {
    const state = this.#stateOf(key)
    state.isRunning = false
    delete state.guest
    this.#running--
    if (why === undefined) {
      state.isIn = true
      state.isProven = false
      state.outs = 0
      state.logins++
      state.since = this.#now
    } else this.#failed(key, why)
    this.#keep(key, state)
    if (why !== undefined && !this.#isClosed) this.#save()
    this.#run.goOn()
  }

  #failed(key: string, why: string): void {
    const state = this.#stateOf(key)
    failedLogin(state, this.#now, this.#run.settings.secrets.inText(why))
    const { settings, tally } = this.#run
    const keepsCookies = settings.plugins.some(({ name }) => name === 'cookies')
    const { message, isProblem } = failedLoginMessage({ key, url: this.#url, failures: state.failures, why, keepsCookies })
    tally[isProblem ? 'problem' : 'notice'](message)
  }

  /** Epoch ms until which its login cannot continue; undefined where that is soon. */
  #waitsUntil({ guest }: LoginState): number | undefined {
    const until = guest === undefined ? 0 : this.#own.waitsUntil(guest)
    return until - this.#now > PARKED_MS ? until : undefined
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
    const { core } = this.#run.memories
    const kept = Object.entries(core.logins ?? {}).filter(([other]) => other !== key)
    if (this.#addresses.kept.length > 0) core.loginPlaces = this.#addresses.kept
    const own = { isIn, failures, restUntil, ...(hasBeenIn && { hasBeenIn }), ...(failed && { failed }) }
    core.logins = boundedLogins([...kept.slice(1 - MOST), [key, own]])
  }

  /** At once: no page may be committed before the next attempt, and a kill would shorten the pause. */
  #save(): void {
    const { memories, calls, settings } = this.#run
    const core = memories.changedCore() ?? {}
    calls.make('pause of a login', () => settings.frontier.note(core)).catch((error: unknown) => this.#run.fail(error))
  }

  get #url(): string {
    return this.#login?.url ?? ''
  }

  get #now(): number {
    return this.#run.settings.clock.now()
  }
}
