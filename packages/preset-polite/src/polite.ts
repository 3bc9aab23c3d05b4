// Five policies with their defaults: what a crawl of sites that belong to others should do unless told better.
import type { Plugin } from '@avocet/core'

/** What may be said otherwise. */
export interface PoliteOptions {
  /** The one of the crawl: its first word is the name that robots.txt files know us by. Default `avocet`. */
  readonly userAgent?: string
  /** For sites of one's own: robots.txt is not even asked for. Default false. */
  readonly ignoreRobots?: boolean
  /** Requests per second at one host, at most. */
  readonly maxRps?: number
  /** `false`: core's fixed spacing (`delayMs`, `maxPerHost`) in place of a learned rate. */
  readonly rate?: false
}

/** The five policies. */
export function polite(_options: PoliteOptions = {}): readonly Plugin[] {
  return []
}
