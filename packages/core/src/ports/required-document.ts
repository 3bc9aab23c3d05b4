// A document that a plugin must see before anything else is requested from a host, as its `onRequired` gets it.
import type { HostView } from './exchange.ts'
import type { Failure } from './failure.ts'
import type { Response } from './response.ts'
import type { Seed } from './seed.ts'

/** A document that a plugin required: an answer, or what went wrong. Redirects (≤ 5) were followed. */
export interface RequiredDocument {
  /** Name of the plugin that required it: only that plugin's `onRequired` is called. */
  readonly plugin: string
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
  /** Adds a URL to the crawl, in the same commit as this plugin's memory: a crash loses neither. At most 1,000 in one call of the hook. */
  add(seed: Seed): void
}
