// Port: fetches pages with a browser, for those that build themselves by script. Implemented by @avocet/fetcher-browser; core knows only when to ask it.
import type { Clock } from './clock.ts'
import type { Fetcher, SizeLimits } from './fetcher.ts'

/** What the browser gets of the crawl. */
export interface BrowserSurroundings {
  /** Fetches everything else. The browser opens its connections by it, and counts its bodies in the same budget. */
  readonly http: Fetcher
  readonly clock: Clock
  readonly limits: SizeLimits
}

/** Pages that a browser fetches: in the configuration of a crawl, `browser: browser({ rules: […] })`. */
export interface Browser {
  /** How many pages it has at once, at most. Hosts whose next page is to be rendered wait meanwhile, without a slot. */
  readonly maxPages: number
  /** Whether its rules want the page at `url` rendered. What a link says with `render` counts without them. */
  renders(url: string): boolean
  /** A fetcher of rendered pages. Starts nothing before the first of them; `close` ends the browser. Throws AVO_BROWSER_MISSING where there is none. */
  fetcherIn(surroundings: BrowserSurroundings): Fetcher
}
