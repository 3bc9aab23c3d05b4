// Twelve shops for an hour: how each says its prices, and what goes wrong at it.
import { siteModel, simulatedWeb, type HostSpec, type SimulatedWeb, type SiteModel } from '@avocet/simulator'
import type { Clock, Fetcher, FetchReceiver } from '@avocet/core/store'

export const MINUTE_MS = 60_000
const ROUND_MS = 10 * MINUTE_MS
const REDESIGNED_AT_MS = 5 * MINUTE_MS
const DIES_AT_MS = 20 * MINUTE_MS

type Shop = Omit<HostSpec, 'name' | 'pages'> & { readonly pages?: Partial<Extract<HostSpec['pages'], { kind: 'shop' }>> }

const SHOPS: Readonly<Record<string, Shop>> = {
  'json-ld': { pages: { layout: 'json-ld' } },
  microdata: { pages: { layout: 'microdata' } },
  euros: {},
  paged: { pages: { layout: 'json-ld', products: 8, perPage: 2, categories: 2 } },
  etags: { pages: { layout: 'json-ld', prices: { everyMs: ROUND_MS, ratio: 0.5, validator: 'etag' } } },
  slow: { latency: { law: 'fixed', ms: 4_000 } },
  busy: { capacity: { law: 'window', requests: 3, seconds: 10 }, refusal: { status: 429, retryAfter: 'seconds' } },
  hanging: { death: 'hang' },
  dying: { outages: [{ style: 'refuse', fromMs: DIES_AT_MS }] },
  mapped: { pages: { listedBy: 'sitemap' } },
  redesigned: {},
  nonces: { pages: { layout: 'microdata' } },
}

/** All of them sell four products, whose prices change every ten minutes. */
export const model: SiteModel = siteModel({
  seed: 'twelve-shops',
  hosts: Object.entries(SHOPS).map(([name, { pages, ...host }]) => {
    const prices = { everyMs: ROUND_MS, ratio: 0.5, validator: 'none' } as const
    return {
      latency: { law: 'uniform', minMs: 50, maxMs: 300 },
      ...host,
      name: `${name}.test`,
      pages: { kind: 'shop', products: 4, categories: 1, prices, ...pages },
    }
  }),
})

/** How often each product of a shop can be visited in an hour of visits once a minute; of a shop that is well, 60 times. */
export const VISITS: Readonly<Record<string, number>> = {
  'hanging.test': 0,
  'redesigned.test': REDESIGNED_AT_MS / MINUTE_MS,
  'dying.test': DIES_AT_MS / MINUTE_MS,
}

/** What becomes of the HTML of a shop; `atMs` since the beginning. */
const EDITS: Readonly<Record<string, (html: string, atMs: number) => string>> = {
  'euros.test': (html) =>
    html.replace(/<span class="price">(.*?)<\/span> <span class="currency">EUR<\/span>/, (_all, price: string) => {
      const euros = Number(price).toLocaleString('de-DE', { minimumFractionDigits: 2 })
      return `<span class="price">${euros} €</span>`
    }),
  'redesigned.test': (html, atMs) => (atMs < REDESIGNED_AT_MS ? html : html.replaceAll('class="price"', 'class="amount"')),
  'nonces.test': (html, atMs) => html.replace('<body>', `<body><input type="hidden" name="csrf" value="${String(atMs)}">`),
}

/** The simulated shops, with their own HTML. */
export function shopsOn(clock: Clock): { readonly web: SimulatedWeb; readonly fetcher: Fetcher } {
  const web = simulatedWeb(model, { clock })
  const from = clock.now()
  const fetcher: Fetcher = {
    fetch: (outbound, receiver) => {
      const edit = EDITS[new URL(outbound.url).hostname]
      return web.fetch(outbound, edit === undefined ? receiver : edited(receiver, (html) => edit(html, clock.now() - from)))
    },
    close: () => web.close(),
  }
  return { web, fetcher }
}

function edited(receiver: FetchReceiver, edit: (html: string) => string): FetchReceiver {
  return {
    sent: () => receiver.sent(),
    headers: (head) => receiver.headers(head),
    done: (response) => receiver.done({ ...response, body: Buffer.from(edit(Buffer.from(response.body).toString())) }),
    failed: (failure) => receiver.failed(failure),
  }
}
