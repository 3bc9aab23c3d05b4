// A part of a crawl that is loaded when the crawl begins, so that a configuration that is only read loads neither an HTTP client nor a reader of HTML.
import { AvocetError } from '../values/errors.ts'

/** What `bring` brings, once. */
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
