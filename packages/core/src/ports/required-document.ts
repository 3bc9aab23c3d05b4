// A document that a plugin must see before anything else is requested from a host, as what took it in `require` gets it.
import type { HostView } from './exchange.ts'
import type { Failure } from './failure.ts'
import type { Response } from './response.ts'
import type { Seed } from './seed.ts'

/** A document that a plugin required: an answer, or what went wrong. Redirects (≤ 5) were followed. */
export interface RequiredDocument {
  /** The host that it was required for. */
  readonly host: HostView
  /** As it was required. */
  readonly url: string
  /** Epoch ms. */
  readonly now: number
  /** A number in [0, 1), another for each host and attempt: for when to ask again. */
  readonly chance: number
  /** The response, of whatever status, or the failure. */
  readonly result:
    | { readonly kind: 'answered'; readonly response: Response }
    | { readonly kind: 'failed'; readonly failure: Failure }
  /** Adds a URL to the crawl, in the same commit as this plugin's memory: a crash loses neither. At most 1,000 of one document. */
  add(seed: Seed): void
}

/** Takes a document that was required. */
export type TakeDocument = (document: RequiredDocument) => void

/** A document that plugins require: what takes it, by the name of the plugin. */
export interface Requirement {
  /** As it was required. */
  readonly url: string
  readonly takers: ReadonlyMap<string, TakeDocument>
}
