// The moment until when a host asks to be left alone: one, for core and for each plugin that reads it from the answer.
import { crawl, definePlugin, spider } from 'avocet'
import { retryAfterAt } from '@avocet/core/plugin'
import type { Fetcher } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { expect, it } from 'vitest'

/** Time passes between any two looks at it, as on a busy machine. */
class BusyClock extends VirtualClock {
  #looks = 0

  override now(): number {
    return super.now() + ++this.#looks / 1_000
  }
}

const refusing: Fetcher = {
  fetch({ url }, receiver) {
    receiver.sent()
    const answer = { status: 429, headers: { 'retry-after': '120' } }
    receiver.headers(answer)
    const timings = { firstByteMs: 0, bodyMs: 0, reusedSocket: false }
    receiver.done({ url, ...answer, body: new Uint8Array(), wireBytes: 0, timings })
    return () => undefined
  },
  close: () => Promise.resolve(),
}

it('is the one that plugins compute, however busy the machine is', async () => {
  const read: (number | undefined)[] = []
  const held: number[] = []
  const reader = definePlugin({
    name: 'reader',
    onResponse: ({ exchange, response, now }) =>
      void read.push(retryAfterAt(response.headers, now, exchange.random('retry-after'))),
    onTrace: (event) => void (event.kind === 'held' && event.hold && held.push(event.hold.until)),
  })
  const pages = spider({ name: 'asked', seeds: ['http://shop.test/'], handlers: { start: () => [] } })
  const clock = new BusyClock()
  const run = crawl({ spider: pages, policies: [], plugins: [reader], clock, fetcher: refusing, patienceMs: 1_000 })
  await clock.run(() => run.run())

  expect(read).toHaveLength(1)
  expect(held).toContain(read[0])
})
