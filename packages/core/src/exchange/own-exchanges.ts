// Exchanges of the crawl's own, such as robots.txt and logins: in RAM only, known to no frontier, seen by no handler.
//
// They take a slot, a pace, a breaker and timeouts of the host at which they are booked, wherever their URL is. One that is sent to a host is its guest: it
// goes ahead of the host's own requests, and holds no slot while the host must wait, for as long as that is.
import type { Failure } from '../ports/failure.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { Request } from '../ports/request.ts'
import type { Response } from '../ports/response.ts'
import { COST } from '../process/loop-budget.ts'
import type { Run } from '../run/run.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Window } from '../scheduler/window.ts'
import type { ExchangeEnd, LiveExchange } from './live-exchange.ts'

/** What becomes of a request: one of the two, once. The caller places the host. */
export interface OwnRequest {
  ended(result: Response | Failure): void
  /** It was not sent; a plugin put it off until then, epoch ms; 0: none did. */
  unsent(until: number, why: string): void
}

/** Sends them. */
export class OwnExchanges {
  readonly #own = new WeakMap<Request, OwnRequest>()
  readonly #run: Run
  readonly #scheduler: Scheduler
  readonly #window: Window
  /** Answers that wait for a turn of the event loop. */
  unread = 0

  constructor(run: Run, scheduler: Scheduler, window: Window) {
    this.#run = run
    this.#scheduler = scheduler
    this.#window = window
  }

  /** Requests `request` as soon as `host` may be asked; `isNext`: it continues what has begun, and goes before what has not. */
  send(host: LiveHost, request: Request, { isNext, ...own }: OwnRequest & { readonly isNext: boolean }): void {
    if (!host.live || host.retiring !== undefined) return own.unsent(0, '')
    this.begins(request, own)
    if (isNext) host.guests.unshift(request)
    else host.guests.push(request)
    this.#place(host)
    this.#run.goOn()
  }

  /** `request` is about to be requested. */
  begins(request: Request, own: OwnRequest): void {
    this.#own.set(request, own)
  }

  /**
   * Takes the result of an exchange. The caller places its host. Who needs it reads it in one go: megabytes do not all have the same turn of the event loop,
   * and nothing is begun at a host whose answer waits for one.
   */
  ended({ host, request }: LiveExchange, result: Response | Failure): void {
    const { loop } = this.#run.settings
    const cost = 'body' in result ? COST.required * result.body.byteLength : 0
    if (loop.take(cost)) return this.#own.get(request)?.ended(result)
    this.unread++
    host.unread++
    void loop.room(cost).then(() => {
      this.unread--
      host.unread--
      this.#own.get(request)?.ended(result)
      this.#place(host)
      this.#run.goOn()
    })
  }

  /** An exchange was not sent. */
  unsent({ request }: LiveExchange, end: ExchangeEnd): void {
    const { at, reason } = end.kind === 'put-off' && end.verdict.kind === 'retry' ? end.verdict : { at: 0, reason: '' }
    this.#own.get(request)?.unsent(at, reason)
  }

  /** `host` is given up or lost: its guests do not get what they came for. */
  gone(host: LiveHost): void {
    for (const request of host.guests.splice(0)) this.#own.get(request)?.unsent(0, '')
  }

  #place(host: LiveHost): void {
    this.#scheduler.place(host)
    this.#window.review(host)
  }
}
