// A delay between two requests to a host, as its server counts it: from one arrival to the next.
import { crawl, fixedDelay, memoryFrontier, spider } from 'avocet'
import type { Fetcher } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const DELAY_MS = 500

type How = Partial<Parameters<typeof crawl>[0]>

/** One delay between requests, and how many may be in flight. */
const bounded = (maxInFlight: number): How => ({ hosts: { '*': { delayMs: DELAY_MS, maxInFlight } } })

/** When the requests to each host arrive, where each has to wait so long for its connection, in the order in which they begin. */
async function arrivals(connectMs: readonly number[], paths: readonly string[], how: How): Promise<Map<string, number[]>> {
  const clock = new VirtualClock()
  const sentAt = new Map<string, number[]>()
  const waits = [...connectMs]
  const fetcher: Fetcher = {
    fetch(outbound, receiver) {
      const { url } = outbound
      const { host } = new URL(url)
      const connected = clock.at(clock.now() + (waits.shift() ?? 0), () => {
        receiver.sent()
        sentAt.set(host, [...(sentAt.get(host) ?? []), clock.now()])
        const answer = { status: 200, headers: { 'content-type': 'text/html' } }
        receiver.headers(answer)
        const timings = { firstByteMs: 0, bodyMs: 0, reusedSocket: false }
        receiver.done({ url, ...answer, body: new Uint8Array(), wireBytes: 0, timings })
      })
      return () => connected[Symbol.dispose]()
    },
    close: () => Promise.resolve(),
  }
  const pages = spider({ name: 'delay', seeds: paths.map((path) => `http://${path}`), handlers: { start: () => [] } })
  const run = crawl({ spider: pages, policies: [], clock, fetcher, ...how })
  await clock.run(() => run.run())
  return sentAt
}

/** The times between requests to one host as they arrive. */
async function gaps(connectMs: readonly number[], how: How = bounded(1)): Promise<number[]> {
  const paths = connectMs.map((_, n) => `shop.test/${n}`)
  return gapsOf((await arrivals(connectMs, paths, how)).get('shop.test') ?? [])
}

function gapsOf(sentAt: readonly number[]): number[] {
  return sentAt.slice(1).map((at, n) => at - (sentAt[n] ?? 0))
}

describe('a delay', () => {
  it('is no shorter where the first request has to open a connection', async () => {
    expect(await gaps([400, 0, 0, 0])).toEqual([500, 500, 500])
  })

  it('is longer by the connection where each request opens one', async () => {
    expect(await gaps([400, 400, 400])).toEqual([900, 900])
  })

  it('is whole at the first request that need not, however many had to', async () => {
    expect(await gaps([400, 400, 400, 0, 0])).toEqual([900, 900, 500, 500])
  })

  it('lets no second request go while the first is still to be sent, however many may be in flight', async () => {
    const felt = await gaps([2_000, 0, 0, 0, 0], bounded(4))

    expect(Math.min(...felt)).toBe(500)
  })

  it('of the rate policy that a crawl has without any is whole', async () => {
    expect(await gaps([3_000, 0, 0], {})).toEqual([1_000, 1_000])
  })

  it('of a chosen fixed delay is whole, however many may be in flight', async () => {
    const chosen = (maxInFlight: number): How => ({
      policies: [fixedDelay({ delayMs: DELAY_MS, maxInFlight })],
    })

    expect(await gaps([3_000, 0, 0], chosen(1))).toEqual([500, 500])
    expect(Math.min(...(await gaps([3_000, 0, 0, 0], chosen(4))))).toBe(500)
  })

  it('is whole over a hand-over: the host was given back for another process before its request was sent', async () => {
    const begin = new VirtualClock().now()
    const share = (now: number): number | undefined => (now > begin + 2_000 && now < begin + 9_000 ? 1 : undefined)
    const frontier = { ...memoryFrontier(), sharing: { news: async () => [], share, changedElsewhere: () => true } }
    const seeds = ['a.test/0', 'b.test/0', 'a.test/1', 'b.test/1']
    const sentAt = await arrivals([8_000, 8_000], seeds, { frontier, hosts: { '*': { delayMs: 10_000 } } })

    expect([...sentAt.values()].map(gapsOf)).toEqual([[10_000], [10_000]])
  })
})
