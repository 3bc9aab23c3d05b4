// Pages of a crawl that goes through a proxy: what they load goes through the same one, by names that only that knows, and never past it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { proxies } from '@avocet/plugin-proxies'
import { startTestProxy, type TestProxy, type TestProxyOptions } from '@avocet/stress/hostile'
import { describe, expect, it, onTestFinished } from 'vitest'
import { crawled, textOf, type Crawled, type CrawledOptions } from '../../packages/fetcher-browser/test/crawled.ts'
import { scriptSite, type Route } from '../../packages/fetcher-browser/test/script-site.ts'
import { hasChromium } from '../../packages/fetcher-browser/test/shared-chromium.ts'
import { socketGreeting } from './socket-greeting.ts'

const openly = { 'content-type': 'text/plain', 'access-control-allow-origin': '*' }
const data: Route = (_request, response) => void response.writeHead(200, openly).end('data')
const tries = (urls: readonly string[]): string => `<body><script>
  Promise.all(${JSON.stringify(urls)}.map((url) => fetch(url).then((r) => r.text()).then((t) => t === 'data' ? 'yes' : 'no', () => 'no')))
    .then((all) => { document.body.textContent = all.join(' ') })</script>`

/** A proxy for which every name leads to `origin`. */
async function proxyTo(origin: string, options: Partial<TestProxyOptions> = {}): Promise<TestProxy> {
  const port = Number(new URL(origin).port)
  const proxy = await startTestProxy({ kind: 'http', route: () => ({ hostname: '127.0.0.1', port }), ...options })
  onTestFinished(() => proxy.close())
  return proxy
}

function through(proxy: string, urls: readonly string[], options: CrawledOptions = {}): Promise<Crawled> {
  return crawled({}, urls, { ...options, config: { plugins: [proxies({ '*': proxy })], ...options.config } })
}

describe.skipIf(!hasChromium)('a rendered page behind a proxy', { timeout: 60_000 }, () => {
  it.each(['http', 'socks5'] as const)('loads through it (%s), with its name and password, and nothing inside', async (kind) => {
    const urls = ['/data', 'http://cdn.test/data', 'http://10.0.0.1/data', 'http://[::1]/data', 'http://localhost/data']
    await using site = await scriptSite({ '/': tries(urls), '/data': data })
    const proxy = await proxyTo(site.origin, { kind, credentials: { username: 'me', password: 'hush' } })

    const done = await through(proxy.url.replace('://', '://me:hush@'), ['http://shop.test/'])

    expect(textOf(done, '/')).toBe('yes yes no no no')
    expect(site.asked).toEqual(['GET /', 'GET /data', 'GET /data'])
    expect(new Set(proxy.seen.targets)).toEqual(
      new Set(
        kind === 'http'
          ? ['http://shop.test/', 'http://shop.test/data', 'http://cdn.test/data']
          : ['shop.test:80', 'cdn.test:80'],
      ),
    )
    expect(site.fields.get('/data')).not.toHaveProperty('proxy-authorization')
  })

  it.each(['http', 'socks5'] as const)('speaks through a WebSocket in a tunnel of it (%s)', async (kind) => {
    const server = createServer((_request, response) => {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(
          '<body>waits<script>new WebSocket("ws://shop.test/ws").onmessage = ({ data }) => document.body.innerHTML = "<p>" + data</script>',
        )
    }).on('upgrade', socketGreeting('hello'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void (server.closeAllConnections(), server.close()))
    const proxy = await proxyTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { kind })

    const done = await through(proxy.url, ['http://shop.test/'], { rules: [{ waitFor: 'p' }] })

    expect(textOf(done, '/')).toBe('hello')
    expect(proxy.seen.targets).toContain('shop.test:80')
  })

  it('keeps to its site where otherSites is false', async () => {
    const urls = ['/data', 'http://cdn.shop.test/data', 'http://other.test/data', 'http://shop.test.other.test/data']
    await using site = await scriptSite({ '/': tries(urls), '/data': data })
    const proxy = await proxyTo(site.origin)

    const own = await through(proxy.url, ['http://shop.test/'], { otherSites: false })
    const all = await through(proxy.url, ['http://shop.test/'])

    expect([textOf(own, '/'), textOf(all, '/')]).toEqual(['yes yes no no', 'yes yes yes yes'])
  })

  it('is there as its document has it when the proxy refuses what scripts load', async () => {
    await using site = await scriptSite({
      '/': (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end(tries(['/data']))
        proxy.behaviour = 'denies'
      },
      '/data': data,
    })
    const proxy = await proxyTo(site.origin)

    const done = await through(proxy.url, ['http://shop.test/'])

    expect(textOf(done, '/')).toBe('no')
    expect(site.asked).toEqual(['GET /'])
  })

  it('loads no image, font or media in a frame of another site either', async () => {
    const frame = `<body><img src=/a.png><style>@font-face { font-family: f; src: url(/f.woff2) }</style><p style="font-family: f">x</p>
      <video src=/v.mp4></video><script>fetch("/data").then(() => parent.postMessage("framed", "*"))</script>`
    await using site = await scriptSite({
      '/': '<body><iframe src="http://other.test/frame"></iframe><script>addEventListener("message", ({ data }) => document.title = data)</script>',
      '/frame': frame,
      '/data': data,
    })
    const proxy = await proxyTo(site.origin)

    const done = await through(proxy.url, ['http://shop.test/'])

    expect(done.items[0]?.title).toBe('framed')
    expect(site.asked.toSorted()).toEqual(['GET /', 'GET /data', 'GET /frame'])
  })
})
