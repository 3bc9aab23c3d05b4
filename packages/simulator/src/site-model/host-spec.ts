// The description of a host of a site model. All of it is plain JSON, so a model can be written to a file and shared.
import type { Ban, CapacityLaw, Change } from './capacity-law.ts'
import type { RateLimitFields } from './capacity.ts'

/** Time from the request to the response headers. Ms. */
export type LatencyLaw =
  /** Always `ms`. */
  | { readonly law: 'fixed'; readonly ms: number }
  /** Anything from `minMs` to `maxMs`, all equally likely. */
  | { readonly law: 'uniform'; readonly minMs: number; readonly maxMs: number }
  /** Mostly near `medianMs`, sometimes much longer. `spread` is the standard deviation of the logarithm: 0.5 puts 95 % within a factor 2.7 of the median. */
  | { readonly law: 'lognormal'; readonly medianMs: number; readonly spread: number }

/** How a host refuses requests above its capacity. */
export interface RefusalStyle {
  /** Of the refusals. */
  readonly status: 429 | 503
  /** Form of Retry-After; absent = no such field. */
  readonly retryAfter?: 'seconds' | 'date'
  /** Value of Retry-After. Default: until the capacity law would serve again, rounded up. */
  readonly retryAfterSeconds?: number
  /** Ms from a refused request to its response, or as long as serving it would take. Default 5. */
  readonly latencyMs?: number | 'as-served'
}

/**
 * How a host fails. `refuse`: connections are refused. `blackhole`: connecting never ends. `dns-not-found`: no such name. `dns-failed`: its name
 * server does not respond. `no-route`: the network is unreachable. `tls-certificate`: the certificate is for another name. `hang`: accepts the request
 * and never responds. `reset`: resets the connection instead of responding. `stall`: sends the headers, then nothing. `drip`: sends one byte of body
 * per second. `truncate`: closes after half of the body. `endless`: sends a body that never ends.
 */
export type DeathStyle =
  | 'refuse'
  | 'blackhole'
  | 'dns-not-found'
  | 'dns-failed'
  | 'no-route'
  | 'tls-certificate'
  | 'hang'
  | 'reset'
  | 'stall'
  | 'drip'
  | 'truncate'
  | 'endless'

/** A period in which a host is down. Ms since the web was started. */
export interface Outage {
  /** How it fails. */
  readonly style: DeathStyle
  /** Beginning. */
  readonly fromMs: number
  /** End. Default: never. */
  readonly untilMs?: number
}

/** A period in which pages are missing, or answer with something else, such as a page that blocks. Ms since the web was started. */
export interface MissingPages {
  /** Beginning. */
  readonly fromMs: number
  /** End. Default: never. */
  readonly untilMs?: number
  /** Default 404. */
  readonly status?: number
  /** HTML. Default: a page that says that it is gone. */
  readonly body?: string
  /** Only paths with this prefix. Default `/`: all paths. */
  readonly under?: string
}

/** A period in which every page redirects; robots.txt does not. Ms since the web was started. */
export interface Move {
  /** Beginning. */
  readonly fromMs: number
  /** End. Default: never. */
  readonly untilMs?: number
  /** Default 301. */
  readonly status?: 301 | 302 | 307 | 308
  /**
   * Another host of the model, where each page has the same path; or a path of this host, such as `/maintenance`, which has a page of its own during
   * the move.
   */
  readonly to: string
}

/** A period in which every request is refused, with a Retry-After until its end. Ms since the web was started. */
export interface Closure {
  /** Beginning. */
  readonly fromMs: number
  /** End. */
  readonly untilMs: number
  /** Default 503. */
  readonly status?: 429 | 503
  /** Form of Retry-After. Default `seconds`. */
  readonly retryAfter?: 'seconds' | 'date'
}

/** Down for a share of each period, from a moment of the period that the seed chooses. */
export interface Flapping {
  /** How it fails while it is down. */
  readonly style: DeathStyle
  /** Length of a period. */
  readonly periodMs: number
  /** Share of each period in which it is down. */
  readonly downRatio: number
}

/** Odd links on the first page of a site. Counts; default 0 each. */
export interface Extras {
  /** Pages that redirect (301, 302, 307, 308 in turn) to a page of the site. */
  readonly redirects?: number
  /** Broken links. */
  readonly missing?: number
  /** Documents that are not HTML: JSON, text and binary in turn. */
  readonly documents?: number
}

/** How the prices of a shop change. Product pages then carry a validator for conditional requests. */
export interface PriceChanges {
  /** Length of a round in ms, from the start of the web. Prices change between rounds only. */
  readonly everyMs: number
  /** Share of the prices that change in the next round. */
  readonly ratio: number
  /** Default `etag`. */
  readonly validator?: 'etag' | 'last-modified' | 'none'
}

/** The pages of a host. */
export type PagesSpec =
  /**
   * `pages` pages, each linking to `branching` children (default 8), its parent, and `crossLinks` others (default 2), with `textBytes` of text each (default
   * 1,000).
   */
  | {
      readonly kind: 'tree'
      readonly pages: number
      readonly branching?: number
      readonly crossLinks?: number
      readonly textBytes?: number
      readonly extras?: Extras
    }
  /** Categories (default 6) with `perPage` products a page (default 12), products with name, price and sku, a login, nofollow links. */
  | {
      readonly kind: 'shop'
      readonly products: number
      readonly categories?: number
      readonly perPage?: number
      readonly extras?: Extras
      /** How a product's page is written: in elements with classes (default), with itemprop attributes, or as JSON-LD. */
      readonly layout?: 'classes' | 'microdata' | 'json-ld'
      /** `sitemap`: no page links to another; /sitemap.xml is an index of a packed sitemap of all products. Default `links`. */
      readonly listedBy?: 'links' | 'sitemap'
      /** Default: they never change. */
      readonly prices?: PriceChanges
    }
  /** A list of quotes with author and tags, `perPage` a page (default 10). */
  | { readonly kind: 'quotes'; readonly quotes: number; readonly perPage?: number; readonly extras?: Extras }
  /** `pages` pages that nothing links to: all of them are seeds. Each has `textBytes` of text (default 500). */
  | { readonly kind: 'list'; readonly pages: number; readonly textBytes?: number }
  /** One page with a link of the class `shop` to each host in `lists`, from its `fromMs` on. */
  | { readonly kind: 'directory'; readonly lists: readonly { readonly host: string; readonly fromMs?: number }[] }
  /** `pages` pages, each linking to `branching` children (default 4) and its parent, byte for byte the same on every host. */
  | { readonly kind: 'plain'; readonly pages: number; readonly branching?: number }

/** A host: its pages, its latency, its capacity and its failures. */
export interface HostSpec {
  /** Such as `shop-007.test`. Unique in the model. */
  readonly name: string
  /** What it serves. */
  readonly pages: PagesSpec
  /** Default: fixed, 50 ms. */
  readonly latency?: LatencyLaw
  /** Factors on the latency, each from its moment on. In the order of `atMs`. */
  readonly latencyChanges?: readonly Change[]
  /** Default: no limit. */
  readonly capacity?: CapacityLaw
  /** Name of one of `sharedCapacities` that it has in place of its own, in the simulated web only. */
  readonly sharedCapacity?: string
  /** IP address that it answers from. Default: none, as through a proxy. */
  readonly address?: string
  /** Default: 429 without Retry-After, after 5 ms. */
  readonly refusal?: RefusalStyle
  /** Share of requests that are refused at random, whatever the rate. Default 0. */
  readonly refuseRatio?: number
  /** Bans a client that sends too many requests. Default: never. */
  readonly ban?: Ban
  /** Rate limit fields on every response. Only for laws with a quota (all but `servers`). Default: none. */
  readonly rateLimitFields?: RateLimitFields
  /** Down from the start, for good. */
  readonly death?: DeathStyle
  /** Periods in which it is down. Default: none. */
  readonly outages?: readonly Outage[]
  /** Goes down and comes back, again and again. Default: never. */
  readonly flapping?: Flapping
  /** Periods in which pages are missing. They take precedence over moves. */
  readonly missing?: readonly MissingPages[]
  /** Periods in which every page redirects. */
  readonly moves?: readonly Move[]
  /** Periods in which every request is refused. */
  readonly closures?: readonly Closure[]
  /** Throughput of bodies. Default: the body arrives with the headers. */
  readonly bytesPerSecond?: number
  /** The response to /robots.txt: `body` (default: empty) with `status` (default 200). Default: 404. */
  readonly robots?: { readonly body?: string; readonly status?: number }
}

/**
 * A period in which the client's own network fails, in the simulated web only. Ms since the web was started. `unreachable` and
 * `no-route`: connecting fails at once with AVO_NETWORK_DOWN or AVO_UNREACHABLE. `blackhole`: connecting takes until the end of
 * it. `certificate`: new connections over https fail with AVO_TLS_CERTIFICATE.
 */
export interface ClientOutage {
  /** How it fails. */
  readonly style: 'unreachable' | 'no-route' | 'blackhole' | 'certificate'
  /** Beginning. */
  readonly fromMs: number
  /** End. */
  readonly untilMs: number
}

/**
 * A whole model. The same seed gives the same web: every page, every latency.
 *
 * @example Two shops, one of which limits its clients and is down for two minutes, and a tree of pages on a slow host:
 * ```json
 * {
 *   "seed": "two-shops",
 *   "hosts": [
 *     {
 *       "name": "north.test",
 *       "pages": { "kind": "shop", "products": 60, "categories": 3, "layout": "json-ld", "extras": { "redirects": 2, "missing": 1 } },
 *       "latency": { "law": "lognormal", "medianMs": 120, "spread": 0.5 },
 *       "capacity": { "law": "bucket", "perSecond": 2, "burst": 10 },
 *       "refusal": { "status": 429, "retryAfter": "seconds" },
 *       "outages": [{ "style": "refuse", "fromMs": 20000, "untilMs": 140000 }],
 *       "robots": { "body": "User-agent: *\nDisallow: /login\n" }
 *     },
 *     { "name": "east.test", "pages": { "kind": "shop", "products": 20 } },
 *     { "name": "tree.test", "pages": { "kind": "tree", "pages": 100 }, "latency": { "law": "uniform", "minMs": 500, "maxMs": 3000 } }
 *   ]
 * }
 * ```
 */
export interface ModelSpec {
  /** Of all chance in the model. Any text. */
  readonly seed: string
  /** At least one, each with a name of its own. */
  readonly hosts: readonly HostSpec[]
  /** What hosts can take together, such as shops of one platform, by name. Default: none. */
  readonly sharedCapacities?: Readonly<Record<string, CapacityLaw>>
  /** In the order of `fromMs`. Default: none. */
  readonly clientOutages?: readonly ClientOutage[]
  /** Order of all seeds: host by host, or mixed. Default `clustered`. */
  readonly seedOrder?: 'clustered' | 'shuffled'
}
