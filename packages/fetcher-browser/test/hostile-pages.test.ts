// Pages that would rather not end, or lead elsewhere, and a browser that breaks down: each costs its own page, within bounds, and no other.
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { crawled, hasChromium, textOf } from './crawled.ts'
import type { Route } from './script-site.ts'

const html = { 'content-type': 'text/html; charset=utf-8' }
/** Chromium processes that this process has started, by their parents. */
function chromiumsOfOurs(): number[] {
  const parents = new Map<number, { readonly parent: number; readonly line: string }>()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const [, parent = 0] = /\) \S (\d+)/.exec(stat)?.map(Number) ?? []
      parents.set(Number(pid), { parent, line: readFileSync(`/proc/${pid}/cmdline`, 'utf8') })
    } catch {
      // It ended while we looked.
    }
  }
  const isOurs = (pid: number): boolean => pid === process.pid || (pid > 1 && isOurs(parents.get(pid)?.parent ?? 0))
  return [...parents].flatMap(([pid, { parent, line }]) => (/chrom/.test(line) && isOurs(parent) ? [pid] : []))
}

/** The one that Playwright started, which has the pipe to it. */
function mainChromium(): number {
  const found = chromiumsOfOurs().find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--remote-debugging-pipe'))
  if (found === undefined) throw new Error('expected a running Chromium')
  return found
}

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

    const done = await crawled(routes, paths, { rules: [{ waitMs: 1_000 }] })

    expect(done.items.map(({ text }) => text.trim()).toSorted()).toEqual(built)
    expect(done.report.failures).toEqual([{ reason: 'browser-page', count: 1 }])
    expect(done.site.asked.toSorted()).toEqual(paths.map((path) => `GET ${path}`))
    expect(chromiumsOfOurs()).toEqual([])
  })
})

describe.skipIf(!hasChromium || process.platform !== 'linux')('a browser that breaks down', { timeout: 60_000 }, () => {
  it('costs its pages nothing: they come again, and no failure is counted', async () => {
    let times = 0
    const routes: Record<string, Route> = {
      '/': (_request, response) => void response.writeHead(200, html).end('<body>tea<script src=/app.js></script>'),
      '/app.js': (_request, response) => {
        if (times++ === 0) process.kill(mainChromium(), 'SIGKILL')
        response.writeHead(200, { 'content-type': 'text/javascript' }).end('document.body.append(" built")')
      },
    }

    const done = await crawled(routes, ['/'])

    expect(textOf(done, '/')).toBe('tea built')
    expect(done.report.counts).toMatchObject({ done: 1, failed: 0 })
    expect(done.why).toEqual([])
    expect(done.site.asked).toEqual(['GET /', 'GET /app.js', 'GET /', 'GET /app.js'])
    expect(chromiumsOfOurs()).toEqual([])
  })
})
