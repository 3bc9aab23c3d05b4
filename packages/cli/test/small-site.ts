// A site of numbered pages on loopback: page n links to 2n + 1 and 2n + 2, up to a last one.
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** A running site. */
export interface SmallSite {
  /** With a slash at its end. */
  readonly url: string
  /** Paths asked for, in order; robots.txt left out. */
  readonly asked: string[]
  /** HTML at the end of each page. */
  more: string
  close(): void
}

/** Starts a site of `pages` pages, each answered after `latencyMs`, and with this robots.txt, if any. */
export async function smallSite(pages: number, latencyMs = 0, robots?: string): Promise<SmallSite> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    if (path === '/robots.txt') {
      response.statusCode = robots === undefined ? 404 : 200
      response.end(robots)
      return
    }
    asked.push(path)
    const n = Number(path.slice(1).split('?')[0])
    const links = [2 * n + 1, 2 * n + 2]
      .filter((target) => target < pages)
      .map((target) => `<a href="/${target}">page ${target}</a>`)
    response.statusCode = n < pages ? 200 : 404
    response.setHeader('content-type', 'text/html')
    setTimeout(() => response.end(`<title>page ${n}</title>${links.join('')}${site.more}`), latencyMs)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const site: SmallSite = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    more: '',
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return site
}
