// Many shops, drawn from a seed, and the fetcher that serves them on any clock: no sockets, one wake an exchange.
import { failure, type Clock, type Fetcher, type FetchReceiver, type Outbound } from '@avocet/core/store'
import type { BreakSpec } from './breaks.ts'
import { Shop } from './shop.ts'
import type { Span } from './week.ts'

/** Which shops. Epoch ms. */
export interface ShopsOptions extends Span {
  readonly seed: string
  readonly shops: number
  readonly products: number
  /** Share of shops whose prices are on lists. Default a fifth. */
  readonly lists?: number
  /** Whether shops are away for a day, or say 404 for hours. Default true. */
  readonly hasWeather?: boolean
  /** The break of the shop of this number. Default: none has one. */
  readonly breakOf?: (n: number) => BreakSpec | undefined
}

/** The shops, by host name. */
export interface Shops {
  readonly shops: ReadonlyMap<string, Shop>
  readonly seeds: readonly string[]
}

/** A request that a server has answered, or has seen and not answered (status 0). */
export interface ServedVisit {
  /** Epoch ms of the answer: its page is of that moment. */
  readonly at: number
  readonly host: string
  readonly path: string
  readonly status: number
}

const REFUSED_MS = 20

/** Draws them. An `empty-list` breaks shops whose prices are on lists alone. */
export function shopsOf({ seed, shops: count, products, lists = 0.2, hasWeather = true, breakOf, ...span }: ShopsOptions): Shops {
  const shops = new Map<string, Shop>()
  for (let n = 0; n < count; n++) {
    const broken = breakOf?.(n)
    const host = `shop-${String(n).padStart(3, '0')}.test`
    const share = broken?.kind === 'empty-list' ? 1 : lists
    shops.set(host, new Shop(host, { seed, products, lists: share, hasWeather, ...span, ...(broken && { broken }) }))
  }
  return { shops, seeds: [...shops.keys()].map((host) => `https://${host}/`) }
}

/** Serves them. `told` hears of each request that reached a shop, at the moment of its answer. */
export function shopsWeb({ shops }: Shops, clock: Clock, told: (visit: ServedVisit) => void = () => {}): Fetcher {
  return {
    fetch(outbound, receiver) {
      const exchange = { isAborted: false }
      begin(outbound, receiver, { shops, clock, told, exchange })
      return () => {
        exchange.isAborted = true
      }
    },
    close: async () => {},
  }
}

interface Ground {
  readonly shops: ReadonlyMap<string, Shop>
  readonly clock: Clock
  readonly told: (visit: ServedVisit) => void
  readonly exchange: { readonly isAborted: boolean }
}

function begin(outbound: Outbound, receiver: FetchReceiver, { shops, clock, told, exchange }: Ground): void {
  const after = (ms: number, call: () => void): void => void clock.at(clock.now() + ms, () => exchange.isAborted || call())
  const { url, headers: asked, limits } = outbound
  const from = url.indexOf('//') + 2
  const slash = url.indexOf('/', from)
  const [host, path] = [url.slice(from, slash), url.slice(slash)]
  const shop = shops.get(host)
  if (shop === undefined)
    return after(0, () => receiver.failed(failure('AVO_DNS_NOT_FOUND', `no host ${host}`, { phase: 'dns' })))
  const style = shop.troubleAt(path, clock.now())
  if (typeof style === 'string') {
    const isSent = style === 'AVO_RESET' || style === 'AVO_FIRST_BYTE_TIMEOUT'
    const phase = isSent ? 'firstByte' : style === 'AVO_DNS_FAILED' ? 'dns' : 'connect'
    return after(style === 'AVO_FIRST_BYTE_TIMEOUT' ? limits.firstByteMs : REFUSED_MS, () => {
      if (isSent) told({ at: clock.now(), host, path, status: 0 })
      if (isSent) receiver.sent()
      receiver.failed(failure(style, `${host} is away`, { phase, sent: isSent }))
    })
  }
  const latencyMs = shop.latencyMs(path, clock.now())
  after(latencyMs, () => {
    const at = clock.now()
    const { status, headers, body } =
      style === undefined ? shop.answerAt(path, at, asked) : { status: style, headers: {}, body: '' }
    told({ at, host, path, status })
    receiver.sent()
    const wish = receiver.headers({ status, headers })
    if (exchange.isAborted) return
    const bytes = wish === 'read' ? Buffer.from(body) : Buffer.alloc(0)
    const timings = { firstByteMs: latencyMs, bodyMs: 0, reusedSocket: true }
    receiver.done({ url, status, headers, body: bytes, wireBytes: bytes.length, timings })
  })
}
