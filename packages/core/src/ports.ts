// The parts of a crawl that core does not bring. The package `avocet` composes them.
import type { ByteBudget } from './byte-budget.ts'
import type { Clock } from './clock.ts'
import type { Fetcher, SizeLimits } from './fetcher.ts'
import type { Frontier } from './frontier.ts'
import type { PageOf } from './page.ts'

/** What an HTTP client is made with. */
export interface FetcherWish {
  readonly clock: Clock
  /** Memory for all bodies: the handlers of the crawl count on it as well. */
  readonly bodyBudget: ByteBudget
  readonly limits: SizeLimits
  readonly resolver?: 'dns' | 'system'
  readonly nameServers?: readonly string[]
}

/** What a crawl is made of where its configuration names nothing else. */
export interface Ports {
  /** A store that is empty. */
  frontier(): Frontier
  /** An HTTP client, made when the crawl begins. Rejects with AVO_NODE_TOO_OLD or AVO_CONFIG_INVALID. */
  fetcher(wish: FetcherWish): Promise<Fetcher>
  /** What makes pages of responses, loaded when the crawl begins. */
  pages(): Promise<PageOf>
}
