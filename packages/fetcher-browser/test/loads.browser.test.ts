// What a page may load beside its document: by the addresses, sites and bytes of the crawl, and nothing once it is done.
import { once } from 'node:events'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { crawled, textOf } from './crawled.ts'
import { hasChromium } from './shared-chromium.ts'
import { scriptSite, type Route } from './script-site.ts'

const openly = { 'content-type': 'text/plain', 'access-control-allow-origin': '*' }
const data: Route = (_request, response) => void response.writeHead(200, openly).end('x'.repeat(100_000))

/** A page that says of each URL whether it could load it. */
const tries = (urls: readonly string[]): string => `<body><script>
  const urls = ${JSON.stringify(urls)}
  Promise.all(urls.map((url) => fetch(url).then((r) => r.text()).then((t) => t.length === 100000 ? 'yes' : 'no', () => 'no')))
    .then((all) => { document.body.textContent = all.join(' ') })</script>`

describe.skipIf(!hasChromium)('a rendered page', { timeout: 60_000 }, () => {
  it('says that its data was answered with 401, unless its script got it in the end', async () => {
    const page = (...paths: readonly string[]): string =>
      `<body><script>(async () => {${paths.map((path) => `await fetch('${path}');`).join('')}document.body.append('read')})()</script>`
    let isRenewed = false
    const answer =
      (status: () => number): Route =>
      (_request, response) =>
        void response.writeHead(status(), { 'content-type': 'text/plain' }).end('x')
    const routes: Record<string, Route> = {
      '/out': page('/price'),
      '/renews': page('/token', '/renew', '/token'),
      '/forbidden': page('/rights'),
      '/price': answer(() => 401),
      '/renew': answer(() => ((isRenewed = true), 200)),
      '/token': answer(() => (isRenewed ? 200 : 401)),
      '/rights': answer(() => 403),
    }
    const seen = new Map<string, boolean>()

    const done = await crawled(routes, ['/out', '/renews', '/forbidden'], {
      onPage: ({ url, response }) => void seen.set(url.pathname, response.unauthorized ?? false),
    })

    expect(textOf(done, '/out')).toContain('read')
    expect(Object.fromEntries(seen)).toEqual({ '/out': true, '/renews': false, '/forbidden': false })
  })

  it('says how often its own host was asked for more than the document, the cache left out', async () => {
    await using other = await scriptSite({ '/data': data })
    const page = `<script src=/a.js></script><script src=/a.js></script>${tries(['/data', '/data?2', `${other.origin}/data`])}`
    const script: Route = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'max-age=600' }).end('1')
    const loads: (number | undefined)[] = []
    const routes = { '/1': page, '/2': page, '/3': 'plain', '/a.js': script, '/data': data, '/data?2': data }

    const done = await crawled(routes, ['/1', '/2', '/3'], {
      onPage: ({ response }) => void loads.push(response.loads),
    })

    expect(done.site.asked.filter((line) => /data|js/.test(line)).toSorted()).toEqual([
      'GET /a.js',
      'GET /a.js',
      'GET /data',
      'GET /data',
      'GET /data?2',
      'GET /data?2',
    ])
    expect(loads.toSorted()).toEqual([3, 3, undefined])
  })

  it('loads from its own host and port at a private address, and from no other private one', async () => {
    await using other = await scriptSite({ '/data': data })
    const { port } = new URL(other.origin)
    const elsewhere = [
      `${other.origin}/data`,
      `http://localhost:${port}/data`,
      `http://[::1]:${port}/data`,
      'http://10.255.255.1/data',
      'http://169.254.169.254/data',
    ]
    const routes = { '/': tries(['/data', ...elsewhere]), '/data': data }

    const done = await crawled(routes, ['/'])

    expect(textOf(done, '/')).toBe('yes no no no no no')
    expect(other.asked).toEqual([])
  })

  it('loads at most maxLoadBytes, and images, fonts and media only where they are wanted', async () => {
    const image: Route = (_request, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end()
    const routes = {
      '/': `<img src=/a.png><style>@font-face { font-family: f; src: url(/f.woff2) }</style><p style="font-family: f">x</p><video src=/v.mp4></video>${tries(['/data'])}`,
      '/data': data,
      '/a.png': image,
    }

    const few = await crawled(routes, ['/'], { maxLoadBytes: 50_000 })
    const more = await crawled(routes, ['/'], { load: ['image'] })

    expect([textOf(few, '/'), textOf(more, '/')]).toEqual(['no', 'yes'])
    expect(few.site.asked.toSorted()).toEqual(['GET /', 'GET /data'])
    expect(more.site.asked.toSorted()).toEqual(['GET /', 'GET /a.png', 'GET /data'])
  })

  it('of one origin sees nothing of what another has stored, nor one session of another', async () => {
    const keeps = '<body><script>document.body.textContent = localStorage.mark ?? "none"; localStorage.mark = "seen"</script>'
    await using other = await scriptSite({ '/': keeps })

    const done = await crawled({ '/1': keeps }, ['/1', `${other.origin}/`])

    expect(done.items.map(({ text }) => text)).toEqual(['none', 'none'])
  })

  it('asks for nothing through a tunnel that does not lead to its own host, and refuses a certificate that nobody signed', async () => {
    const { SELF_SIGNED } = await import('../../fetcher-http/test/certificates.ts')
    let asked = 0
    const server = createHttps(
      SELF_SIGNED,
      (_request, response) => void (asked++, response.writeHead(200, openly).end('x'.repeat(100_000))),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const routes = { '/': tries([`https://127.0.0.1:${String(port)}/data`, `wss://127.0.0.1:${String(port)}/`]) }

    const done = await crawled(routes, ['/'])
    server.closeAllConnections()
    server.close()

    expect(textOf(done, '/')).toBe('no no')
    expect(asked).toBe(0)
  })
})
