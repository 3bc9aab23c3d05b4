// Serves the site on this machine. Run it by itself to have a site to crawl: node server.ts [port]
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { LoginSite } from './site.ts'

/** The account of the example. */
export const PASSWORD = 'salt & mud'

/** A site that is open. */
export interface OpenSite {
  readonly origin: string
  readonly site: LoginSite
  close(): Promise<void>
}

/** Opens it. `onRequest` gets the number of each request, from 1. Port 0 = any. */
export async function openSite({
  port = 0,
  onRequest = () => {},
}: { readonly port?: number; readonly onRequest?: (number: number) => void } = {}): Promise<OpenSite> {
  const site = new LoginSite({ ann: PASSWORD })
  let requests = 0
  const server = createServer((request, response) => {
    onRequest(++requests)
    void text(request).then((body) => {
      const { pathname: path } = new URL(request.url ?? '/', 'http://site')
      const {
        status,
        headers,
        body: page,
      } = site.answer({ method: request.method ?? 'GET', path, cookie: request.headers.cookie, body })
      response.writeHead(status, headers).end(page)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    site,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

if (process.argv[1] === import.meta.filename) {
  const { origin } = await openSite({ port: Number(process.argv[2] ?? 8045) })
  console.log(`${origin}, and MEMBERS_PASSWORD='${PASSWORD}'`)
}
