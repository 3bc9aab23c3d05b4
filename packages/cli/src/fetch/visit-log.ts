// What happened while one page was asked for: every exchange in order, robots.txt and redirects among them, and how its request was settled.
import {
  headerOf,
  type Clock,
  type Crawl,
  type Failure,
  type Fetcher,
  type Hold,
  type Outcome,
  type Request,
  type Response,
  type TimeLimits,
} from '@avocet/core'

/** One exchange. */
export interface Hop {
  readonly request: Request
  /** A document that a plugin wanted first, such as robots.txt. */
  readonly required: boolean
  /** As they were sent; absent when a plugin answered. */
  readonly sentHeaders?: Readonly<Record<string, string>>
  readonly limits: TimeLimits
  readonly end:
    | { readonly kind: 'answered'; readonly response: Response }
    | { readonly kind: 'failed'; readonly failure: Failure }
}

/** Where a hop led, if it is a redirect that is followed. RFC 9110 §15.4; 300 and 304 are not. */
export function redirectOf({ end }: Hop): string | undefined {
  if (end.kind === 'failed' || ![301, 302, 303, 307, 308].includes(end.response.status)) return undefined
  return headerOf(end.response.headers, 'location')
}

/** Whether it is a document that a plugin wants first (robots.txt), and that cannot be had now: waiting for it is a crawl's business. */
export function lacksDocument({ required, end }: Hop): boolean {
  return required && (end.kind === 'failed' || end.response.status >= 500)
}

/** Listens to one crawl of one page. */
export class VisitLog {
  readonly hops: Hop[] = []
  /** The last that was heard of the page's request; of a redirect, of its target. */
  settled: Outcome | undefined
  readonly #sentHeaders = new Map<string, Readonly<Record<string, string>>>()

  /** The page's own last exchange. */
  get last(): Hop | undefined {
    return this.hops.findLast(({ required }) => !required)
  }

  /** The page's last answer with its body, which came after the crawl had let go of it. */
  complete(response: Response): void {
    const at = this.hops.findLastIndex(({ required }) => !required)
    const hop = this.hops[at]
    if (hop !== undefined) this.hops[at] = { ...hop, end: { kind: 'answered', response } }
  }

  /** The same fetcher, with an eye on what is sent. It stays open: several crawls in a row use it. */
  watching(fetcher: Fetcher): Fetcher {
    return {
      fetch: (outbound, sink) => {
        this.#sentHeaders.set(outbound.url, outbound.headers)
        return fetcher.fetch(outbound, sink)
      },
      ...(fetcher.addressesOf && { addressesOf: (name) => fetcher.addressesOf?.(name) ?? Promise.resolve([]) }),
      close: async () => {},
    }
  }

  /** Hears of everything; `enough` is called when the page is settled, or would be asked for again. */
  listen({ hooks }: Crawl, enough: () => void): void {
    const add = (end: Hop['end'], exchange: Pick<Hop, 'request' | 'required' | 'limits'>): void => {
      const { request, required, limits } = exchange
      const sentHeaders = this.#sentHeaders.get(request.url)
      this.hops.push({ request, required, limits, end, ...(sentHeaders && { sentHeaders }) })
    }
    hooks.onResponse.tap('visit-log', ({ exchange, response }) => add({ kind: 'answered', response }, exchange))
    hooks.onError.tap('visit-log', ({ exchange, failure }) => add({ kind: 'failed', failure }, exchange))
    hooks.onSettled.tap('visit-log', ({ outcome }) => {
      this.settled = outcome
      // What was put back without having been asked is not over: it waits for its turn.
      if (outcome.kind === 'retry' && this.last !== undefined && redirectOf(this.last) === undefined) enough()
    })
  }
}

const LOOK_EVERY_MS = 100
/** Shorter waits need no word. */
const WORTH_A_WORD_MS = 1_500

/** What it goes by. */
export interface WatchSettings {
  readonly clock: Clock
  /** How long a page is waited for. */
  readonly patienceMs: number
  /** Told what is waited for. */
  readonly waits: (hold: Hold, now: number) => void
}

/** Looks until it is stopped. */
export class VisitWatch {
  /** What holds the host, as it was seen last; a pause of the whole crawl (no network). */
  hold: Hold | undefined
  pausedFor: string | undefined
  #timer: Disposable | undefined
  #said = 0
  readonly #run: Crawl
  readonly #log: VisitLog
  readonly #settings: WatchSettings

  constructor(run: Crawl, log: VisitLog, settings: WatchSettings) {
    this.#run = run
    this.#log = log
    this.#settings = settings
    this.#again()
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]()
  }

  #again(): void {
    const { clock } = this.#settings
    this.#timer = clock.at(clock.now() + LOOK_EVERY_MS, () => {
      this.#look()
      this.#again()
    })
  }

  #look(): void {
    const { hosts, pausedFor, now } = this.#run.status()
    this.pausedFor = pausedFor
    this.hold = hosts.find(({ hold }) => hold !== undefined && Number.isFinite(hold.until) && hold.until > now)?.hold
    if (pausedFor !== undefined) return this.#run.abort()
    if (this.hold === undefined) return
    const restMs = this.hold.until - now
    const lastHop = this.#log.hops.at(-1)
    if (lastHop && lacksDocument(lastHop) && restMs > WORTH_A_WORD_MS) return this.#run.stop()
    if (restMs < WORTH_A_WORD_MS || restMs > this.#settings.patienceMs || this.hold.until <= this.#said + WORTH_A_WORD_MS) return
    this.#said = this.hold.until
    this.#settings.waits(this.hold, now)
  }
}
