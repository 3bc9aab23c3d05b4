// Pages that build themselves by script, in the Chromium of the system; skipped where there is none.
import { DEFAULTS, systemClock, type Outbound } from '@avocet/core/store'
import { undiciFetcher } from '@avocet/fetcher-http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { browser } from '../src/index.ts'
import { crawled, textOf } from './crawled.ts'
import { hasChromium } from './shared-chromium.ts'
import { scriptSite, type Route } from './script-site.ts'

const html = { 'content-type': 'text/html; charset=utf-8' }
const later = (ms: number, script: string): string =>
  `<body>loading<script>setTimeout(() => { ${script} }, ${String(ms)})</script></body>`
const answers =
  (status: number, fields: Readonly<Record<string, string | string[]>>, body: string | Buffer = ''): Route =>
  (_request, response) =>
    void response.writeHead(status, fields).end(body)
const outboundOf = (url: string): Outbound => ({
  url,
  method: 'GET',
  headers: {},
  limits: DEFAULTS.timeLimits,
  privateAllowed: true,
  render: true,
})

describe.skipIf(!hasChromium)('a rendered page', { timeout: 60_000 }, () => {
  it('is what its scripts make of it, and nothing else is asked of the server', async () => {
    const routes = {
      '/': '<link rel=icon href=/icon.png><link rel=prefetch href=/next><link rel=manifest href=/m.json><body><script src="/app.js"></script><img src=/tea.png>',
      '/app.js': 'document.body.textContent = "Tea 12.50"; document.title = "Teas"',
    }

    const { items, site } = await crawled(routes, ['/'])

    expect(items).toEqual([{ path: '/', text: 'Tea 12.50', title: 'Teas' }])
    expect(site.asked).toEqual(['GET /', 'GET /app.js'])
  })

  it('is built when its selector matches, or as it is when that never comes', async () => {
    const routes = {
      '/soon': later(900, 'document.body.innerHTML = "<p class=price>12.50</p>"'),
      '/never': '<body>as it is</body>',
    }

    const done = await crawled(routes, ['/soon', '/never'], { rules: [{ waitFor: '.price', waitMs: 1_500 }] })

    expect(textOf(done, '/soon')).toBe('12.50')
    expect(textOf(done, '/never')).toBe('as it is')
  })

  it('fails, and says why, when its selector is none', async () => {
    const { report } = await crawled({ '/': '<p>' }, ['/'], { rules: [{ waitFor: 'p[' }] })

    expect(report.failures).toEqual([{ reason: 'browser-page', count: 1 }])
  })

  it('has the data that it loads, from workers and frames as well', async () => {
    const routes = {
      '/': `<body><p id=a></p> <p id=b></p> <iframe src="/frame"></iframe><script>
        fetch('/api').then((r) => r.json()).then((d) => a.textContent = d.name)
        new Worker('/worker.js').onmessage = ({ data }) => b.textContent = data
        addEventListener('message', ({ data }) => document.title = data)</script>`,
      '/api': answers(200, { 'content-type': 'application/json' }, '{"name":"Assam"}'),
      '/worker.js': 'postMessage("worked")',
      '/frame': '<script>parent.postMessage("framed", "*")</script>',
    }

    const done = await crawled(routes, ['/'])

    expect(textOf(done, '/')?.split(/\s+/)).toEqual(expect.arrayContaining(['Assam', 'worked']))
    expect(done.items[0]?.title).toBe('framed')
  })

  it('is taken as it is after waitMs when its network is never idle', async () => {
    const routes = {
      '/': '<body>there<script>setInterval(() => fetch("/api"), 50)</script></body>',
      '/api': answers(200, { 'content-type': 'application/json' }, '{}'),
    }

    const done = await crawled(routes, ['/'], { rules: [{ waitMs: 1_000 }] })

    expect(textOf(done, '/')).toBe('there')
  })

  it('may be compressed, or in another charset', async () => {
    const cyrillic = Buffer.concat([Buffer.from('<body>'), Buffer.from([0xf7, 0xe0, 0xe9])])
    const routes = {
      '/gzip': answers(200, { ...html, 'content-encoding': 'gzip' }, gzipSync('<body>tea</body>')),
      '/field': answers(200, { 'content-type': 'text/html; charset=windows-1251' }, cyrillic),
      '/meta': answers(
        200,
        { 'content-type': 'text/html' },
        Buffer.concat([Buffer.from('<meta charset=windows-1251>'), cyrillic]),
      ),
    }

    const done = await crawled(routes, Object.keys(routes))

    expect(Object.keys(routes).map((path) => textOf(done, path))).toEqual(['tea', 'чай', 'чай'])
  })

  it('may come with a content type that says nothing', async () => {
    const routes = Object.fromEntries(
      ['*/*', 'unknown/unknown', 'application/unknown', ''].map((type, n) => [
        `/${n}`,
        answers(200, { 'content-type': type }, '<body><script>document.body.textContent = "tea"</script>'),
      ]),
    )

    const done = await crawled(routes, Object.keys(routes))

    expect(Object.keys(routes).map((path) => textOf(done, path))).toEqual(['tea', 'tea', 'tea', 'tea'])
  })

  it('keeps the end of its document: status, fields, and none that describe what is no longer there', async () => {
    const fields: unknown[] = []
    const ofDocument = { etag: '"1"', 'no-vary-search': 'params' }
    const own = { ...ofDocument, 'x-own': 'kept', 'content-disposition': 'attachment' }
    const routes = { '/': answers(200, { ...html, ...own }, '<p>tea') }

    await crawled(routes, ['/'], { onPage: ({ response: { status, headers } }) => void fields.push([status, headers]) })

    expect(fields).toEqual([[200, expect.objectContaining({ 'x-own': 'kept', 'content-type': 'text/html; charset=utf-8' })]])
    for (const [name, value] of Object.entries(ofDocument))
      expect(fields).not.toEqual([[200, expect.objectContaining({ [name]: value })]])
  })

  it('is pictured as a window shows it, or in full', async () => {
    const pictures = new Map<string, Uint8Array | undefined>()
    const routes = { '/window': '<p style="height: 3000px">', '/full': '<p style="height: 3000px">', '/none': '<p>' }

    await crawled(routes, Object.keys(routes), {
      rules: [{ match: /window/, screenshot: 'window' }, { match: /full/, screenshot: 'full' }, {}],
      onPage: ({ url, response }) => void pictures.set(url.pathname, response.screenshot),
    })

    const heightOf = (path: string): number => Buffer.from(pictures.get(path) ?? []).readUInt32BE(20)
    expect(heightOf('/window')).toBe(800)
    expect(heightOf('/full')).toBeGreaterThanOrEqual(3_000)
    expect(pictures.get('/none')).toBeUndefined()
  })

  it('is there without its picture where that cannot be taken: a font of it never comes', async () => {
    const pictures: boolean[] = []
    const style = '<style>@font-face { font-family: f; src: url(/f.woff2) } p { font-family: f }</style>'
    const routes: Record<string, Route> = { '/': `${style}<body><p>tea</p>`, '/f.woff2': () => {} }

    const done = await crawled(routes, ['/'], {
      rules: [{ screenshot: 'window', waitMs: 500 }],
      load: ['font'],
      reactMs: 2_000,
      onPage: ({ response }) => void pictures.push(response.screenshot !== undefined),
    })

    expect(textOf(done, '/')).toBe('tea')
    expect(pictures).toEqual([false])
    expect(done.why).toEqual([])
  })

  it('is too large once it has grown beyond the limit of bodies', async () => {
    const script = 'document.body.hidden = true; document.body.textContent = "x".repeat(10 * 2 ** 20)'
    const config = { sizeLimits: { maxDecodedBytes: 5 * 2 ** 20 } }

    const { report, items } = await crawled({ '/': later(10, script) }, ['/'], { config })

    expect(items).toEqual([])
    expect(report.failures).toEqual([{ reason: 'decoded-too-large', count: 1 }])
  })
})

describe('a document that is not rendered', () => {
  it('is what is not HTML, and what is not there: for these no browser starts', async () => {
    await using site = await scriptSite({
      '/data': answers(200, { 'content-type': 'application/json' }, '{"tea":1}'),
      '/404': answers(404, html, '<script>fetch("/api")</script>'),
      '/429': answers(429, { ...html, 'retry-after': '7' }),
      '/503': answers(503, html),
      '/204': answers(204, {}),
      '/205': answers(205, html),
    })
    const clock = systemClock()
    const http = undiciFetcher({ clock })
    // A file that is there, and is no browser: starting it would fail.
    const rendered = browser({ executablePath: '/dev/null' })({ http, clock, limits: DEFAULTS.sizeLimits })

    const statuses = []
    for (const path of ['/data', '/404', '/429', '/503', '/204', '/205']) {
      const { promise, resolve } = Promise.withResolvers<number | string>()
      rendered.fetch(outboundOf(site.origin + path), {
        sent: () => undefined,
        headers: () => 'read',
        done: ({ status }) => resolve(status),
        failed: ({ code }) => resolve(code),
      })
      statuses.push(await promise)
    }
    await rendered.close()

    expect(statuses).toEqual([200, 404, 429, 503, 204, 205])
  })
})

describe('a browser that is not there', () => {
  it('is told in one line when the crawl is made', async () => {
    await expect(crawled({}, ['/'], { executablePath: '/nowhere/chromium' })).rejects.toMatchObject({
      code: 'AVO_BROWSER_MISSING',
      message: 'expected a browser at /nowhere/chromium, found none; install Chromium there, or correct executablePath',
    })
  })

  it.skipIf(!hasChromium)('is started again with pauses between, and its page waits', async () => {
    const startedAt = performance.now()
    const config = { patienceMs: 2_500 }
    const { report, site } = await crawled({ '/': '<p>' }, ['/'], { executablePath: '/bin/false', config })

    expect(performance.now() - startedAt).toBeGreaterThan(2_500)
    expect(report).toMatchObject({ ended: 'patience', counts: { waiting: 1, failed: 0 }, failures: [] })
    expect(report.problems.at(-1)?.message).toMatch(
      /^expected a browser that starts, got: .*; the pages that it is to render wait, and no host is blamed$/,
    )
    expect(site.asked).toEqual(['GET /', 'GET /', 'GET /'])
  })
})
