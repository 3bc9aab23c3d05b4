// A request on its way out: collects the headers that plugins want, the proxy, and their reasons not to send it.
import { isDeepStrictEqual } from 'node:util'
import type { BodySaver } from '../ports/fetcher.ts'
import { messageOf } from '../values/errors.ts'
import type { Exchange } from '../ports/exchange.ts'
import { failure, type Failure } from '../ports/failure.ts'
import type { OutgoingRequest } from '../ports/plugin.ts'
import { checkField, checkMoment, checkProxy, checkResponse, checkSaver, checkWord } from '../checks/plugin-answer.ts'
import type { ProxyServer } from '../values/proxy-server.ts'
import type { Response } from '../ports/response.ts'
import { Collector } from './collector.ts'
import { LoudestVote } from './votes.ts'

/** The collector behind `beforeRequest`. */
export class OutgoingRequestCollector extends Collector implements OutgoingRequest {
  readonly exchange: Exchange
  readonly now: number
  readonly loudest: LoudestVote = new LoudestVote()
  served: Response | undefined
  failure: Failure | undefined
  readonly given: Readonly<Record<string, string>>
  proxy: ProxyServer | undefined
  #proxyBy = ''
  /** Who takes the body, and its plugin. */
  saver: { readonly save: BodySaver; readonly by: string } | undefined
  readonly #maySave: boolean
  readonly headers: Record<string, string>
  readonly #setBy = new Map<string, string>()

  /** `maySave`: whether its body may be saved. */
  constructor(
    exchange: Exchange,
    {
      now,
      headers,
      maySave = false,
    }: { readonly now: number; readonly headers: Readonly<Record<string, string>>; readonly maySave?: boolean },
  ) {
    super()
    this.exchange = exchange
    this.now = now
    this.#maySave = maySave
    this.given = headers
    this.headers = { ...headers }
  }

  setHeader(name: string, value: string): void {
    checkField(name, value)
    const field = name.toLowerCase()
    const other = this.#setBy.get(field)
    if (other !== undefined && other !== this.speaker && this.headers[field] !== value) {
      const [first, second] = [other, this.speaker].sort()
      this.failure = failure(
        'AVO_PLUGIN_CONFLICT',
        `plugins ${first} and ${second} want different values of the header ${field}: let one of them go`,
      )
      return
    }
    this.#setBy.set(field, this.speaker)
    this.headers[field] = value
  }

  setProxy(url: string): void {
    const proxy = checkProxy(url)
    if (this.proxy === undefined || this.#proxyBy === this.speaker) {
      this.proxy = proxy
      this.#proxyBy = this.speaker
    } else if (!isDeepStrictEqual(this.proxy, proxy)) {
      const [first, second] = [this.#proxyBy, this.speaker].sort()
      this.failure = failure('AVO_PLUGIN_CONFLICT', `plugins ${first} and ${second} want different proxies: let one of them go`)
    }
  }

  drop(reason: string): void {
    checkWord('drop(reason)', reason)
    this.loudest.add({ kind: 'drop', reason }, this.speaker)
  }

  retry(at: number, reason: string): void {
    checkMoment('retry(at, reason)', at)
    checkWord('retry(at, reason)', reason)
    this.loudest.add({ kind: 'retry', at, counted: false, reason }, this.speaker)
  }

  serve(response: Response): void {
    checkResponse(response)
    this.served ??= { ...response, served: true }
  }

  save(saver: BodySaver): void {
    checkSaver(saver, this.#maySave)
    if (this.saver === undefined || this.saver.by === this.speaker) this.saver = { save: saver, by: this.speaker }
    else {
      const [first, second] = [this.saver.by, this.speaker].sort()
      this.failure = failure(
        'AVO_PLUGIN_CONFLICT',
        `plugins ${first} and ${second} want to save the same body: let one of them go`,
      )
    }
  }

  /** A plugin threw: the exchange is not sent. */
  threw(plugin: string, hook: string, error: unknown): void {
    this.failure ??= failure('AVO_PLUGIN_THREW', `plugin ${plugin} threw in ${hook}: ${messageOf(error)}`)
  }
}
