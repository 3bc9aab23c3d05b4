// What a host feels of rendered pages, on real sockets: their documents keep to its rate and to its refusals, and no page is built from a refusal.
import { retry } from '@avocet/plugin-retry'
import { describe, expect, it } from 'vitest'
import { crawled } from '../../../packages/fetcher-browser/test/crawled.ts'
import type { Route } from '../../../packages/fetcher-browser/test/script-site.ts'
import { hasChromium } from '../../../packages/fetcher-browser/test/shared-chromium.ts'

const BUILDS = '<body>x<script>fetch("/api").then(() => fetch("/api")).then(() => { document.body.innerHTML = "<p>" })</script>'

describe.skipIf(!hasChromium)('a host whose pages are rendered', { timeout: 60_000 }, () => {
  it('gets their documents at maxRps, and none for as long as a 429 says, while pages of it are being built', async () => {
    const documents: { readonly path: string; readonly atMs: number }[] = []
    let refusedAt = 0
    const page: Route = ({ url = '' }, response) => {
      documents.push({ path: url, atMs: performance.now() })
      if (documents.length === 4) {
        refusedAt = performance.now()
        response.writeHead(429, { 'content-type': 'text/html', 'retry-after': '2' }).end('<script>fetch("/refused")</script>')
        return
      }
      response.writeHead(200, { 'content-type': 'text/html' }).end(BUILDS)
    }
    const paths = ['/1', '/2', '/3', '/4', '/5', '/6']
    const routes = Object.fromEntries(paths.map((path) => [path, page]))

    const done = await crawled(
      { ...routes, '/api': (_request, response) => void response.setHeader('cache-control', 'no-store').end('{}') },
      paths,
      {
        rules: [{ waitFor: 'p', waitMs: 20_000 }],
        config: { hosts: { '*': { maxRps: 4 } }, maxPerHost: 4, policies: [retry()] },
      },
    )

    expect(done.report.counts).toMatchObject({ done: 6, failed: 0 })
    expect(documents).toHaveLength(7)
    const gaps = documents.slice(1).map(({ atMs }, n) => atMs - (documents[n]?.atMs ?? 0))
    // A busy machine delays what the server sees, so one gap may be short by what the one before was long.
    expect(Math.min(...gaps)).toBeGreaterThan(100)
    expect((documents.at(-1)?.atMs ?? 0) - (documents[0]?.atMs ?? 0)).toBeGreaterThan(5 * 250 + 1_700)
    const next = documents.find(({ atMs }) => atMs > refusedAt)
    expect((next?.atMs ?? 0) - refusedAt).toBeGreaterThan(1_900)
    expect(done.site.asked).not.toContain('GET /refused')
    expect(done.site.asked.filter((line) => line === 'GET /api')).toHaveLength(12)
  })
})
