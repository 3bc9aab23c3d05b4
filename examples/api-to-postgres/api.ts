// The API that the example reads: a list of offers, 20 a page, with a cursor. It refuses some requests, and its prices rise
// when they are told to.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { Offer } from './offer.ts'

const PER_PAGE = 20
const NAMES = [
  'Assam',
  'Darjeeling',
  'Earl Grey "special"',
  'Gyokuro',
  "Lapsang d'hiver",
  'Oolong 烏龍茶',
  'Rooibos; mild',
  'Sencha',
]

/** A running API. */
export interface OfferApi {
  readonly origin: string
  /** What it has. */
  offers(): readonly Offer[]
  /** Every price is one higher from now on. */
  raise(): void
  close(): Promise<void>
}

/** Serves 400 offers. `onRequest` is told the number of each request, from 1, before it is answered. */
export async function openApi({
  port = 0,
  onRequest = () => {},
}: { port?: number; onRequest?: (number: number) => void } = {}): Promise<OfferApi> {
  let raised = 0
  let requests = 0
  const offers = (): readonly Offer[] => Array.from({ length: 400 }, (_, n) => offer(n, raised))
  const server = createServer((request, response) => {
    onRequest(++requests)
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://api.test')
    if (pathname !== '/api/offers') return answer(response, 404, { error: 'there is nothing here' })
    // The fifth request of every 25 comes too early.
    if (requests % 25 === 5) return answer(response.setHeader('retry-after', '0'), 429, { error: 'slower, please' })
    const from = Number(searchParams.get('after') ?? '0')
    const next = from + PER_PAGE < 400 ? from + PER_PAGE : null
    answer(response, 200, { offers: offers().slice(from, from + PER_PAGE), next })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    origin: `http://127.0.0.1:${String(typeof address === 'object' && address !== null ? address.port : 0)}`,
    offers,
    raise: () => void (raised += 1),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function offer(n: number, raised: number): Offer {
  const name = `${NAMES[n % NAMES.length] ?? ''} ${String(n)}`
  const price = Math.round(350 + n * 7 + raised * 100) / 100
  return {
    sku: `T-${String(1_000 + n)}`,
    name,
    price,
    tags: n % 3 === 0 ? ['black', 'loose'] : ['green'],
    ...(n % 5 === 0 && { grams: 50 + n }),
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

// `node api.ts` serves it for people.
if (process.argv[1] === import.meta.filename) console.log(`${(await openApi({ port: 8043 })).origin}/api/offers`)
