// Which failures count: those that are ours, or of a proxy, or may be, reach no plugin, and their requests go back.
import { FAILURES, type FailureCode } from '../values/errors.ts'
import { failure, reasonOf, type Failure } from '../ports/failure.ts'
import type { Clock } from '../ports/clock.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { LiveExchange } from './live-exchange.ts'
import { Evidence, type Judged } from '../faults/evidence.ts'
import { saysUp } from '../scheduler/retirements.ts'
import type { Pause } from '../run/pause.ts'
import type { Tally } from '../run/tally.ts'
import type { Verdict } from '../ports/exchange.ts'
import { formatDuration } from '../values/duration-text.ts'

/** A stale keep-alive socket is nobody's fault; the same page failing on so many is a closed connection. */
const MAX_STALE = 3
/** Share of the crawl's time that a failure of ours costs its host: those who are asked in vain go round. */
const TURN_MS = 1_000
/** What may come back by itself is waited for so long at least. */
const HOUR_MS = 3_600_000
/** A required document for which the byte budget had no room is requested again after this. */
const REQUIRED_AGAIN_MS = 5_000

/** A page is lost with each, and the message says what to change. */
const TOLD: ReadonlySet<FailureCode> = new Set(['AVO_SECRET_UNKNOWN', 'AVO_BROWSER_MISSING', 'AVO_BROWSER_PAGE'])
/** Only a person can end these. */
const TO_MEND: ReadonlySet<FailureCode> = new Set(['AVO_PROXY_AUTH', 'AVO_BROWSER_GONE'])

const NO_NETWORK =
  'many hosts stopped responding at once: the network of this machine seems to be down; the crawl pauses until something is received'
const BAD_CERTIFICATES =
  "certificates of many hosts failed at once: a captive portal, or this machine's clock is wrong? Their requests wait, and no host is blamed"

/** Judges the failures of all exchanges. */
export class FaultJudge {
  readonly #evidence = new Evidence()
  readonly #pause: Pause
  readonly #tally: Tally
  readonly #clock: Clock
  readonly #hosts: () => number
  /** Since when all that ends is lost to a proxy or a browser, epoch ms, and the last reason; `toMend`: no reason was one that ends by itself. */
  #lost: { readonly since: number; readonly why: string; readonly toMend: boolean } | undefined
  /** By request, or by host for a required document. */
  readonly #stale = new WeakMap<object, number>()

  /** `hosts`: how many the crawl holds. */
  constructor(parts: { pause: Pause; tally: Tally; clock: Clock; hosts: () => number }) {
    this.#pause = parts.pause
    this.#tally = parts.tally
    this.#clock = parts.clock
    this.#hosts = parts.hosts
  }

  /** The failure as it counts, with the host to blame if this machine is not; undefined = it does not count. */
  counted(run: LiveExchange, cause: Failure): Failure | undefined {
    const counts = this.#counted(run, cause)
    if (counts !== undefined) this.#lost = undefined
    return counts
  }

  /** Why it is in vain to wait for proxies, or for a browser; undefined: it is not. */
  hopelessAt(now: number, patienceMs: number): string | undefined {
    if (this.#lost === undefined) return undefined
    const { since, why, toMend } = this.#lost
    const enoughMs = toMend ? patienceMs : Math.max(HOUR_MS, patienceMs)
    return now - since < enoughMs ? undefined : `all that is left has waited for ${formatDuration(now - since)}: ${why}`
  }

  #counted(run: LiveExchange, cause: Failure): Failure | undefined {
    const { host, proxy, leased } = run
    const { code } = cause
    if (code === 'AVO_STALE_SOCKET') return this.#isStale(run) ? undefined : theirs(cause, 'AVO_CLOSED_EARLY')
    // A seed is of the user's own hosts; what others link to is refused without a word.
    if (TOLD.has(code) || (code === 'AVO_ADDRESS_REFUSED' && leased?.depth === 0)) this.#tally.problem(cause.message)
    const now = this.#clock.now()
    const judged = this.#evidence.judge({
      hostKey: host.key,
      code,
      isUp: saysUp(cause) === true,
      answered: host.core.answered,
      isFailing: host.core.failedFor !== undefined,
      since: run.admittedAt,
      now,
      hosts: this.#hosts(),
      proxy: proxy && (run.proxyId ?? proxy),
    })
    if (code === 'AVO_BODY_BUDGET') return this.#withoutRoom(run, cause)
    if (code === 'AVO_FILE_UNWRITABLE') {
      this.#tally.problem(`bodies cannot be saved: their requests wait, and the crawl goes on (${cause.message})`)
      return cause
    }
    if (judged.whose === 'host')
      return cause.blame === 'local' || cause.blame === 'proxy' ? theirs(cause, 'AVO_CONNECT_FAILED') : cause
    const isProven = judged.whose === 'ours'
    const ofProxy = judged.kind === 'proxy' || cause.blame === 'proxy'
    if (ofProxy) run.proxyFailure = { failure: { ...cause, blame: 'proxy' }, at: now, isProven }
    if (isProven && this.#holdsAll(run, cause, judged)) return undefined
    const whose = ofProxy ? `the fault of proxy ${proxy}` : "this machine's own trouble"
    host.rest = { until: judged.until, why: `failed with ${code}, which ${isProven ? 'is' : 'may be'} ${whose}` }
    return undefined
  }

  /** Reports trouble that is proven. Returns whether it holds the whole crawl. */
  #holdsAll({ host, proxy, proxyFailure }: LiveExchange, { code, message }: Failure, { kind, ...judged }: Judged): boolean {
    const begins = judged.whose === 'ours' && judged.begins
    host.virtualTime += TURN_MS
    if (kind === 'proxy' || kind === 'certain') {
      const why = code === 'AVO_PROXY_AUTH' || !proxy || !proxyFailure ? message : brokenProxy(proxy, code)
      this.#tally.problem(why)
      const { since = this.#clock.now(), toMend = true } = this.#lost ?? {}
      this.#lost = { since, why, toMend: toMend && TO_MEND.has(code) }
      return false
    }
    const device = `this machine cannot open connections (${code}); the crawl rests until it can`
    const why = kind === 'certificate' ? BAD_CERTIFICATES : kind === 'machine' ? device : NO_NETWORK
    if (begins) this.#tally.outage(why)
    this.#pause.fault(why)
    return true
  }

  /** A host answered at `now`. */
  answered(run: LiveExchange, now: number): void {
    const { host, request, leased, proxy } = run
    this.#pause.works()
    if (leased) this.#stale.delete(leased)
    this.#lost = undefined
    const isSecure = request.url.startsWith('https:')
    const ofProxy = proxy && (run.proxyId ?? proxy)
    if (this.#evidence.received(host.key, { now, isSecure, proxy: ofProxy })) this.#pause.lift()
  }

  /** Nobody's fault. What a plugin requires is requested again as if it had not been, after `REQUIRED_AGAIN_MS`. */
  #withoutRoom({ host, required }: LiveExchange, cause: Failure): Failure | undefined {
    this.#tally.problem(
      lacksRoom(cause)
        ? 'response bodies exceeded bodyBudgetBytes: the largest were dropped and will be requested again; raise bodyBudgetBytes or lower concurrency'
        : 'pages that exceed bodyBudgetBytes on their own failed (body-budget); raise bodyBudgetBytes to fetch them',
    )
    if (!required || !lacksRoom(cause)) return cause
    host.rest = { until: this.#clock.now() + REQUIRED_AGAIN_MS, why: 'no room in memory for the body of a required document' }
    return undefined
  }

  /** Whether a stale socket is still an excuse for this request. */
  #isStale({ leased, host }: LiveExchange): boolean {
    const whose = leased ?? host
    const times = (this.#stale.get(whose) ?? 0) + 1
    if (times <= MAX_STALE) this.#stale.set(whose, times)
    else this.#stale.delete(whose)
    return times <= MAX_STALE
  }
}

/** Of one proxy and code always the same sentence. */
function brokenProxy(proxy: string, code: FailureCode): string {
  return `proxy ${proxy} does not work: ${FAILURES[code].summary} (${code}); its requests wait and no host is blamed: check the proxy, or use another`
}

/** A failure that looked like ours, as one of the only host that has it. */
function theirs({ code, message, ...details }: Failure, as: 'AVO_CLOSED_EARLY' | 'AVO_CONNECT_FAILED'): Failure {
  return failure(as, `${FAILURES[as].summary} (${code}, and only there: ${message})`, { ...details, blame: FAILURES[as].blame })
}

/** What a failure says of its host. One that sent what cannot be read has answered: that ends a row of its failures, as any answer does. */
export function noteFailure({ core }: LiveHost, { code }: Failure, isUp: boolean | undefined): void {
  if (isUp === false) {
    core.consecutiveFailures++
    core.failedFor = reasonOf(code)
  }
  if (isUp !== true) return
  core.answered = true
  core.consecutiveFailures = 0
  core.failedFor = undefined
}

/** A page that found no room waits alone: what is downloaded only to be thrown away costs its host as much as a page that is kept. */
const FIRST_ROOM_MS = 5_000
const LONGEST_ROOM_MS = 600_000

/** Whether this failure says that there was no room in memory, or on disk, now. One that would never have room is the page's own. */
export function lacksRoom({ code, blame }: Failure): boolean {
  return (code === 'AVO_BODY_BUDGET' || code === 'AVO_FILE_UNWRITABLE') && blame === 'local'
}

/**
 * When a page for whose body there was no room at `now` (`code`) is requested again: uncounted, for it is nobody's fault, and no plugin need vote for it.
 * Plugins hear of the exchange as a failure of ours, for the host was asked and has answered, so its pace goes on as after any other.
 */
export function againLater(exchange: LiveExchange, code: FailureCode, now: number): Verdict {
  const { freeAttempts } = exchange.request
  const delayMs = Math.min(LONGEST_ROOM_MS, FIRST_ROOM_MS * 2 ** freeAttempts) * (0.75 + exchange.random('body-budget') / 2)
  return { kind: 'retry', at: now + delayMs, counted: false, reason: reasonOf(code) }
}
