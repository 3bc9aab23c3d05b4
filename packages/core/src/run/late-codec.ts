// The codec of a crawl: none, until there is something to hide. Most crawls never load one.
//
// What the configuration and the store say is known as a run opens. A link, a seed or a request of an earlier run may bring the first header field to hide
// at any moment: each is looked at before it goes on, and waits for the codec.
import type { Codec } from '../ports/codec.ts'
import { failure } from '../ports/failure.ts'
import { messageOf, AvocetError } from '../values/errors.ts'
import { CREDENTIAL_FIELDS } from '../values/header-names.ts'
import { isHidden } from '../values/hidden.ts'

/** A part of a crawl that is loaded when the crawl begins: a configuration that is only read loads neither an HTTP client nor a reader of HTML. */
export class Late<Part> {
  /** Undefined until then. */
  loaded: Part | undefined
  readonly #bring: () => Promise<Part>
  #loading: Promise<Part> | undefined

  constructor(bring: () => Promise<Part>) {
    this.#bring = bring
  }

  /** Throws what bringing it throws, such as AVO_NODE_TOO_OLD. */
  async load(): Promise<Part> {
    return (this.loaded ??= await (this.#loading ??= this.#bring()))
  }

  get part(): Part {
    if (this.loaded === undefined) throw new AvocetError('AVO_INTERNAL', 'expected a part that is loaded, got a use of it before')
    return this.loaded
  }
}

/** Hides nothing. */
export const PLAIN: Codec = {
  names: [],
  learn: () => {},
  url: (url) => url,
  fields: (fields) => fields,
  text: (text) => text,
  failure: (failed) => failed,
  error: (error) => error,
  answer: (response) => response,
  kept: ({ response }) => response,
  credential: () => undefined,
  send: (outbound, receiver, fetcher) => fetcher.fetch(outbound, receiver),
}

/** Loaded with the first value to hide; rejects with AVO_CONFIG_CREDENTIALS. */
export class LateCodec extends Late<Codec> {
  get current(): Codec {
    return this.loaded ?? PLAIN
  }

  /** Whether it must be loaded before this link or seed becomes a request. What a handler puts into a link may be anything. */
  isMissingFor({ headers }: { readonly headers?: unknown }): boolean {
    const has = (name: string): boolean => CREDENTIAL_FIELDS.includes(name.toLowerCase())
    return this.loaded === undefined && headers instanceof Object && Object.keys(headers).some(has)
  }

  /** A text that somebody will read. */
  readonly text = (text: string): string => this.current.text(text)

  /** Sends a request, which may hold references of an earlier run. */
  readonly send: Codec['send'] = (outbound, receiver, fetcher) => {
    if (this.loaded !== undefined || !CREDENTIAL_FIELDS.some((name) => isHidden(outbound.headers[name])))
      return this.current.send(outbound, receiver, fetcher)
    let abort: (() => void) | undefined = () => {}
    const sent = this.load().then(() => (abort &&= this.current.send(outbound, receiver, fetcher)))
    void sent.catch((error: unknown) => abort && receiver.failed(failure('AVO_SECRET_UNKNOWN', messageOf(error))))
    return () => {
      abort?.()
      abort = undefined
    }
  }
}
