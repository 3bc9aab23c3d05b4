// All hosts of the made crawl, at loopback addresses of their own: each page after 200 ms, with a link to a new page of its host and one that leads elsewhere.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const ANSWER_MS = 200

/** The site of all hosts. */
export class SlowSite {
  readonly #server: Server
  #served = 0

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = request.url ?? '/'
      if (path === '/robots.txt') {
        response.writeHead(404).end()
        return
      }
      setTimeout(() => {
        const links = [`/articles/new-${String(++this.#served)}`, 'http://elsewhere.example/'].map(
          (url) => `<a href="${url}">more</a>`,
        )
        response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${path}</title>${links.join('')}`)
      }, ANSWER_MS)
    })
  }

  static async started(): Promise<SlowSite> {
    const site = new SlowSite()
    await once(site.#server.listen(0), 'listening')
    return site
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Pages that were answered so far. */
  get served(): number {
    return this.#served
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
