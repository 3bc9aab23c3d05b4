// What a crawl fetches with: the fetcher that it was given or that of its ports, with a browser where there is one, and with the secrets put in.
import type { Browser, BrowserSurroundings, Fetcher } from '../ports/fetcher.ts'
import type { Clock } from '../ports/clock.ts'
import { limitsOf } from '../checks/config-rules.ts'
import { DEFAULTS, type CrawlConfig } from '../ports/config.ts'
import type { Ports } from '../ports/ports.ts'
import { secretFetcher } from '../secrets/secret-fetcher.ts'
import type { Secrets } from '../secrets/secrets.ts'

/** What the configuration says of it; it has been checked. */
type FetcherConfig = Pick<CrawlConfig, 'fetcher' | 'browser' | 'sizeLimits' | 'resolver' | 'nameServers'>

/** The parts of the crawl that it works with. */
interface FetcherParts {
  readonly clock: Clock
  readonly bodyBudgetBytes: number
  readonly secrets: Secrets
  readonly ports: Ports
}

/** The fetcher of a crawl: requests hold references, and pages that are to be rendered go to the browser. */
export async function crawlFetcher(config: FetcherConfig, parts: FetcherParts): Promise<Fetcher> {
  const { clock, secrets, bodyBudgetBytes, ports } = parts
  const { browser, resolver, nameServers } = config
  const limits = limitsOf(DEFAULTS.sizeLimits, config.sizeLimits)
  const wish = { clock, bodyBudgetBytes, limits, ...(resolver && { resolver }), ...(nameServers && { nameServers }) }
  const http = config.fetcher ?? (await ports.fetcher(wish))
  const fetcher = browser === undefined ? http : renderingFetcher(browser, { http, clock, limits })
  return secretFetcher(fetcher, secrets)
}

/** A fetcher over HTTP that leaves to `browser` what is to be rendered. */
function renderingFetcher(browser: Browser, surroundings: BrowserSurroundings): Fetcher {
  const { http } = surroundings
  const rendered = browser.fetcherIn(surroundings)
  return {
    ...http,
    fetch: (outbound, receiver) => (outbound.render ? rendered : http).fetch(outbound, receiver),
    close: async () => {
      // What the browser has open ends before the names and the budget that it uses.
      await rendered.close()
      await http.close()
    },
  }
}
