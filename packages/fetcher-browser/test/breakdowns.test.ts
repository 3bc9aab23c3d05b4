// A browser that is killed, or stopped, while it has pages: they come again, nothing is counted, and no process is left. Each test has a browser of its own.
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { crawled, textOf } from './crawled.ts'
import type { Route } from './script-site.ts'
import { hasChromium } from './shared-chromium.ts'

const html = { 'content-type': 'text/html; charset=utf-8' }
const script = { 'content-type': 'text/javascript' }

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

    const done = await crawled(routes, ['/'], { isOwn: true })

    expect(textOf(done, '/')).toBe('tea built')
    expect(done.report.counts).toMatchObject({ done: 1, failed: 0 })
    expect(done.why).toEqual([])
    expect(done.site.asked).toEqual(['GET /', 'GET /app.js', 'GET /', 'GET /app.js'])
    expect(chromiumsOfOurs()).toEqual([])
  })

  it('is killed when it does not react, and its page comes again', async () => {
    let times = 0
    const routes: Record<string, Route> = {
      '/': '<body>tea<script src=/app.js></script>',
      '/app.js': (_request, response) => {
        if (times++ === 0) for (const pid of chromiumsOfOurs()) process.kill(pid, 'SIGSTOP')
        response.writeHead(200, script).end('document.body.append(" built")')
      },
    }

    const done = await crawled(routes, ['/'], { rules: [{ waitMs: 500 }], reactMs: 2_000, isOwn: true })

    expect(textOf(done, '/')).toBe('tea built')
    expect(done.report.counts).toMatchObject({ done: 1, failed: 0 })
    expect(done.site.asked).toEqual(['GET /', 'GET /app.js', 'GET /', 'GET /app.js'])
    expect(chromiumsOfOurs()).toEqual([])
  })

  it.each([
    ['in the heap of its scripts', 'new Array(200_000).fill(1.5)'],
    ['beside it', 'new Float64Array(4_000_000).fill(1.5)'],
  ])('is left by a page that allocates without end, %s, and fails alone', async (_where, value) => {
    const hoards = `<body><script>setTimeout(() => { const all = []; for (;;) all.push(${value}) })</script>`

    const done = await crawled({ '/hoards': hoards, '/modest': '<body>modest' }, ['/hoards', '/modest'], {
      rules: [{ match: /hoards/, waitMs: 25_000, waitFor: 'p' }, {}],
      isOwn: true,
    })

    expect(textOf(done, '/modest')).toBe('modest')
    expect(done.why).toEqual([expect.stringContaining('its tab crashed')])
    expect(chromiumsOfOurs()).toEqual([])
  })

  it('ends with a crawl that is stopped while a page builds, and that page is requested by the next run', async () => {
    const routes: Record<string, Route> = {
      '/': '<body>slow<script src=/app.js></script>',
      '/app.js': (_request, response) => {
        stop()
        response.writeHead(200, script).end('setInterval(() => fetch("/api"), 20)')
      },
      '/api': (_request, response) => void response.writeHead(200).end(),
    }
    let stop = (): void => {}
    const startedAt = performance.now()

    const done = await crawled(routes, ['/'], {
      rules: [{ waitMs: 50_000 }],
      isOwn: true,
      config: { drainMs: 1_000 },
      onMade: (made) => (stop = () => made.stop()),
    })

    expect(performance.now() - startedAt).toBeLessThan(20_000)
    expect(done.report.counts).toMatchObject({ done: 0, failed: 0, waiting: 1 })
    expect(chromiumsOfOurs()).toEqual([])
  })
})
