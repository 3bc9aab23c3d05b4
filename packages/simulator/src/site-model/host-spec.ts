// The words in which a host of a site model is described. All of it is plain JSON, so a model can be written to a file and sent about.
import type { Ban, CapacityLaw, Change } from './capacity-law.ts'
import type { RateLimitFields } from './rate-limit-fields.ts'

/** How long a host takes from the request to the headers. Ms. */
export type LatencyLaw =
  | { readonly law: 'fixed'; readonly ms: number }
  | { readonly law: 'uniform'; readonly minMs: number; readonly maxMs: number }
  /** `spread` is the standard deviation of the logarithm: 0.5 puts 95 % within a factor 2.7 of the median. */
  | { readonly law: 'lognormal'; readonly medianMs: number; readonly spread: number }

/** How a host refuses. */
export interface RefusalStyle {
  readonly status: 429 | 503
  /** Form of Retry-After; absent = no such field. */
  readonly retryAfter?: 'seconds' | 'date'
  /** What Retry-After says. Default: until the capacity law would serve again, rounded up. */
  readonly retryAfterSeconds?: number
  /** Ms from a refused request to its answer, or as long as serving it would take. Default 5. */
  readonly latencyMs?: number | 'as-served'
}

/**
 * How a host fails. `refuse`: nobody listens. `blackhole`: connecting never ends. `dns-not-found`: no such name. `dns-failed`: its name server
 * gives no answer (on the rough web: as `dns-not-found`). `no-route`: no network leads there. `tls-certificate`: a certificate for somebody else
 * (both are resets on the rough web, which has neither routers nor TLS). `hang`: takes the request and never answers. `reset`: resets the
 * connection instead of answering. `stall`: headers, and then nothing. `drip`: one byte of body a second. `truncate`: half of the body, then
 * the end. `endless`: a body that never ends.
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

/** A time in which a host is dead. Ms since the web was started; `untilMs` absent = for good. */
export interface Outage {
  readonly style: DeathStyle
  readonly fromMs: number
  readonly untilMs?: number
}

/** A time in which pages are not found, whatever is there. Ms since the web was started; `untilMs` absent = for good. */
export interface MissingPages {
  readonly fromMs: number
  readonly untilMs?: number
  /** Default 404. */
  readonly status?: 404 | 410
  /** Paths that begin so. Default `/`: all of them. */
  readonly under?: string
}

/** A time in which every page redirects. robots.txt stays. Ms since the web was started; `untilMs` absent = for good. */
export interface Move {
  readonly fromMs: number
  readonly untilMs?: number
  /** Default 301. */
  readonly status?: 301 | 302 | 307 | 308
  /**
   * Another host of the model, where each page is under the same path; or a path of this host (`/maintenance`), where during the move there is a
   * page that says so.
   */
  readonly to: string
}

/** A time in which everything is refused, with a Retry-After that names the end of it. Ms since the web was started. */
export interface Closure {
  readonly fromMs: number
  readonly untilMs: number
  /** Default 503. */
  readonly status?: 429 | 503
  /** Form of Retry-After. Default `seconds`. */
  readonly retryAfter?: 'seconds' | 'date'
}

/** Dead for a share of each period, beginning at a moment of the period that the seed chooses. */
export interface Flapping {
  readonly style: DeathStyle
  readonly periodMs: number
  readonly downRatio: number
}

/** Odd things linked from the first page of a site. Counts; default 0 each. */
export interface Extras {
  /** Pages that redirect (301, 302, 307, 308 in turn) to a page of the site. */
  readonly redirects?: number
  /** Links to what does not exist. */
  readonly missing?: number
  /** What is not HTML: JSON, text and binary in turn. */
  readonly documents?: number
}

/** How the prices of a shop change. With them each page of a product says by what to ask whether it changed. */
export interface PriceChanges {
  /** Length of a round, from the start of the web: within one nothing changes. Ms. */
  readonly everyMs: number
  /** Share of the prices that are others in the next round. */
  readonly ratio: number
  /** Default `etag`. */
  readonly validator?: 'etag' | 'last-modified' | 'none'
}

/** What stands on a host. */
export type PagesSpec =
  /** `pages` pages, each linking to `branching` children (default 8), its parent, and `crossLinks` others (default 2). */
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
      /** Default: they stay. */
      readonly prices?: PriceChanges
    }
  /** A list of quotes with author and tags, `perPage` a page (default 10). */
  | { readonly kind: 'quotes'; readonly quotes: number; readonly perPage?: number; readonly extras?: Extras }
  /** `pages` pages that nothing links to: all of them are seeds. */
  | { readonly kind: 'list'; readonly pages: number; readonly textBytes?: number }
  /** One page with a link of the class `shop` to each host of the model in `lists` whose time has come. */
  | { readonly kind: 'directory'; readonly lists: readonly { readonly host: string; readonly fromMs?: number }[] }
  /** `pages` pages, each linking to `branching` children (default 4) and its parent, byte for byte the same on every host. */
  | { readonly kind: 'plain'; readonly pages: number; readonly branching?: number }

/** A host: what it has, how quick it is, how much it takes, how it fails. */
export interface HostSpec {
  /** Such as `shop-007.test`. Unique in the model. */
  readonly name: string
  readonly pages: PagesSpec
  /** Default: fixed, 50 ms. */
  readonly latency?: LatencyLaw
  /** The latency times a factor, from a moment on. In the order of `atMs`. */
  readonly latencyChanges?: readonly Change[]
  /** Default: no limit. */
  readonly capacity?: CapacityLaw
  /** Default: 429 without Retry-After, after 5 ms. */
  readonly refusal?: RefusalStyle
  /** Share of the requests that are refused whatever the rate, by chance. Default 0. */
  readonly refuseRatio?: number
  /** Turns away for a time whoever asks too much. Default: never. */
  readonly ban?: Ban
  /** Form in which it says its limits, on every answer. Only for laws with a quota (all but `servers`). Default: it does not. */
  readonly rateLimitFields?: RateLimitFields
  /** Dead from the beginning and for good. */
  readonly death?: DeathStyle
  readonly outages?: readonly Outage[]
  readonly flapping?: Flapping
  /** Times in which pages are not found. Before moves. */
  readonly missing?: readonly MissingPages[]
  /** Times in which every page redirects. */
  readonly moves?: readonly Move[]
  /** Times in which everything is refused until they are over. */
  readonly closures?: readonly Closure[]
  /** Throughput of bodies. Default: they come with the headers. */
  readonly bytesPerSecond?: number
  /** What stands at /robots.txt: `body` (default: nothing) under `status` (default 200). Default: 404. */
  readonly robots?: { readonly body?: string; readonly status?: number }
}

/**
 * A time in which something is wrong with the client itself, in the simulated web only. Ms since the web was started. `unreachable`: connecting
 * fails at once with AVO_NETWORK_DOWN. `no-route`: the same with AVO_UNREACHABLE, as of a machine without a default route. `blackhole`:
 * connecting takes until the end of it. `certificate`: new connections over https fail with AVO_TLS_CERTIFICATE, as behind a captive portal or
 * with a wrong clock. Answers under way come when it is over, except with `certificate`, which holds nothing back.
 */
export interface ClientOutage {
  readonly style: 'unreachable' | 'no-route' | 'blackhole' | 'certificate'
  readonly fromMs: number
  readonly untilMs: number
}

/** A whole model. */
export interface ModelSpec {
  readonly seed: string
  readonly hosts: readonly HostSpec[]
  /** In the order of `fromMs`. Default: none. */
  readonly clientOutages?: readonly ClientOutage[]
  /** Order of all seeds: the hosts one after the other, or mixed. Default `clustered`. */
  readonly seedOrder?: 'clustered' | 'shuffled'
}
