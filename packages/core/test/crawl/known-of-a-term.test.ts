// Links that are known from commits of an earlier term: the store may be another one since, so they are written again.
import { crawl, link, memoryFrontier, spider } from 'avocet'
import type { Fetcher, Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { expect, it } from 'vitest'

const seeds = ['http://a.test/1', 'http://a.test/2']
const pages = spider({
  name: 'pages',
  seeds,
  handlers: { start: ({ url }) => (seeds.includes(url.href) ? [link('http://a.test/x')] : []) },
})

/** How often the link that both pages have is written, where the term rises with the first commit of it or does not. */
async function timesWritten(rises: boolean): Promise<number> {
  const clock = new VirtualClock()
  const inner = memoryFrontier()
  let [term, times] = [0, 0]
  const frontier: Frontier = {
    ...inner,
    sharing: {
      ...{ news: async () => [], changedElsewhere: () => false, share: () => undefined },
      tenure: { now: () => clock.now(), heldUntil: () => Infinity, term: () => term },
    },
    async commit(units) {
      const writing = units.filter(({ links }) => links.some(({ url }) => url === 'http://a.test/x'))
      times += writing.length
      const results = await inner.commit(units)
      if (!rises || term === 1 || writing.length === 0) return results
      // Signed in anew: nothing that was leased before is this process's any more.
      term = 1
      await inner.release(writing.map(({ lease }) => ({ lease, rest: { readyAt: 0, memory: {} } })))
      return results
    },
  }
  const fetcher: Fetcher = {
    close: async () => {},
    fetch({ url }, receiver) {
      receiver.sent()
      const timings = { firstByteMs: 1, bodyMs: 1, reusedSocket: false }
      const done = (): void => receiver.done({ url, status: 200, headers: {}, body: new Uint8Array(), wireBytes: 0, timings })
      const timer = clock.at(clock.now() + 100, done)
      return () => timer[Symbol.dispose]()
    },
  }
  await clock.run(() => crawl({ policies: [], spider: pages, clock, fetcher, frontier, concurrency: 1, delayMs: 1_000 }).run())
  return times
}

it('a link is written once in one term, and again in the next', async () => {
  expect(await timesWritten(false)).toBe(1)
  expect(await timesWritten(true)).toBe(2)
})
