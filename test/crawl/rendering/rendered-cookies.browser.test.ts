// Cookies of rendered pages, with the jar of the crawl and the Chromium of the system: skipped where there is none.
import { cookies } from '@avocet/plugin-cookies'
import { describe, expect, it } from 'vitest'
import { crawled, textOf } from '../../../packages/fetcher-browser/test/crawled.ts'
import type { Route } from '../../../packages/fetcher-browser/test/script-site.ts'
import { hasChromium } from '../../../packages/fetcher-browser/test/shared-chromium.ts'

const html = { 'content-type': 'text/html; charset=utf-8' }
const answers =
  (fields: Readonly<Record<string, string | string[]>>, body: string): Route =>
  (_request, response) =>
    void response.writeHead(200, { ...html, ...fields }).end(body)

describe.skipIf(!hasChromium)('a rendered page', { timeout: 60_000 }, () => {
  it('has the cookies of the jar, of the server and of scripts, sends them with its data, and hands back what scripts set', async () => {
    const seen: string[] = []
    const routes: Record<string, Route> = {
      '/a': answers(
        { 'set-cookie': ['server=1; Path=/', 'hidden=1; HttpOnly'] },
        '<body><a href=/sub/b>b</a><script>document.cookie = "own=2; path=/"</script>',
      ),
      '/sub/b': '<body><script>fetch("/api").then(() => { document.body.append(document.cookie) })</script>',
      '/api': (request, response) => {
        seen.push(request.headers.cookie ?? '')
        response.writeHead(200, { 'content-type': 'text/plain', 'set-cookie': 'api=3; Path=/' }).end('x')
      },
      '/gate': (request, response) => {
        const isKnown = request.headers.cookie?.includes('pass=1') ?? false
        response
          .writeHead(200, html)
          .end(isKnown ? '<body>inside' : '<script>document.cookie = "pass=1"; location.reload()</script>')
      },
    }

    const done = await crawled(routes, ['/a', '/gate'], { follow: 'a', config: { policies: [cookies()] } })

    const sorted = (field = ''): string[] => field.split('; ').toSorted()
    expect(sorted(seen[0])).toEqual(expect.arrayContaining(['own=2', 'server=1']))
    expect(sorted(done.site.fields.get('/sub/b')?.cookie)).toEqual(expect.arrayContaining(['hidden=1', 'own=2', 'server=1']))
    expect(textOf(done, '/sub/b')).toContain('own=2')
    expect(textOf(done, '/gate')).toBe('inside')
  })
})
