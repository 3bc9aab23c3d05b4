// Pages that would rather not end, or lead elsewhere, and a browser that breaks down: each costs its own page, within bounds, and no other.
import { describe, expect, it } from 'vitest'
import { crawled, textOf } from './crawled.ts'
import type { Route } from './script-site.ts'
import { hasChromium } from './shared-chromium.ts'

describe.skipIf(!hasChromium)('a rendered page that leads on', { timeout: 60_000 }, () => {
  it('is a redirect, by script or refresh; what only changes its address, or reloads it, is not', async () => {
    const routes = {
      '/script': '<script>location.href = "/new?from=script"</script>',
      '/refresh': '<meta http-equiv=refresh content="0; url=/new?from=refresh">',
      '/push': '<body>pushed<script>history.pushState({}, "", "/other"); location.hash = "x"</script>',
      '/again': '<body>again<script>location.reload()</script>',
      '/post': '<body>posts<form method=post action=/posted></form><script>document.forms[0].submit()</script>',
      '/new?from=script': '<body>new</body>',
      '/new?from=refresh': '<body>new</body>',
    }

    const done = await crawled(routes, ['/script', '/refresh', '/push', '/again', '/post'])

    expect(done.site.asked.filter((line) => line.includes('/new')).toSorted()).toEqual([
      'GET /new?from=refresh',
      'GET /new?from=script',
    ])
    expect(done.site.asked).toHaveLength(7)
    expect([textOf(done, '/push'), textOf(done, '/again'), textOf(done, '/post')]).toEqual(['pushed', 'again', 'posts'])
    expect(done.report.counts).toMatchObject({ failed: 0 })
  })
})

describe.skipIf(!hasChromium)('a rendered page that changes its address', { timeout: 60_000 }, () => {
  it('has the links that a visitor sees there, unless it names a base itself', async () => {
    const moves = '<script>history.replaceState({}, "", "/tea/green/")</script><a href=sencha>a</a><a href="?page=2">b</a>'
    const routes = { '/list': `<body>${moves}`, '/based': `<head><base href=/own/></head><body>${moves}` }

    const done = await crawled(routes, ['/list', '/based'], { follow: 'a', rules: [{ match: /list|based/ }] })

    expect(done.site.asked.slice(2).toSorted()).toEqual([
      'GET /own/?page=2',
      'GET /own/sencha',
      'GET /tea/green/?page=2',
      'GET /tea/green/sencha',
    ])
  })
})

describe.skipIf(!hasChromium)('a rendered page that leads nowhere', { timeout: 60_000 }, () => {
  // A request without an answer keeps the page from being built before it leaves, however slow the machine is.
  const LATER = 'fetch("/held"); setTimeout(() => location.replace("about:blank"), 300)'

  it.each(['location.href = "about:blank"', 'history.back()', LATER])('by %s is no page, and not an empty one', async (leave) => {
    const done = await crawled({ '/': `<body>left<script>${leave}</script>`, '/held': () => undefined }, ['/'])

    expect(done.items).toEqual([])
    expect(done.why).toEqual([expect.stringContaining('it left for about:blank')])
    expect(done.report.failures).toEqual([{ reason: 'browser-page', count: 1 }])
  })
})

describe.skipIf(!hasChromium)('a rendered page that leads to a file', { timeout: 60_000 }, () => {
  it('is a redirect to it, and a frame that is one is no file of ours', async () => {
    const file: Route = (_request, response) => {
      response
        .writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment; filename=a.zip' })
        .end('PK')
    }
    const routes = {
      '/leads': '<body>leads<script>location.href = "/a.zip"</script>',
      '/frames': '<body>frames<iframe src=/b.zip></iframe>',
      '/a.zip': file,
      '/b.zip': file,
    }

    const done = await crawled(routes, ['/leads', '/frames'])

    expect(textOf(done, '/frames')).toBe('frames')
    expect(done.site.asked.filter((line) => line === 'GET /a.zip')).toHaveLength(1)
    expect(done.report.failures.filter(({ reason }) => reason.startsWith('browser'))).toEqual([])
  })
})

describe.skipIf(!hasChromium)('a hostile page', { timeout: 60_000 }, () => {
  it('that hangs is killed, and no other page is harmed by it, nor by dialogs, windows and downloads', async () => {
    const routes = {
      '/hang': '<script>while (true) {}</script>',
      '/alerts': '<body>alerts<script>for (let i = 0; i < 50; i++) { alert(1); confirm(2); prompt(3) }</script>',
      '/popups': '<body>popups<a id=a target=_blank href=/popped></a><script>window.open("/popped"); a.click()</script>',
      '/download': '<body>download<a id=a download href=/file></a><script>a.click()</script>',
      '/leaving':
        '<body>leaving<script>onbeforeunload = (e) => { e.preventDefault(); return "no" }; onpagehide = () => navigator.sendBeacon("/beacon")</script>',
      '/closes': '<body>closes<script>window.close()</script>',
      '/after': '<body>after<script>setTimeout(() => fetch("/late"), 1500)</script>',
      '/worker': '<body>worker<script>navigator.serviceWorker?.register("/sw.js").catch(() => {})</script>',
    }
    const paths = Object.keys(routes).toSorted()
    const built = paths.map((path) => path.slice(1)).filter((name) => name !== 'hang')

    const done = await crawled(routes, paths, { rules: [{ waitMs: 1_000 }], reactMs: 8_000 })

    expect(done.items.map(({ text }) => text.trim()).toSorted()).toEqual(built)
    expect(done.report.failures).toEqual([{ reason: 'browser-page', count: 1 }])
    expect(done.site.asked.toSorted()).toEqual(paths.map((path) => `GET ${path}`))
  })
})
