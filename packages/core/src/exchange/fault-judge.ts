// Which failures count: those that are ours, or of a proxy, or may be, reach no plugin, and their requests go back.
import { FAILURES, type FailureCode } from '../values/errors.ts'
import { failure, reasonOf, type Failure } from '../ports/failure.ts'
import type { Clock } from '../ports/clock.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { LiveExchange } from './live-exchange.ts'
import type { NetworkGuard } from '../faults/network-guard.ts'
import { ProxyGuard } from '../faults/proxy-guard.ts'
import { Lost } from '../faults/trouble.ts'
import type { Pause } from '../store/pause.ts'
import type { Tally } from '../run/tally.ts'
import type { Verdict } from '../ports/exchange.ts'

/** A stale keep-alive socket is nobody's fault; the same page failing on so many is a closed connection. */
const MAX_STALE = 3
/** Share of the crawl's time that a failure of ours costs its host: those who are asked in vain go round. */
const TURN_MS = 1_000
/** How long hosts rest for a browser. */
const SHORTEST_REST_MS = 2_000
const LONGEST_REST_MS = 60_000
/** A required document for which the byte budget had no room is requested again after this. */
const REQUIRED_AGAIN_MS = 5_000

/** A page is lost with each, and the message says what to change. */
const TOLD: ReadonlySet<FailureCode> = new Set(['AVO_SECRET_UNKNOWN', 'AVO_BROWSER_MISSING', 'AVO_BROWSER_PAGE'])

/** Judges the failures of all exchanges. */
export class FaultJudge {
  readonly #network: NetworkGuard
  readonly #pause: Pause
  readonly #tally: Tally
  readonly #clock: Clock
  readonly #hosts: () => number
  readonly #proxies = new ProxyGuard()
  readonly #lost = new Lost()
  /** Epoch ms of the first page that the browser lost since it rendered one. */
  #browserLostAt: number | undefined
  /** By request, or by host for a required document. */
  readonly #stale = new WeakMap<object, number>()

  /** `hosts`: how many the crawl holds. */
  constructor(parts: { network: NetworkGuard; pause: Pause; tally: Tally; clock: Clock; hosts: () => number }) {
    this.#network = parts.network
    this.#pause = parts.pause
    this.#tally = parts.tally
    this.#clock = parts.clock
    this.#hosts = parts.hosts
  }

  /** The failure as it counts, with the host to blame if this machine is not; undefined = it does not count. */
  counted(run: LiveExchange, cause: Failure): Failure | undefined {
    const counts = this.#counted(run, cause)
    if (counts !== undefined) this.#lost.not()
    return counts
  }

  /** Why it is in vain to wait for proxies, or for a browser; undefined: it is not. */
  hopelessAt(now: number, patienceMs: number): string | undefined {
    return this.#lost.hopelessAt(now, patienceMs)
  }

  #counted(run: LiveExchange, cause: Failure): Failure | undefined {
    if (cause.code === 'AVO_STALE_SOCKET') return this.#isStale(run) ? undefined : theirs(cause, 'AVO_CLOSED_EARLY')
    const { host } = run
    const now = this.#clock.now()
    if (cause.code === 'AVO_BROWSER_GONE') return this.#withoutBrowser(host)
    if (cause.code === 'AVO_BROWSER_MISSING' && run.rendered) return this.#withoutBrowser(host, cause.message)
    if (TOLD.has(cause.code)) this.#tally.problem(cause.message)
    if (run.proxy !== undefined) {
      const said = this.#throughProxy(run, run.proxy, cause)
      if (said !== 'elsewhere') return said
    }
    const judgement = this.#network.judge({
      hostKey: host.key,
      code: cause.code,
      address: cause.address,
      answered: host.core.answered,
      isFailing: host.core.failedFor !== undefined,
      since: run.admittedAt,
      now,
      hosts: this.#hosts(),
    })
    if (cause.code === 'AVO_BODY_BUDGET') return this.#withoutRoom(run, cause)
    if (cause.code === 'AVO_FILE_UNWRITABLE') {
      this.#tally.problem(`bodies cannot be saved: their requests wait, and the crawl goes on (${cause.message})`)
      return cause
    }
    if (judgement.whose === 'host') return cause.blame === 'local' ? theirs(cause, 'AVO_CONNECT_FAILED') : cause
    if (judgement.whose === 'ours') this.#ours(host, judgement)
    else host.rest = { until: judgement.until, why: `failed with ${cause.code}, which may be this machine's own trouble` }
    return undefined
  }

  /** A host answered. */
  answered(run: LiveExchange): void {
    this.#pause.works()
    if (run.leased) this.#stale.delete(run.leased)
    if (run.rendered) this.#browserLostAt = undefined
    this.#lost.not()
    if (run.proxy !== undefined) this.#proxies.answered(run.proxyId ?? run.proxy, run.host.key, this.#clock.now())
    const secure = run.request.url.startsWith('https:')
    if (this.#network.received(run.host.key, { now: this.#clock.now(), secure })) this.#pause.lift()
  }

  /** The same for an exchange through a proxy; `elsewhere`: the proxy has nothing to do with it. */
  #throughProxy(run: LiveExchange, proxy: string, cause: Failure): Failure | undefined | 'elsewhere' {
    const { host } = run
    const now = this.#clock.now()
    const { code } = cause
    const judgement = this.#proxies.judge({
      proxy: run.proxyId ?? proxy,
      hostKey: host.key,
      code,
      since: run.admittedAt,
      now,
    })
    if (judgement.whose === 'elsewhere') return 'elsewhere'
    if (judgement.whose === 'host') return cause.blame === 'proxy' ? theirs(cause, 'AVO_CONNECT_FAILED') : cause
    const isProven = judgement.whose === 'proxy'
    host.rest = {
      until: judgement.until,
      why: `failed with ${code}, which ${isProven ? 'is' : 'may be'} the fault of proxy ${proxy}`,
    }
    run.proxyFailure = { failure: { ...cause, blame: 'proxy' }, at: now, isProven }
    if (!isProven) return undefined
    this.#lost.to('proxies', now)
    if (code === 'AVO_PROXY_AUTH') this.#lost.to('credentials', now)
    else this.#lost.not('credentials')
    host.virtualTime += TURN_MS
    this.#tally.problem(code === 'AVO_PROXY_AUTH' ? cause.message : brokenProxy(proxy, code))
    return undefined
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

  /**
   * A browser is ours: what is wrong with it is no reason to fail a page. While it is replaced, as by an upgrade, or lacks memory, every page that it is to
   * render fails alike, so a crawl that settled them would lose its whole queue in minutes. The host rests for as long as the trouble has lasted: a crash costs
   * it 2 s, and a browser that is not there for hours costs it one document a minute. `missing`: what it lacks to start.
   */
  #withoutBrowser(host: LiveHost, missing?: string): undefined {
    const now = this.#clock.now()
    this.#browserLostAt ??= now
    const restMs = Math.min(LONGEST_REST_MS, Math.max(SHORTEST_REST_MS, now - this.#browserLostAt))
    host.virtualTime += TURN_MS
    host.rest = {
      until: now + restMs,
      why:
        missing === undefined
          ? 'the browser crashed, or was closed; its pages wait for another one'
          : `no browser starts: ${missing}`,
    }
    if (missing !== undefined) this.#lost.to('browser', now)
    this.#tally.problem(
      missing === undefined ? CRASHED : `${missing}; the pages that it is to render wait, and no host is blamed`,
    )
    return undefined
  }

  #ours(host: LiveHost, { why, begins }: { readonly why: string; readonly begins: boolean }): void {
    host.virtualTime += TURN_MS
    if (begins) this.#tally.outage(why)
    this.#pause.fault(why)
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

const CRASHED = 'the browser crashed, or did not start: its pages are requested again, and no host is blamed'

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
