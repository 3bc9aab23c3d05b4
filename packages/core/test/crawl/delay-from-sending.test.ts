// A delay between two requests to a host, as its server counts it: from one arrival to the next.
import { crawl, spider } from '@avocet/core'
import type { Fetcher } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const DELAY_MS = 500

/** The times between requests as they arrive, where each has to wait so long for its connection. */
async function gaps(connectMs: readonly number[], maxInFlight = 1): Promise<number[]> {
  const clock = new VirtualClock()
  const sentAt: number[] = []
  const waits = [...connectMs]
  const fetcher: Fetcher = {
    fetch(outbound, receiver) {
      const { url } = outbound
      const connected = clock.at(clock.now() + (waits.shift() ?? 0), () => {
        receiver.sent()
        sentAt.push(clock.now())
        const answer = { status: 200, headers: { 'content-type': 'text/html' } }
        receiver.headers(answer)
        const timings = { firstByteMs: 0, bodyMs: 0, reusedSocket: false }
        receiver.done({ url, ...answer, body: new Uint8Array(), wireBytes: 0, timings })
      })
      return () => connected[Symbol.dispose]()
    },
    close: () => Promise.resolve(),
  }
  const seeds = connectMs.map((_, n) => `http://shop.test/${n}`)
  const pages = spider({ name: 'delay', seeds, handlers: { start: () => [] } })
  const run = crawl({ spider: pages, policies: [], clock, fetcher, hosts: { '*': { delayMs: DELAY_MS, maxInFlight } } })
  await clock.run(() => run.run())
  return sentAt.slice(1).map((at, n) => at - (sentAt[n] ?? 0))
}

describe('a delay', () => {
  it('is no shorter where the first request has to open a connection', async () => {
    expect(await gaps([400, 0, 0, 0])).toEqual([500, 500, 500])
  })

  it('is longer by its connection where each request has to', async () => {
    expect(await gaps([400, 400, 400])).toEqual([900, 900])
  })

  it('is whole at the first request that need not, however many had to', async () => {
    expect(await gaps([400, 400, 400, 0, 0])).toEqual([900, 900, 500, 500])
  })

  it('lets no second request go while the first is still to be sent, however many may be in flight', async () => {
    const felt = await gaps([2_000, 0, 0, 0, 0], 4)

    expect(Math.min(...felt)).toBe(500)
  })
})
