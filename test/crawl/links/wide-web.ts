// A web of as many hosts as a test names, each a site without an end: page n links to page n + 30. For questions about who gets the slots.
import { crawl, link, spider, type Crawl, type CrawlConfig, type Spider } from 'avocet'
import { failure, type Fetcher } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'

/** How one host answers. */
export interface WideHost {
  /** From the request to the answer. */
  readonly latencyMs: number
  /** The answer to its first request, and to no other. */
  readonly first?: { readonly status: number; readonly headers: Readonly<Record<string, string>> }
  /** Never answers. */
  readonly hangs?: boolean
}

const FAN = 30

/** Page n of a host has `pages - n` after it; with no number they have no end. */
export function wideSpider(
  hosts: readonly string[],
  rest: { pages?: number; handlers?: Spider['handlers'] } = {},
): CrawlConfig['spider'] {
  const { pages = Infinity, handlers } = rest
  return spider({
    name: 'wide',
    seeds: hosts.map((host) => `http://${host}/0`),
    scope: { hosts: [...hosts, 'new.test'] },
    handlers: handlers ?? {
      *start({ url }) {
        const n = Number(url.pathname.slice(1))
        for (const next of n === 0 ? Array.from({ length: FAN }, (_, k) => k + 1) : [n + FAN])
          if (next < pages) yield link(`${url.origin}/${next}`)
      },
    },
  })
}

/** Answers for every host. */
export function wideWeb(clock: VirtualClock, hostOf: (name: string) => WideHost): Fetcher {
  const met = new Set<string>()
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  return {
    fetch(outbound, receiver) {
      const { hostname } = new URL(outbound.url)
      const { latencyMs, first, hangs = false } = hostOf(hostname)
      const isFirst = !met.has(hostname)
      met.add(hostname)
      const answer = (isFirst && first) || { status: 200, headers }
      receiver.sent()
      const wake = clock.at(clock.now() + (hangs ? outbound.limits.firstByteMs : latencyMs), () => {
        if (hangs) return receiver.failed(failure('AVO_FIRST_BYTE_TIMEOUT', 'as the test wants it', { sent: true }))
        receiver.headers(answer)
        const timings = { firstByteMs: latencyMs, bodyMs: 0, reusedSocket: false }
        receiver.done({ url: outbound.url, ...answer, body: new Uint8Array(), wireBytes: 0, timings })
      })
      return () => wake[Symbol.dispose]()
    },
    close: () => Promise.resolve(),
  }
}

/** What a run came to. */
export interface WideRun {
  /** Moments, in ms since the start, at which pages of each host were settled. */
  readonly settled: ReadonlyMap<string, readonly number[]>
  /** The most hosts that were held at once. */
  readonly mostHeld: number
  readonly endedAfterMs: number
  pagesOf(host: string): number
}

/** Runs it on virtual time. */
export async function wideRun(
  config: Omit<CrawlConfig, 'clock' | 'fetcher'> & { readonly clock?: VirtualClock },
  hostOf: (name: string) => WideHost,
): Promise<WideRun> {
  const clock = config.clock ?? new VirtualClock()
  const made = crawl({ policies: [], randomSeed: 'wide', drainMs: 0, ...config, clock, fetcher: wideWeb(clock, hostOf) })
  const watched = watch(made, clock)
  const startedAt = clock.now()
  await clock.run(() => made.run())
  return { ...watched(), endedAfterMs: clock.now() - startedAt }
}

/** Counts what a crawl does; call the answer once it is over. */
export function watch(made: Crawl, clock: VirtualClock): () => Omit<WideRun, 'endedAfterMs'> {
  const startedAt = clock.now()
  const settled = new Map<string, number[]>()
  let mostHeld = 0
  made.hooks.onSettled.tap('watch', ({ request, outcome, now }) => {
    if (outcome.kind === 'done') settled.set(request.hostKey, [...(settled.get(request.hostKey) ?? []), now - startedAt])
  })
  const look = (): void => {
    const { phase, liveHosts } = made.status()
    mostHeld = Math.max(mostHeld, liveHosts)
    if (phase !== 'closed') clock.at(clock.now() + 50, look)
  }
  clock.at(startedAt, look)
  return () => ({ settled, mostHeld, pagesOf: (host) => settled.get(host)?.length ?? 0 })
}
