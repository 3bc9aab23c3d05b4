// Sends booked exchanges: plugins have their say (`beforeRequest`), what goes along with the request is put together, and the fetcher has it. In one tick,
// unless a plugin takes time, or a name is still being looked up.
import type { Discoveries } from '../discovery/discovery.ts'
import type { Failure } from '../failure.ts'
import type { Outbound } from '../fetcher.ts'
import { isTapped } from '../hooks/hooks.ts'
import { OpenSending } from '../hooks/sending.ts'
import { conditionsOf } from '../recrawl/recrawl.ts'
import type { Run } from '../run/run.ts'
import { detourRights } from './detours.ts'
import type { Headers } from './headers.ts'
import type { LiveExchange } from './live-exchange.ts'
import { awaiting } from './outcome.ts'
import { prepare } from './prepare.ts'
import type { PrivateRights } from './private-rights.ts'

/** Of a required document: what a host's memory can keep of it (RFC 9309 §2.5 asks for 500 KiB). */
const REQUIRED_BYTES = 512 * 1024

/** What says where requests may go, and with what. */
export interface SendRights {
  readonly headers: Headers
  readonly privateRights: PrivateRights
  readonly discoveries: Pick<Discoveries, 'refusalInPlace'>
}

/** Sends them. */
export class Sender {
  readonly #run: Run
  readonly #rights: SendRights

  constructor(run: Run, rights: SendRights) {
    this.#run = run
    this.#rights = rights
  }

  /** Sends an exchange; it ends by itself. */
  send(exchange: LiveExchange): void {
    const { hooks, settings } = this.#run
    if (exchange.refused) return exchange.failed(exchange.refused)
    if (!isTapped(hooks.beforeRequest)) return this.#withRights(exchange, this.#headersOf(exchange))
    const sending = new OpenSending(exchange, settings.clock.now(), this.#headersOf(exchange))
    const prepared = prepare(sending, { hooks, clock: settings.clock })
    if (prepared instanceof Promise) void prepared.then((wrong) => this.#prepared(exchange, sending, wrong))
    else this.#prepared(exchange, sending, prepared)
  }

  #headersOf({ request }: LiveExchange): Record<string, string> {
    return { ...this.#rights.headers.for(request.url), ...conditionsOf(request), ...request.headers }
  }

  /** `wrong`: a plugin threw, took too long, or contradicts another. */
  #prepared(exchange: LiveExchange, { served, verdict, headers }: OpenSending, wrong: Failure | undefined): void {
    if (exchange.isOver) return
    if (wrong) exchange.failed(wrong)
    else if (verdict.kind !== 'accept') exchange.putOff(verdict)
    else if (served) exchange.serve(served)
    else this.#withRights(exchange, headers)
  }

  #withRights(exchange: LiveExchange, headers: Readonly<Record<string, string>>): void {
    const allowed = this.#rights.privateRights.of(exchange.request)
    if (typeof allowed === 'boolean') return this.#fetch(exchange, headers, allowed)
    void allowed.then((found) => {
      if (!exchange.isOver) this.#fetch(exchange, headers, found)
    })
  }

  #fetch(exchange: LiveExchange, headers: Readonly<Record<string, string>>, privateAllowed: boolean): void {
    const { url, method, body } = exchange.request
    const some = { ...(body !== undefined && { body }), ...(exchange.required && { keepBytes: REQUIRED_BYTES }) }
    const outbound: Outbound = { url, method, headers, limits: exchange.limits, privateAllowed, ...some }
    const abort = this.#run.settings.fetcher.fetch(outbound, exchange, {
      memory: exchange.host.core,
      rights: (to) => detourRights(exchange, to, { ...this.#run, ...this.#rights }),
      putOff: (at) => exchange.putOff(awaiting(at)),
      begins: (struggled) => (exchange.struggled = struggled),
    })
    exchange.underWay(abort)
  }
}
