// Books and sends exchanges: the slot is taken and the plugins book (`onAdmit`), they have their say on the request (`beforeRequest`), what goes along with it
// is put together, and the fetcher has it. In one tick, unless a plugin takes time.
import type { BodySaver, Outbound, ProxyServer } from '../ports/fetcher.ts'
import { messageOf } from '../values/errors.ts'
import { failure, type Failure } from '../ports/failure.ts'
import { CREDENTIAL_FIELDS } from '../values/header-names.ts'
import { isTapped, trace, type CrawlHooks } from '../hooks/hooks.ts'
import { OutgoingRequestCollector } from '../hooks/outgoing-request.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { Conditions, conditionsOf } from '../run/conditional.ts'
import type { Leased, Request } from '../ports/request.ts'
import type { Run } from '../run/run.ts'
import { HIDDEN_VALUE, isHidden } from '../values/hidden.ts'
import type { Slots } from '../scheduler/slots.ts'
import type { Spider } from '../ports/spider.ts'
import { guardedSaver } from './guarded-saver.ts'
import type { Headers } from './headers.ts'
import { hidingAnswers, sentOf } from './hidden-parts.ts'
import { LiveExchange, type ExchangeEnd } from './live-exchange.ts'
import { traced } from '../ports/trace.ts'
import type { PrivateRights } from './private-rights.ts'
import type { Clock } from '../ports/clock.ts'
import { formatDuration } from '../values/duration-text.ts'
import { hasBadPort } from '../url/scope.ts'

/** Of a required document: what a host's memory can keep of it (RFC 9309 §2.5 asks for 500 KiB). */
const REQUIRED_BYTES = 512 * 1024

const NO_BROWSER =
  'expected a browser, for a link or a seed has render, got none; add browser: browser() of @avocet/fetcher-browser to the configuration'

/** At most so much of a late start is made up for, or a busy process would never reach the rate that it is allowed. A rest gives no credit. */
const SLACK_MS = 50
/** A slot is held meanwhile. */
const PREPARE_MS = 30_000
const TOO_LATE = `beforeRequest did not finish within ${formatDuration(PREPARE_MS)}; find the plugin that waits, or let it wait without a slot (outgoing.retry)`

/** What says where requests may go, and with what. */
export interface SendRights {
  readonly headers: Headers
  readonly privateRights: PrivateRights
  meets(request: Request): void
}

/** What is to be requested. */
export interface WantedExchange {
  readonly host: LiveHost
  readonly request: Request
  readonly leased?: Leased | undefined
}

/** What the plugins made of a request. */
interface Prepared {
  readonly headers: Readonly<Record<string, string>>
  readonly proxy?: ProxyServer | undefined
  /** Takes the body. */
  readonly save?: BodySaver
}

/** Sends them. */
export class Sender {
  readonly conditions: Conditions = new Conditions()
  readonly #run: Run
  readonly #slots: Slots
  readonly #rights: SendRights
  readonly #accepts: (status: number) => boolean

  constructor(run: Run, slots: Slots, rights: SendRights) {
    this.#run = run
    this.#slots = slots
    this.#rights = rights
    this.#accepts = acceptsOf(run.settings.spider, run.tally.problem)
  }

  /** Begins an exchange, which ends by itself, once; `leased`: its request as the frontier handed it out, absent for a required document. */
  begin(wanted: WantedExchange, ended: (exchange: LiveExchange, end: ExchangeEnd) => void): void {
    if (wanted.leased) this.#rights.meets(wanted.request)
    this.#send(this.#book(wanted, ended))
  }

  #book({ host, request, leased }: WantedExchange, ended: (exchange: LiveExchange, end: ExchangeEnd) => void): LiveExchange {
    const { hooks, settings } = this.#run
    const ofDocument = settings.documents.get(request.handler)?.accepts
    const accepts = ofDocument ? (status: number) => ofDocument.includes(status) || this.#accepts(status) : this.#accepts
    const exchange = new LiveExchange({ host, request, leased, accepts, ended, run: this.#run })
    const { admittedAt } = exchange
    host.exchanges.add(exchange)
    if (leased) host.unsettled++
    exchange.previousStartAt = host.core.lastStartAt
    exchange.previousEvenStartAt = host.evenStartAt
    host.evenStartAt = evenStart(host, admittedAt)
    host.core.lastStartAt = admittedAt
    host.virtualTime += Math.max(1, host.core.lastDurationMs)
    this.#slots.take(exchange.onProbation)
    trace(hooks, 'booked', () => ({ at: admittedAt, exchange: traced(exchange) }))
    hooks.onAdmit.call(exchange)
    return exchange
  }

  #send(exchange: LiveExchange): void {
    const { hooks, settings } = this.#run
    // A tap that stops the crawl has ended it already.
    if (exchange.isOver) return
    if (exchange.refused) return exchange.failed(exchange.refused)
    if (!isTapped(hooks.beforeRequest)) return this.#fetch(exchange, { headers: this.#headersOf(exchange) })
    const { required, request } = exchange
    const maySave = !required && settings.documents.has(request.handler)
    const outgoing = new OutgoingRequestCollector(exchange, {
      now: exchange.admittedAt,
      headers: this.#headersOf(exchange),
      maySave,
    })
    const prepared = prepare(outgoing, { hooks, clock: settings.clock })
    if (prepared instanceof Promise) void prepared.then((wrong) => this.#prepared(exchange, outgoing, wrong))
    else this.#prepared(exchange, outgoing, prepared)
  }

  #headersOf({ request }: LiveExchange): Record<string, string> {
    return { ...this.#rights.headers.for(request.url, request.session), ...conditionsOf(request), ...request.headers }
  }

  /** `wrong`: a plugin threw, took too long, or contradicts another. */
  #prepared(exchange: LiveExchange, outgoing: OutgoingRequestCollector, wrong: Failure | undefined): void {
    const { served, headers, proxy, saver } = outgoing
    const { verdict, by } = outgoing.loudest
    if (exchange.isOver) return
    if (wrong) exchange.failed(wrong)
    else if (verdict.kind !== 'accept') exchange.putOff(verdict, by)
    else if (served) exchange.serve(served)
    else if (saver) {
      const save = guardedSaver(saver.save, {
        by: saver.by,
        readsPages: this.#run.settings.plugins.some(({ readsPages }) => readsPages === true),
      })
      exchange.saves = true
      this.#fetch(exchange, { headers: { ...headers, ...save.headers }, proxy, save })
    } else this.#fetch(exchange, { headers, proxy })
  }

  #fetch(exchange: LiveExchange, { headers, proxy, save }: Prepared): void {
    const { hooks, settings } = this.#run
    const { limits, request } = exchange
    // Plugins took time.
    if (!this.#run.tenure.holds) return exchange.recall()
    if (proxy !== undefined) exchange.goThrough(proxy)
    // Copies: what listens decides nothing.
    trace(hooks, 'begun', () => ({
      at: settings.clock.now(),
      exchange: traced(exchange),
      headers: shownOf(headers, settings.headers),
      limits: { ...limits },
    }))
    const { method, render, session } = request
    const { url, body, fields } = sentOf(request, headers)
    // What is leased has passed the scope, which refuses them.
    if (exchange.required && hasBadPort(url))
      return exchange.failed(failure('AVO_PORT_REFUSED', 'no crawl connects to a port that is not for HTTP'))
    if (render !== undefined && settings.fetcher.part.rendering === undefined)
      return exchange.failed(failure('AVO_BROWSER_MISSING', NO_BROWSER))
    const { maxBytes } = settings.documents.get(request.handler) ?? {}
    const outbound: Outbound = {
      url,
      method,
      headers: fields,
      body,
      keepBytes: exchange.required ? REQUIRED_BYTES : maxBytes,
      maxBodyBytes: maxBytes,
      save,
      render: render === undefined ? undefined : true,
      session,
      limits,
      ...this.#rights.privateRights.of(request),
      proxy,
    }
    const abort = settings.codec.send(outbound, hidingAnswers(request, exchange), settings.fetcher.part)
    exchange.underWay(abort)
  }
}

/** A copy without what plugins sent to say who asks, such as the cookies of a session: the fields of the crawl are the user's own. */
function shownOf(headers: Readonly<Record<string, string>>, own: Readonly<Record<string, string>>): Record<string, string> {
  const shown = { ...headers }
  for (const name of CREDENTIAL_FIELDS) {
    const value = shown[name]
    if (value !== undefined && value !== own[name] && !isHidden(value)) shown[name] = HIDDEN_VALUE
  }
  return shown
}

/** Which statuses are pages, as the spider says; where it throws, the default, and the report says so. */
function acceptsOf({ name, accepts }: Spider, problem: (message: string) => void): (status: number) => boolean {
  return (status) => {
    try {
      if (accepts) return accepts(status)
    } catch (error) {
      problem(`accepts(${status}) of spider ${name} threw ${messageOf(error)}: taken for 200 to 299`)
    }
    return status >= 200 && status < 300
  }
}

/** When a request that starts `now` would have started, had all requests of `host` started evenly; epoch ms. */
function evenStart({ options, evenStartAt }: LiveHost, now: number): number {
  const intervalMs = 1_000 / (options.maxRps ?? Infinity)
  const even = evenStartAt + intervalMs
  return even > now - Math.min(SLACK_MS, intervalMs / 2) ? even : now
}

/** Asks the plugins. Gives what went wrong; a promise of it where a plugin answers with a promise: then, and only then, there is something to wait for. */
function prepare(
  outgoing: OutgoingRequestCollector,
  { hooks, clock }: { readonly hooks: Pick<CrawlHooks, 'beforeRequest'>; readonly clock: Clock },
): Failure | undefined | Promise<Failure | undefined> {
  let isDone = false
  let done = (): void => void (isDone = true)
  hooks.beforeRequest.callAsync(outgoing, () => done())
  if (isDone) return outgoing.failure
  return new Promise((resolve) => {
    const deadline = clock.at(clock.now() + PREPARE_MS, () => resolve(failure('AVO_PLUGIN_TIMEOUT', TOO_LATE)))
    const hold = clock.hold(`beforeRequest of ${outgoing.exchange.request.url}`)
    done = () => {
      for (const each of [hold, deadline]) each[Symbol.dispose]()
      resolve(outgoing.failure)
    }
  })
}
