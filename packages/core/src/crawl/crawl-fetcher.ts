// What a crawl fetches with: the fetcher that it was given or one over sockets, with a browser where there is one, and with the secrets put in.
import type { ByteBudget } from '../byte-budget.ts'
import type { Clock } from '../clock.ts'
import { limitsOf } from '../config-rules.ts'
import { DEFAULT_SIZE_LIMITS, type CrawlConfig } from '../config.ts'
import type { Fetcher } from '../fetcher.ts'
import { renderingFetcher } from '../http/rendering-fetcher.ts'
import { fetcherWithin } from '../http/undici-fetcher.ts'
import { SecretRenewal, type RenewalParts } from '../secret-renewal/secret-renewal.ts'
import { secretFetcher, type SecretFetcher } from '../secrets/secret-fetcher.ts'

/** What the configuration says of it; it has been checked. */
type FetcherConfig = Pick<CrawlConfig, 'fetcher' | 'browser' | 'sizeLimits' | 'resolver' | 'nameServers'>

/** The parts of the crawl that it works with. */
interface FetcherParts extends RenewalParts {
  readonly clock: Clock
  readonly bodyBudget: ByteBudget
}

/** The fetcher of a crawl: requests hold references, and pages that are to be rendered go to the browser. */
export function crawlFetcher(config: FetcherConfig, parts: FetcherParts): SecretFetcher {
  const { clock, secrets } = parts
  const limits = limitsOf(DEFAULT_SIZE_LIMITS, config.sizeLimits)
  const http = config.fetcher ?? socketFetcher(config, parts)
  const fetcher = config.browser === undefined ? http : renderingFetcher(config.browser, { http, clock, limits })
  return secretFetcher(fetcher, secrets, new SecretRenewal(parts))
}

function socketFetcher({ sizeLimits, resolver, nameServers }: FetcherConfig, { clock, bodyBudget }: FetcherParts): Fetcher {
  const limits = limitsOf(DEFAULT_SIZE_LIMITS, sizeLimits)
  return fetcherWithin(bodyBudget, { clock, limits, ...(resolver && { resolver }), ...(nameServers && { nameServers }) })
}
