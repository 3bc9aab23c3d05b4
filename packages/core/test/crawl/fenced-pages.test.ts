// Pages whose commit was fenced: the host had been taken from this process, so they are requested again, and never counted.
import { crawl, memoryFrontier, spider } from 'avocet'
import type { CommitResult, Fetcher, Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { expect, it } from 'vitest'

const HOSTS = Array.from({ length: 6 }, (_, n) => `http://h${n}.test/`)
const pages = spider({ name: 'pages', seeds: HOSTS, handlers: { start: ({ url }) => [{ page: url.href }] } })

function fetcherOf(asked: string[]): Fetcher {
  return {
    close: async () => {},
    fetch({ url }, receiver) {
      asked.push(url)
      receiver.sent()
      const timings = { firstByteMs: 1, bodyMs: 1, reusedSocket: false }
      receiver.done({ url, status: 200, headers: {}, body: new Uint8Array(), wireBytes: 0, timings })
      return () => {}
    },
  }
}

/** Fences the first `groups` groups with a page, and lets others have their hosts. */
function fencing(groups: number): Frontier {
  const inner = memoryFrontier()
  let left = groups
  return {
    ...inner,
    async commit(units) {
      if (left === 0 || units.every(({ outcome }) => outcome === undefined)) return inner.commit(units)
      left--
      const leases = new Map(units.map(({ lease }) => [lease.hostKey, lease]))
      await inner.release([...leases.values()].map((lease) => ({ lease, rest: { readyAt: 0, memory: {} } })))
      return units.map((): CommitResult => ({ status: 'fenced', gained: [], added: 0, known: 0 }))
    },
  }
}

it('do not count for maxPages, nor in the report: as many others are requested', async () => {
  const clock = new VirtualClock()
  const asked: string[] = []

  const report = await clock.run(() =>
    crawl({
      policies: [],
      spider: pages,
      clock,
      fetcher: fetcherOf(asked),
      frontier: fencing(1),
      maxPages: 4,
      concurrency: 8,
    }).run(),
  )

  expect(report).toMatchObject({ ended: 'limit', run: { pages: 4, items: 4 } })
  expect(asked.length).toBe(8)
})
