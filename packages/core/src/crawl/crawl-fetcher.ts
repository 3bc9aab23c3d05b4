// What a crawl fetches with: the fetcher that it was given or that of its ports, with a browser where there is one.
import type { Fetcher } from '../ports/fetcher.ts'
import { DEFAULTS, limitsOf, type CrawlConfig } from '../ports/config.ts'
import type { Ports } from '../ports/ports.ts'
import type { Settings } from '../run/settings.ts'

/** The parts of the crawl that it works with. */
type FetcherParts = Pick<Settings, 'clock' | 'bodyBudgetBytes'> & { readonly ports: Ports }

/** The fetcher of a crawl: pages that are to be rendered go to the browser. `config` has been checked. */
export async function crawlFetcher<Item>(config: CrawlConfig<Item>, parts: FetcherParts): Promise<Fetcher> {
  const { clock, bodyBudgetBytes, ports } = parts
  const { browser, resolver, nameServers } = config
  const limits = limitsOf(DEFAULTS.sizeLimits, config.sizeLimits)
  const wish = { clock, bodyBudgetBytes, limits, ...(resolver && { resolver }), ...(nameServers && { nameServers }) }
  const http = config.fetcher ?? (await ports.fetcher(wish))
  return browser?.({ http, clock, limits }) ?? http
}
