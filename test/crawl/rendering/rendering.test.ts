// Which pages a browser fetches, and that they are requests like any other. The browser here is a second scripted web that says so in its pages.
import { definePlugin, link, type CrawlConfig, type LinkOptions, type Page, type Spider } from '@avocet/core'
import type { FailureCode } from '@avocet/core/plugin'
import { failure, type Fetcher, type FetchReceiver, type Outbound } from '@avocet/core/store'
import { proxyServer } from '@avocet/plugin-proxies'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from '../harness.ts'
import { scriptedWeb, type Answer } from '../scripted-web.ts'

const A = 'http://a.test'
const MINUTE = 60_000

type Browser = NonNullable<CrawlConfig['browser']>

const wants: NonNullable<Fetcher['rendering']>['wants'] = ({ url, render }) =>
  render !== undefined || new URL(url).pathname.startsWith('/app/')

/** Renders what begins with `/app/`, by rule, and what it is told to. */
class ScriptedBrowser {
  readonly maxPages: number
  readonly seen: Outbound[] = []
  mostAtOnce = 0
  closed = 0
  readonly #web: Fetcher
  #open = 0

  constructor(clock: VirtualClock, script: Readonly<Record<string, Answer>>, maxPages = 4) {
    this.#web = scriptedWeb(clock, script)
    this.maxPages = maxPages
  }

  readonly browser: Browser = ({ http }) => {
    const isFull = (): boolean => this.#open >= this.maxPages
    const { maxPages } = this
    return {
      rendering: {
        wants,
        get fullAt() {
          return isFull() ? maxPages : undefined
        },
      },
      fetch: (outbound, receiver) => (wants(outbound) ? this.#fetch(outbound, receiver) : http.fetch(outbound, receiver)),
      close: async () => void this.closed++,
    }
  }

  #fetch(outbound: Outbound, receiver: FetchReceiver): () => void {
    this.seen.push(outbound)
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#open)
    return this.#web.fetch(outbound, {
      sent: () => receiver.sent(),
      headers: (head) => receiver.headers(head),
      failed: (why) => receiver.failed(why),
      done: (response) => {
        this.#open--
        receiver.done(response)
      },
    })
  }
}

/** Has trouble of its own with the `nth` page, from 1: after the host was asked for its document. */
class TroubledBrowser {
  /** When each page was requested, epoch ms. */
  readonly at: number[] = []
  readonly #clock: VirtualClock
  readonly #trouble: (nth: number) => FailureCode | undefined

  constructor(clock: VirtualClock, trouble: (nth: number) => FailureCode | undefined) {
    this.#clock = clock
    this.#trouble = trouble
  }

  readonly browser: Browser = ({ http }) => ({
    ...http,
    rendering: { wants, fullAt: undefined },
    fetch: (outbound, receiver) => (wants(outbound) ? this.#fetch(outbound, receiver) : http.fetch(outbound, receiver)),
  })

  #fetch(outbound: Outbound, receiver: FetchReceiver): () => void {
    const nth = this.at.push(this.#clock.now())
    const code = this.#trouble(nth)
    if (code === undefined) return scriptedWeb(this.#clock, { [outbound.url]: { body: 'built' } }).fetch(outbound, receiver)
    receiver.sent()
    queueMicrotask(() => receiver.failed(failure(code, 'it does not start', { sent: true, phase: 'body' })))
    return () => undefined
  }
}

/** The first page leads to `links`, and each page yields its path and its text. */
function spiderOf(links: readonly (readonly [string, LinkOptions])[]): Spider {
  return pathSpider([`${A}/`], {
    handlers: {
      *start({ url, body, request }: Page) {
        yield { path: url.pathname, body, ...(request.render && { render: request.render }) }
        if (url.pathname === '/') for (const [to, options] of links) yield link(to, options)
      },
    },
  })
}

const plain = (path: string): Readonly<Record<string, Answer>> => ({ [A + path]: { body: 'plain' } })
const built = (path: string): Readonly<Record<string, Answer>> => ({ [A + path]: { body: 'built' } })

describe('a browser', () => {
  it('fetches what its rules name and what a link wants rendered, and HTTP the rest', async () => {
    const clock = new VirtualClock()
    const browser = new ScriptedBrowser(clock, { ...built('/app/1'), ...built('/1') })
    const spider = spiderOf([
      ['/app/1', {}],
      ['/1', { render: 'browser' }],
      ['/2', {}],
    ])

    const { items, asked } = await run({ ...plain('/'), ...plain('/2') }, { spider, clock, browser: browser.browser })

    expect(items).toHaveLength(4)
    expect(items).toContainEqual({ path: '/1', body: 'built', render: 'browser' })
    expect(items).toContainEqual({ path: '/app/1', body: 'built' })
    expect(asked.map((line) => line.split(' ')[1])).toEqual(['/', '/2'])
    expect(browser.closed).toBe(1)
  })

  it('shares the pace of the host with HTTP: one request a second, whoever fetches', async () => {
    const clock = new VirtualClock()
    const starts: number[] = []
    const browser = new ScriptedBrowser(clock, { ...built('/app/1'), ...built('/app/2') })
    const spider = spiderOf([
      ['/app/1', {}],
      ['/2', {}],
      ['/app/2', {}],
    ])

    await run({ ...plain('/'), ...plain('/2') }, { spider, clock, browser: browser.browser }, ({ hooks }) => {
      hooks.onAdmit.tap('test', () => void starts.push(clock.now()))
    })

    expect(starts).toHaveLength(4)
    expect(Math.min(...starts.slice(1).map((at, n) => at - (starts[n] ?? 0)))).toBeGreaterThanOrEqual(1_000)
  })

  it('has no more pages than it has room for, and keeps no slot from other hosts meanwhile', async () => {
    const clock = new VirtualClock()
    const slow = { body: 'built', afterMs: 10_000 }
    const paths = Array.from({ length: 12 }, (_, n) => `http://app-${String(n)}.test/app/1`)
    const browser = new ScriptedBrowser(clock, Object.fromEntries(paths.map((url) => [url, slow])), 2)
    const spider = pathSpider([...paths, ...Array.from({ length: 8 }, (_, n) => `http://plain-${String(n)}.test/`)])
    const script = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`http://plain-${String(n)}.test/`, {}]))

    const { report, seen } = await run(script, { spider, clock, browser: browser.browser, concurrency: 8 })

    expect(report.counts).toMatchObject({ done: 20, failed: 0 })
    expect(browser.mostAtOnce).toBe(2)
    const startedAt = seen[0]?.at ?? 0
    expect(seen.map(({ at }) => at - startedAt).filter((ms) => ms < 5_000)).toHaveLength(8)
  })

  it('renders the target of a redirect of a page that a link wants rendered, and not the links of that page', async () => {
    const clock = new VirtualClock()
    const browser = new ScriptedBrowser(clock, {
      [`${A}/old`]: { status: 302, headers: { location: '/new' } },
      [`${A}/new`]: { body: '<a href="/more">' },
    })
    const spider = pathSpider([`${A}/`], {
      handlers: {
        *start(page: Page) {
          yield { path: page.url.pathname }
          if (page.url.pathname === '/') yield link('/old', { render: 'browser' })
          else yield* page.links()
        },
      },
    })

    const { asked } = await run({ ...plain('/'), ...plain('/more') }, { spider, clock, browser: browser.browser })

    expect(browser.seen.map(({ url }) => url)).toEqual([`${A}/old`, `${A}/new`])
    expect(asked.map((line) => line.split(' ')[1])).toEqual(['/', '/more'])
  })

  it('that breaks down costs neither its page nor the host: the page is requested again a second later', async () => {
    const clock = new VirtualClock()
    const browser = new TroubledBrowser(clock, (nth) => (nth === 1 ? 'AVO_BROWSER_GONE' : undefined))

    const { report, items } = await run({}, { spider: pathSpider([`${A}/app/1`]), clock, browser: browser.browser })

    expect(items).toHaveLength(1)
    expect(report.counts).toMatchObject({ done: 1, failed: 0 })
    expect(report.failures).toEqual([])
    expect((browser.at[1] ?? 0) - (browser.at[0] ?? 0)).toBeGreaterThanOrEqual(1_000)
  })

  it('that does not start for ten minutes costs no page, and their host a document a minute', async () => {
    const clock = new VirtualClock()
    const startedAt = clock.now()
    const browser = new TroubledBrowser(clock, () => (clock.now() - startedAt < 10 * MINUTE ? 'AVO_BROWSER_GONE' : undefined))
    const seeds = Array.from({ length: 20 }, (_, n) => `${A}/app/${n}`)

    const { report, items } = await run({}, { spider: pathSpider(seeds), clock, browser: browser.browser })

    expect(items).toHaveLength(20)
    expect(report).toMatchObject({ ended: 'done', counts: { done: 20, failed: 0, retiredHosts: 0 } })
    expect(report.problems).toEqual([expect.objectContaining({ message: 'it does not start' })])
    expect(browser.at.filter((at) => at - startedAt < 10 * MINUTE).length).toBeLessThan(20)
  })

  it('that breaks down with a page that goes through a proxy is not taken for the proxy', async () => {
    const clock = new VirtualClock()
    const { browser } = new TroubledBrowser(clock, (nth) => (nth === 1 ? 'AVO_BROWSER_GONE' : undefined))
    const server = proxyServer('http://proxy.test')
    const through = definePlugin({ name: 'through', beforeRequest: (outgoing) => outgoing.setProxy(server) })

    const { report } = await run({}, { spider: pathSpider([`${A}/app/1`]), clock, browser, plugins: [through] })

    expect(report.counts).toMatchObject({ done: 1, failed: 0 })
    expect(report.problems.map(({ message }) => message)).toEqual(['it does not start'])
  })

  it('that never starts ends the crawl once its patience is over, and every page is still waiting', async () => {
    const clock = new VirtualClock()
    const browser = new TroubledBrowser(clock, () => 'AVO_BROWSER_GONE')
    const seeds = [`${A}/plain`, `${A}/app/1`, `${A}/app/2`]

    const { report, frontier } = await run(plain('/plain'), {
      spider: pathSpider(seeds),
      clock,
      browser: browser.browser,
      patienceMs: 15 * MINUTE,
    })

    expect(report).toMatchObject({ ended: 'patience', counts: { done: 1, failed: 0, waiting: 2 } })
    expect(report.why).toMatch(/^all that is left has waited for 1[56] min.*: it does not start$/)
    const waiting = await frontier.reader.requests({ state: 'waiting', limit: 9 })
    expect(waiting.map(({ attempts }) => attempts)).toEqual([0, 0])
  })

  it('that is not there fails the pages that want it, unsent, and says what to do', async () => {
    const { report, asked } = await run(plain('/'), { spider: spiderOf([['/1', { render: 'browser' }]]) })

    expect(asked).toHaveLength(1)
    expect(report.counts).toMatchObject({ done: 1, failed: 1 })
    expect(report.failures).toEqual([{ reason: 'browser-missing', count: 1 }])
    expect(report.problems).toEqual([
      {
        message:
          'expected a browser, for a link or a seed has render, got none; add browser: browser() of @avocet/fetcher-browser to the configuration',
        count: 1,
      },
    ])
  })

  it('is refused in a configuration where it is something else', async () => {
    const config = { spider: spiderOf([]), browser: {} as Browser }

    await expect(run(plain('/'), config)).rejects.toThrow(
      /^expected browser to be browser\(\{ … \}\) of @avocet\/fetcher-browser, got /,
    )
  })
})

describe('render', () => {
  it('makes two requests of one URL, and is not known by the other', async () => {
    const clock = new VirtualClock()
    const browser = new ScriptedBrowser(clock, built('/1'))
    const spider = spiderOf([
      ['/1', {}],
      ['/1', { render: 'browser' }],
      ['/1', { render: 'browser', session: 'alice' }],
    ])

    const { report } = await run({ ...plain('/'), ...plain('/1') }, { spider, clock, browser: browser.browser })

    expect(report.counts).toMatchObject({ known: 4, done: 4 })
    expect(browser.seen).toHaveLength(2)
  })

  it('of a POST is refused where the link is made', () => {
    expect(() => link('/1', { method: 'POST', render: 'browser' })).toThrow(/expected render to be a GET without a body, got/)
  })
})
