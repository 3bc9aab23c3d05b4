// Whole crawls on one server, on the real clock: two processes, and a server that is killed meanwhile.
import { crawl, link, spider } from 'avocet'
import { type Fetcher, systemClock } from '@avocet/core/store'
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresFrontier } from '../src/index.ts'

const missing = postgresMissing()
const HOSTS = Array.from({ length: 8 }, (_, n) => `h${n}.test`)
const PAGES = 12
const LATENCY_MS = 20
const DELAY_MS = 150
/** What two clocks may differ by that are set over a network, and a busy machine. */
const OFF_MS = 40

/** An exchange as its host felt it: ms of this machine. */
interface Felt {
  readonly host: string
  readonly path: string
  readonly from: number
  readonly until: number
}

/** Page n of a host links to page n + 1. */
function chain(): ReturnType<typeof spider> {
  return spider({
    name: 'chain',
    seeds: HOSTS.map((host) => `http://${host}/1`),
    handlers: {
      *start({ url }) {
        const n = Number(url.pathname.slice(1))
        yield { page: url.href }
        if (n < PAGES) yield link(`${url.origin}/${n + 1}`)
      },
    },
  })
}

function web(felt: Felt[]): Fetcher {
  const clock = systemClock()
  return {
    fetch(outbound, receiver) {
      const { hostname: host, pathname: path } = new URL(outbound.url)
      const from = clock.monotonic()
      receiver.sent()
      const answer = { status: 200, headers: { 'content-type': 'text/html' } }
      const wake = clock.at(clock.now() + LATENCY_MS, () => {
        felt.push({ host, path, from, until: clock.monotonic() })
        receiver.headers(answer)
        const timings = { firstByteMs: LATENCY_MS, bodyMs: 0, reusedSocket: false }
        receiver.done({ url: outbound.url, ...answer, body: new Uint8Array(), wireBytes: 0, timings })
      })
      return () => wake[Symbol.dispose]()
    },
    close: () => Promise.resolve(),
  }
}

/** Pairs of exchanges at one host that overlapped, or began within so many ms. */
function tooClose(felt: readonly Felt[], ms: number): number {
  return HOSTS.reduce((sum, host) => {
    const own = felt.filter((one) => one.host === host).toSorted((a, b) => a.from - b.from)
    return sum + own.slice(1).filter((one, n) => one.from < (own[n]?.until ?? 0) || one.from - (own[n]?.from ?? 0) < ms).length
  }, 0)
}

describe.skipIf(missing !== undefined)(`crawls on one server ${missing ?? ''}`, () => {
  let server: TestPostgres
  let crawls = 0

  beforeAll(async () => {
    server = await postgresDatabase()
  })

  afterAll(() => server.stop())

  async function crawled(processes: number, meanwhile: () => Promise<void> = () => Promise.resolve()) {
    const url = `${server.url}?crawl=crawl-${String(++crawls)}`
    const felt: Felt[] = []
    const frontiers = Array.from({ length: processes }, () => postgresFrontier(url, { allowUnsafe: true }))
    const runs = frontiers.map((frontier) =>
      crawl({
        policies: [],
        spider: chain(),
        frontier,
        fetcher: web(felt),
        concurrency: 8,
        hosts: { '*': { delayMs: DELAY_MS } },
      }).run(),
    )
    const [reports] = await Promise.all([Promise.all(runs), meanwhile()])
    const [frontier] = frontiers
    const counts = await frontier?.reader.counts()
    const items = await frontier?.reader.items({ afterSeq: 0, limit: 1_000 })
    for (const each of frontiers) await each.close()
    return { felt, reports, counts, items: new Set(items?.map(({ json }) => json)) }
  }

  it('of two processes have each page once, and no host hears both at once', async () => {
    const { felt, reports, counts, items } = await crawled(2)

    expect(reports.map(({ ended }) => ended)).toEqual(['done', 'done'])
    expect(counts).toMatchObject({ done: HOSTS.length * PAGES, waiting: 0, items: HOSTS.length * PAGES })
    expect(items.size).toBe(HOSTS.length * PAGES)
    expect(felt).toHaveLength(HOSTS.length * PAGES)
    expect(tooClose(felt, DELAY_MS - OFF_MS)).toBe(0)
  })

  it('go on when the server was killed and is back', { timeout: 60_000 }, async () => {
    const clock = systemClock()
    const { felt, reports, counts } = await crawled(2, async () => {
      await new Promise<void>((go) => clock.at(clock.now() + 700, go))
      await server.crash?.()
    })

    expect(reports.map(({ ended }) => ended)).toEqual(['done', 'done'])
    expect(counts).toMatchObject({ done: HOSTS.length * PAGES, waiting: 0, items: HOSTS.length * PAGES })
    expect(tooClose(felt, DELAY_MS - OFF_MS)).toBe(0)
    // No host changed hands, so nothing but what was in flight can have been asked for twice.
    expect(felt.length).toBe(HOSTS.length * PAGES)
  })
})
