// Hosts of numbered pages at loopback addresses of their own. It judges: which pages were asked for, and the most that one host had in flight at once.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A running site. */
export interface JudgedSite {
  readonly port: number
  /** `127.0.1.1/0`, in order. */
  readonly asked: readonly string[]
  /** Requests that one host had in flight, at most. */
  readonly mostAtOnce: number
  /** Resolves once so many were asked for. */
  until(asked: number): Promise<void>
  close(): void
}

/** Whether a host refuses in place of answering. */
type Judging = (host: string) => { readonly retryAfter: number } | undefined

/** Page n of a host links to the next two of its `pages`, and is answered after `latencyMs`. */
export async function judgedSite(pages: number, latencyMs: number, judging: Judging = () => undefined): Promise<JudgedSite> {
  const asked: string[] = []
  const inFlight = new Map<string, number>()
  const waiting: { readonly asked: number; readonly done: () => void }[] = []
  let mostAtOnce = 0
  const server = createServer((request, response) => {
    const host = (request.headers.host ?? '').split(':')[0] ?? ''
    const now = (inFlight.get(host) ?? 0) + 1
    inFlight.set(host, now)
    mostAtOnce = Math.max(mostAtOnce, now)
    asked.push(`${host}${request.url}`)
    for (const { asked: enough, done } of waiting) if (asked.length >= enough) done()
    const n = Number(request.url?.slice(1))
    const links = [2 * n + 1, 2 * n + 2].filter((next) => next < pages).map((next) => `<a href="/${next}">${next}</a>`)
    response.on('close', () => inFlight.set(host, (inFlight.get(host) ?? 1) - 1))
    response.setHeader('content-type', 'text/html')
    const judged = judging(host)
    if (judged) response.writeHead(429, { 'retry-after': `${judged.retryAfter}` }).end()
    else setTimeout(() => response.end(`<title>${host} ${n}</title>${links.join('')}`), latencyMs)
  })
  server.listen(0)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    get mostAtOnce() {
      return mostAtOnce
    },
    until: (enough) => new Promise((done) => (asked.length >= enough ? done() : waiting.push({ asked: enough, done }))),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A spider of so many hosts of such a site. At each of the pages in `dies`, with commas between, the process that handles it first kills itself. */
export function judgedSpider(hosts: number): string {
  return `import { existsSync, writeFileSync } from 'node:fs'
export default ({ port = '1', dies = '' }) => ({
  name: 'judged',
  seeds: Array.from({ length: ${hosts} }, (_, n) => 'http://127.0.1.' + (n + 1) + ':' + port + '/0'),
  handlers: {
    *start(page) {
      const which = dies.split(',').indexOf(page.url.hostname + page.url.pathname)
      const died = 'died' + (which || '')
      if (which >= 0 && !existsSync(died)) {
        writeFileSync(died, '')
        process.kill(process.pid, 'SIGKILL')
      }
      yield { title: page.title }
      yield* page.links()
    },
  },
})
`
}
