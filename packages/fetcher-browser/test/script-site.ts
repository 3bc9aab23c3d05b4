// A site whose pages build themselves, on loopback: routes that a test writes down, and what the server was asked.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How the server answers a path. */
export type Route = string | ((request: IncomingMessage, response: ServerResponse) => void)

/** A running site. */
export interface ScriptSite extends AsyncDisposable {
  readonly origin: string
  /** `GET /path` of each request, in order. */
  readonly asked: readonly string[]
  /** Header fields of the last request for a path. */
  readonly fields: ReadonlyMap<string, IncomingMessage['headers']>
}

/** Serves `routes`; a text is a page. */
export async function scriptSite(routes: Readonly<Record<string, Route>>): Promise<ScriptSite> {
  const asked: string[] = []
  const fields = new Map<string, IncomingMessage['headers']>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(`${request.method ?? ''} ${path}`)
    fields.set(path, request.headers)
    const route = routes[path]
    if (route === undefined) return void response.writeHead(404, { 'content-type': 'text/html' }).end('<title>none</title>')
    if (typeof route !== 'string') return route(request, response)
    response.writeHead(200, { 'content-type': path.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8' }).end(route)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    fields,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
