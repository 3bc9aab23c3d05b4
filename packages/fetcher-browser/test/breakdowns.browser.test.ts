// A browser that is killed, or stopped, while it has pages: they come again, nothing is counted, and no process is left. Each test has a browser of its own.
import { existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { crawled, textOf } from './crawled.ts'
import { scriptSite, type Route } from './script-site.ts'
import { CHROMIUM, hasChromium } from './shared-chromium.ts'
import { launchOf } from '../src/launch.ts'

const html = { 'content-type': 'text/html; charset=utf-8' }
const script = { 'content-type': 'text/javascript' }
const BUILT = 'document.body.append(" built")'

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

/** Empty for a process that has ended. */
function lineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** Those that Playwright started; what they started themselves has a type. */
function mainChromiums(): number[] {
  const found = chromiumsOfOurs().filter((pid) => {
    const line = lineOf(pid)
    return line.includes('--remote-debugging-pipe') && !line.includes('--type=')
  })
  if (found.length === 0) throw new Error('expected a running Chromium')
  return found
}

describe.skipIf(!hasChromium || process.platform !== 'linux')('a browser that breaks down', { timeout: 60_000 }, () => {
  it('costs its pages nothing: they come again, and no failure is counted', async () => {
    let times = 0
    const routes: Record<string, Route> = {
      '/': (_request, response) => void response.writeHead(200, html).end('<body>tea<script src=/app.js></script>'),
      '/app.js': (_request, response) => {
        if (times++ === 0) for (const pid of mainChromiums()) process.kill(pid, 'SIGKILL')
        response.writeHead(200, { 'content-type': 'text/javascript' }).end('document.body.append(" built")')
      },
    }

    const done = await crawled(routes, ['/'], { isOwn: true })

    expect(textOf(done, '/')).toBe('tea built')
    expect(done.report.counts).toMatchObject({ done: 1, failed: 0 })
    expect(done.why).toEqual([])
    expect(done.site.asked).toEqual(['GET /', 'GET /app.js', 'GET /', 'GET /app.js'])
    await expect.poll(chromiumsOfOurs).toEqual([])
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
    await expect.poll(chromiumsOfOurs).toEqual([])
  })

  it('leaves no profile behind where its process was killed: the next one removes it', async () => {
    const left = join(tmpdir(), `playwright_chromiumdev_profile-test${process.pid}`)
    const [ofDead, ofOthers] = [`${left}a`, `${left}b`]
    for (const folder of [ofDead, ofOthers]) mkdirSync(folder)
    writeFileSync(join(ofDead, 'avocet-owner.txt'), `4194305 ${readlinkSync('/proc/self/ns/pid')}`)
    const { browser } = await launchOf(CHROMIUM)()
    const ours = readdirSync(tmpdir()).filter((name) => existsSync(join(tmpdir(), name, 'avocet-owner.txt')))
    const beside = await launchOf(CHROMIUM)()

    const kept = ours.filter((name) => existsSync(join(tmpdir(), name)))
    expect([existsSync(ofDead), existsSync(ofOthers), kept]).toEqual([false, true, ours])
    expect(ours).not.toEqual([])

    for (const each of [browser, beside.browser]) await each.close()
    rmSync(ofOthers, { recursive: true })
  })

  it('by one page again and again costs that page alone, and none that was built beside it', async () => {
    let breakdowns = 0
    const bystander: Route = (_request, response) => void setTimeout(() => response.writeHead(200, script).end(BUILT), 1_000)
    const routes: Record<string, Route> = {
      '/breaks': '<body>breaks<script src=/breaks.js></script>',
      '/breaks.js': (_request, response) => {
        breakdowns++
        for (const pid of mainChromiums()) process.kill(pid, 'SIGKILL')
        response.end()
      },
    }
    const beside = { '/modest': '<body>modest<script src=/app.js></script>', '/app.js': bystander }
    await using first = await scriptSite(beside)
    await using second = await scriptSite(beside)

    const done = await crawled(routes, ['/breaks', `${first.origin}/modest`, `${second.origin}/modest`], { isOwn: true })

    expect(done.items.map(({ text }) => text)).toEqual(['modest built', 'modest built'])
    expect(done.why).toEqual([expect.stringContaining('does not break the browser, as it did 3 times in a row')])
    expect(done.report.counts).toMatchObject({ done: 2, failed: 1 })
    expect(breakdowns).toBe(3)
    await expect.poll(chromiumsOfOurs).toEqual([])
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
    await expect.poll(chromiumsOfOurs).toEqual([])
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

    expect(performance.now() - startedAt).toBeLessThan(40_000)
    expect(done.report.counts).toMatchObject({ done: 0, failed: 0, waiting: 1 })
    await expect.poll(chromiumsOfOurs).toEqual([])
  })
})
