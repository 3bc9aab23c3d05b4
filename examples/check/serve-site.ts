// Serves a small site on this machine, for the examples that have one of their own.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What is answered to a request. Without a content type it is HTML. */
export interface SiteAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** Where it is served, and who hears of requests. */
export interface ServeOptions {
  /** 0 = any. */
  readonly port?: number
  /** Gets the number of each request, from 1, before it is answered. */
  readonly onRequest?: (number: number) => void
}

/** A site that is open. */
export interface ServedSite {
  /** `http://127.0.0.1:8044` */
  readonly origin: string
  close(): Promise<void>
}

/** Serves what `answer` gives. */
export async function serveSite(
  answer: (request: IncomingMessage) => SiteAnswer | Promise<SiteAnswer>,
  { port = 0, onRequest = () => {} }: ServeOptions = {},
): Promise<ServedSite> {
  let requests = 0
  const server = createServer((request, response) => {
    onRequest(++requests)
    void Promise.resolve(answer(request)).then(({ status, headers, body }) => {
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body)
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
