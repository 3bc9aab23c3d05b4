// The loopback servers of the killed crawl: shops, and a receiver of webhooks.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { shopPage } from './shops.ts'

/** Closed when it is disposed of. */
export interface LoopbackServer extends AsyncDisposable {
  readonly url: string
}

/** Listens on a free port of 127.0.0.1. */
async function listen(answer: RequestListener): Promise<LoopbackServer> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : address)}/`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Serves the pages of one shop; calls `asked` for each request. */
export function startShop(shop: number, pages: number, asked: () => void): Promise<LoopbackServer> {
  return listen(({ url = '/' }, response) => {
    asked()
    const n = url === '/' ? 1 : Number(url.slice(1))
    if (!Number.isInteger(n)) return response.writeHead(404).end()
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(shopPage(shop, n, pages)))
  })
}

/** An item of a webhook. */
export interface Posted {
  readonly key: string
  readonly item: unknown
}

/** Takes every webhook: tells what was in it, then answers. */
export function startReceiver(receive: (items: readonly Posted[]) => void): Promise<LoopbackServer> {
  return listen((request, response) => {
    if (request.method === 'HEAD') {
      response.writeHead(405).end()
      return
    }
    text(request).then(
      (body) => {
        receive((JSON.parse(body) as { readonly items: readonly Posted[] }).items)
        response.writeHead(204).end()
      },
      // The crawl was killed in the middle of its request.
      () => response.destroy(),
    )
  })
}
