// A request on its way out: collects the headers that plugins want, the proxy, and their reasons not to send it.
import type { BodySaver, ProxyServer } from '../ports/fetcher.ts'
import { messageOf } from '../values/errors.ts'
import type { Exchange } from '../ports/exchange.ts'
import { failure, type Failure } from '../ports/failure.ts'
import type { OutgoingRequest } from '../ports/plugin.ts'
import { checkField, checkMoment, checkResponse, checkWord, notAnswer } from '../ports/plugin-answer.ts'
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
  /** Who takes the body, and its plugin. */
  saver: { readonly save: BodySaver; readonly by: string } | undefined
  readonly #maySave: boolean
  readonly headers: Record<string, string>
  /** What plugins have set, and which one. */
  readonly #claimed = new Map<string, { readonly by: string; readonly wanted: string | BodySaver }>()

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
    if (this.#claims(`values of the header ${field}`, value)) this.headers[field] = value
  }

  setProxy(proxy: ProxyServer): void {
    if (this.#claims('proxies', JSON.stringify(proxy))) this.proxy = proxy
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
    if (!this.#maySave) throw notAnswer('save()', 'a request of a document handler of a plugin', saver)
    if (this.#claims('savers of its body', saver)) this.saver = { save: saver, by: this.speaker }
  }

  /** Whether the speaker may set it: the exchange fails where another plugin wants a different one. */
  #claims(what: string, wanted: string | BodySaver): boolean {
    const claim = this.#claimed.get(what)
    const isFree = claim === undefined || claim.by === this.speaker
    if (isFree) this.#claimed.set(what, { by: this.speaker, wanted })
    else if (claim.wanted !== wanted) {
      const [first, second] = [claim.by, this.speaker].sort()
      this.failure = failure('AVO_PLUGIN_CONFLICT', `plugins ${first} and ${second} want different ${what}: let one of them go`)
    }
    return isFree
  }

  /** A plugin threw: the exchange is not sent. */
  threw(plugin: string, hook: string, error: unknown): void {
    this.failure ??= failure('AVO_PLUGIN_THREW', `plugin ${plugin} threw in ${hook}: ${messageOf(error)}`)
  }
}
