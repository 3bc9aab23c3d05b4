// Sends each request to whom it is for: what is to be rendered to the browser, all else over HTTP.
import type { Browser, BrowserSurroundings } from '../browser.ts'
import type { Fetcher } from '../fetcher.ts'

/** A fetcher over HTTP that leaves to `browser` what is to be rendered. */
export function renderingFetcher(browser: Browser, surroundings: BrowserSurroundings): Fetcher {
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
