// A web whose pages a test writes as a function of their URL: for sites without an end.
import { crawl, memoryFrontier, spider, type Crawl, type CrawlConfig, type CrawlReport } from 'avocet'
import type { Fetcher, Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { withJournal } from './with-journal.ts'
import { expectToAgree } from './runs.ts'

/** The HTML of a page; undefined: there is none (404). A text that begins with a slash is the path that it redirects to. */
export type Writer = (url: URL) => string | undefined

/** Header fields of a page. */
type Fields = (url: URL) => Readonly<Record<string, string>>

/** How many pages of each host were asked for. */
interface Asked {
  /** Path and query of what was asked for, in order. */
  readonly log: readonly string[]
  pagesOf(host: string): number
  /** Host names that were asked and end in `suffix`. */
  hostsUnder(suffix: string): number
}

/** What a run came to. */
export interface WrittenRun extends Asked {
  readonly report: CrawlReport
  readonly frontier: Frontier
}

/** A spider that follows every link, and yields an item of each page on which `itemOf` finds one. */
export function followAll(
  seeds: readonly string[],
  itemOf: (url: URL) => object | undefined = () => undefined,
): CrawlConfig['spider'] {
  return spider({
    name: 'traps',
    seeds,
    scope: { within: 'seed-domains' },
    handlers: {
      *start(page) {
        const item = itemOf(page.url)
        if (item !== undefined) yield item
        yield* page.links()
      },
    },
  })
}

/** Crawls what `write` writes, on virtual time, with nothing between two requests to one host. */
export async function crawlWritten(
  write: Writer,
  { fields, ...config }: Omit<CrawlConfig, 'clock' | 'fetcher'> & { readonly clock?: VirtualClock; readonly fields?: Fields },
  during: (made: Crawl, clock: VirtualClock) => void = () => {},
): Promise<WrittenRun> {
  const clock = config.clock ?? new VirtualClock()
  const frontier = config.frontier ?? memoryFrontier()
  const asked = new Map<string, number>()
  const log: string[] = []
  const written: Writer = (url) => {
    log.push(url.pathname + url.search)
    return write(url)
  }
  const made = crawl({
    policies: [],
    delayMs: 0,
    randomSeed: 'traps',
    ...config,
    plugins: withJournal(config.plugins),
    frontier,
    clock,
    fetcher: writtenWeb(clock, asked, { written, fields }),
  })
  during(made, clock)
  // Who brings a clock lets it run.
  const report = await (config.clock ? made.run() : clock.run(() => made.run()))
  // Beside others it knows its own part.
  if (config.clock === undefined) expectToAgree(made.status(), report.counts)
  return {
    report,
    frontier,
    log,
    pagesOf: (host) => asked.get(host) ?? 0,
    hostsUnder: (suffix) => [...asked.keys()].filter((host) => host.endsWith(suffix)).length,
  }
}

function writtenWeb(
  clock: VirtualClock,
  asked: Map<string, number>,
  { written, fields }: { written: Writer; fields: Fields | undefined },
): Fetcher {
  const type = { 'content-type': 'text/html; charset=utf-8' }
  return {
    fetch(outbound, receiver) {
      const url = new URL(outbound.url)
      asked.set(url.host, (asked.get(url.host) ?? 0) + 1)
      receiver.sent()
      const wake = clock.at(clock.now() + 10, () => {
        const html = written(url)
        const to = html?.startsWith('/') ? html : undefined
        const status = html === undefined ? 404 : to === undefined ? 200 : 302
        const headers = { ...type, ...fields?.(url), ...(to !== undefined && { location: to }) }
        receiver.headers({ status, headers })
        const body = new TextEncoder().encode(html ?? 'none')
        const timings = { firstByteMs: 10, bodyMs: 0, reusedSocket: true }
        receiver.done({ url: outbound.url, status, headers, body, wireBytes: body.length, timings })
      })
      return () => wake[Symbol.dispose]()
    },
    close: () => Promise.resolve(),
  }
}
