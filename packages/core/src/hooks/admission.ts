// Asks all plugins what holds a host, and joins their answers: the latest moment, the smallest number in flight, given up by any.
//
// max, min and any are commutative, associative and idempotent: the order of plugins cannot matter, and a missing plugin is the identity
// (0, Infinity, not given up). One collector serves all questions of a crawl, so that asking allocates nothing but the answer.
import { AvocetError, messageOf } from '../values/errors.ts'
import type { HostView } from '../ports/exchange.ts'
import type { Admission } from '../ports/plugin.ts'
import { checkWord, notAnswer } from '../ports/plugin-answer.ts'
import { wantedProblem } from '../ports/wanted-problem.ts'
import { parseUrl } from '../url/parse-url.ts'
import { synchronous } from '../values/options.ts'
import type { Hold } from '../ports/report.ts'
import { sessionOf } from '../ports/identity.ts'
import type { RequiredRequest, Requirement, TakeDocument } from '../ports/document-handler.ts'
import type { Fetcher } from '../ports/fetcher.ts'
import type { Constraint, LiveHost } from '../hosts/live-host.ts'
import { requestOf } from '../hosts/request-of.ts'
import { Collector } from './collector.ts'
import { trace, type CrawlHooks } from './hooks.ts'
import { isUntilResumed, OPERATOR } from '../ports/frontier-reader.ts'

/** How long a host rests after a plugin threw while it was asked: it may have a reason to hold the host that it could not say. */
const AFTER_THROW_MS = 60_000

/** When a host that waits for the browser is asked again. */
const BROWSER_MS = 100

/** Whom it asks, and who hears of what holds a host: the hooks of a crawl. A host at rest is asked about without a crawl. */
interface Asked extends Partial<Pick<CrawlHooks, 'onTrace'>> {
  readonly admit: { call(ask: Admission): void }
}

/** The collector behind `admit`. */
export class AdmissionCollector extends Collector implements Admission {
  #host: LiveHost | undefined
  now = 0
  #readyAt = 0
  #readyBy = ''
  #readyWhy = ''
  #givenUpBy = ''
  #givenUpFor = ''
  #atMost = Infinity
  #mostBy = ''
  #mostWhy = ''
  #paces = Infinity
  #required: (Requirement & { readonly takers: Map<string, TakeDocument> }) | undefined
  readonly #hooks: Asked
  readonly #rendering: Fetcher['rendering']

  /** `rendering`: of the fetcher. */
  constructor(hooks: Asked, rendering?: Fetcher['rendering']) {
    super()
    this.#hooks = hooks
    this.#rendering = rendering
  }

  /** The host in question. */
  get host(): HostView {
    if (this.#host === undefined) throw new AvocetError('AVO_INTERNAL', 'expected admit to be asked about a host')
    return this.#host
  }

  /** URL of the request that would go next. */
  get nextUrl(): string | undefined {
    return this.#host?.queue.peek(this.now)?.url
  }

  /** Its session. */
  get nextSession(): string | undefined {
    return sessionOf(this.#host?.queue.peek(this.now)?.identity)
  }

  get delayFrom(): number {
    return this.#host?.delayFrom(this.now) ?? 0
  }

  get probing(): boolean {
    return this.#host?.probing !== undefined
  }

  /** What holds `host` at `now`. Writes nothing. */
  ask(host: LiveHost, now: number): Constraint {
    this.#host = host
    this.now = now
    this.speaker = 'core'
    this.#readyAt = 0
    this.#atMost = Infinity
    this.#paces = Infinity
    this.#readyBy = this.#givenUpBy = this.#mostBy = ''
    this.#required = undefined
    if (host.probing !== undefined) this.atMost(1, 'given up: one request, to see whether it is back')
    else if (!host.proven) this.atMost(1, 'never answered with a success yet')
    else if (host.consecutiveFailures >= 2) this.atMost(1, `failed ${host.consecutiveFailures} times in a row`)
    if (host.rest.until > now) this.notBefore(host.rest.until, host.rest.why)
    this.#bound(host)
    this.#awaitBrowser(host)
    this.#hooks.admit.call(this)
    const answer = this.#answer(now, host.inFlight)
    const { hold } = answer
    const { onTrace } = this.#hooks
    if (onTrace && !isSame(hold, host.constraint.hold))
      trace({ onTrace }, 'held', () => ({ at: now, hostKey: host.key, ...(hold && { hold }) }))
    return answer
  }

  /** What the host asked for, and the limits of the user: they hold under every rate policy. */
  #bound(host: LiveHost): void {
    const { options, evenStartAt, core, pausedUntil } = host
    const { askedUntil = 0 } = core
    if (pausedUntil > this.now) this.#pausedUntil(pausedUntil)
    const { delayMs = 0, maxInFlight = Infinity, maxRps = Infinity } = options
    if (askedUntil > this.now) this.#rest(askedUntil, 'the host said until when to wait')
    if (delayMs > 0 && this.delayFrom > 0) this.notBefore(this.delayFrom + delayMs, 'delay')
    if (maxRps < Infinity && evenStartAt > 0) this.notBefore(evenStartAt + 1_000 / maxRps, `at most ${maxRps} requests a second`)
    if (maxInFlight < Infinity) this.atMost(maxInFlight, `${maxInFlight} at a time`)
  }

  /** An operator said so: no plugin, and no part of core. */
  #pausedUntil(until: number): void {
    const { speaker } = this
    this.speaker = OPERATOR
    this.#rest(until, 'paused')
    this.speaker = speaker
  }

  /** Nothing is begun before `until`, and what is booked and not sent yet is taken back. */
  #rest(until: number, why: string): void {
    this.notBefore(until, why)
    this.atMost(0, why)
  }

  /** A host whose next request is to be rendered waits until the browser has room for a page more. */
  #awaitBrowser({ queue }: LiveHost): void {
    const pages = this.#rendering?.fullAt
    if (pages === undefined) return
    const next = queue.peek(this.now)
    if (next !== undefined && this.#rendering?.wants(requestOf(next)) === true)
      this.notBefore(this.now + BROWSER_MS, `the browser has ${pages} pages`)
  }

  #answer(now: number, inFlight: number): Constraint {
    const readyAt = this.#givenUpBy === '' ? this.#readyAt : Infinity
    return { readyAt, atMost: this.#atMost, pacedRps: this.#paces, hold: this.#hold(now, inFlight), required: this.#required }
  }

  #hold(now: number, inFlight: number): Hold | undefined {
    if (this.#givenUpBy !== '') return { by: this.#givenUpBy, why: this.#givenUpFor, until: Infinity }
    if (this.#readyAt > now) return { by: this.#readyBy, why: this.#readyWhy, until: momentOf(this.#readyAt) }
    return inFlight >= this.#atMost ? { by: this.#mostBy, why: this.#mostWhy, until: Infinity } : undefined
  }

  notBefore(at: number, why: string): void {
    // Among equals the alphabetically first plugin is named, in any order of the array.
    if (typeof at !== 'number' || Number.isNaN(at)) throw notAnswer('notBefore(at, why)', 'a moment (epoch ms)', at)
    if (at < this.#readyAt) return
    if (at === this.#readyAt && this.#readyBy !== '' && this.#readyBy <= this.speaker) return
    this.#readyAt = at
    this.#readyBy = this.speaker
    this.#readyWhy = why
  }

  giveUp(reason: string): void {
    checkWord('giveUp(reason)', reason)
    if (this.#givenUpBy !== '' && this.#givenUpBy <= this.speaker) return
    this.#givenUpBy = this.speaker
    this.#givenUpFor = reason
  }

  atMost(n: number, why: string): void {
    if (typeof n !== 'number' || !(n >= 0)) throw notAnswer('atMost(n, why)', 'a number of at least 0', n)
    if (n > this.#atMost) return
    if (n === this.#atMost && this.#mostBy !== '' && this.#mostBy <= this.speaker) return
    this.#atMost = n
    this.#mostBy = this.speaker
    this.#mostWhy = why
  }

  paces(rps: number): void {
    if (typeof rps !== 'number' || !(rps >= 0)) throw notAnswer('paces(rps)', 'requests a second', rps)
    this.#paces = Math.min(this.#paces, rps)
  }

  require(wish: string | RequiredRequest, take: TakeDocument): void {
    const [url, own] = typeof wish === 'object' ? [wish.url, wish] : [wish]
    checkRequire(wish, take)
    const before = this.#required
    const isKind = (before?.own === undefined) === (own === undefined)
    // A document, such as a robots.txt, goes before other requests: it may say how long to wait between them.
    if (before === undefined || (isKind ? url < before.url : own === undefined))
      this.#required = { url, ...(own && { own }), takers: new Map([[this.speaker, take]]) }
    else if (isKind && own === undefined && url === before.url) before.takers.set(this.speaker, take)
  }

  threw(_plugin: string, _hook: string, error: unknown): void {
    this.notBefore(this.now + AFTER_THROW_MS, `threw in admit: ${messageOf(error)}`)
  }
}

/** One that comes for nobody is no moment to show. */
function momentOf(at: number): number {
  return isUntilResumed(at) ? Infinity : at
}

function isSame(a: Hold | undefined, b: Hold | undefined): boolean {
  return a?.until === b?.until && a?.by === b?.by && a?.why === b?.why
}

/** Throws unless `wish` can be sent, and `take` takes what comes. */
function checkRequire(wish: string | RequiredRequest, take: unknown): void {
  const own = typeof wish === 'object' ? wish : undefined
  const url: unknown = own?.url ?? wish
  if (typeof url !== 'string' || parseUrl(url) === undefined) throw notAnswer('require(url, take)', 'an http(s) URL', url)
  const problem = (own && wantedProblem(own)) ?? synchronous.problem(take, 'take')
  if (problem !== undefined) throw new AvocetError('AVO_PLUGIN_INVALID', `require(url, take): ${problem}`)
}
