// Problems of a crawl that are told at once: whoever watches hears the store and the network, and cannot make problems of its own listening.
import { AvocetError, definePlugin, memoryFrontier } from '@avocet/core'
import { VirtualClock } from '@avocet/testkit'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const FORTY_DAYS = { status: 503, headers: { 'retry-after': String(40 * 86_400) } }

describe('a store in trouble', () => {
  it('is told at once, and listed, also after fifty other problems', async () => {
    const clock = new VirtualClock()
    const startedAt = clock.now()
    const odd = Array.from({ length: 50 }, (_, n) => `http://odd${n}.test/`)
    const store = memoryFrontier()
    const told: string[] = []
    const { report } = await run(
      { ...Object.fromEntries(odd.map((url) => [url, FORTY_DAYS])), 'http://good.test/': { body: 'ok' } },
      {
        spider: pathSpider([...odd, 'http://good.test/']),
        clock,
        frontier: {
          ...store,
          commit: async (turns) => {
            const sinceMs = clock.now() - startedAt
            if (sinceMs > DAY && sinceMs < DAY + HOUR) throw new AvocetError('AVO_FRONTIER_FULL', 'no room')
            return store.commit(turns)
          },
        },
        recrawl: [{ match: /good/, everyMs: HOUR / 2 }],
        maxTimeMs: 2 * DAY,
      },
      (made) => made.hooks.onProblem.tap('pager', ({ message }) => void told.push(message)),
    )

    const message = 'the store could not be used for a time (AVO_FRONTIER_FULL); the crawl waited for it'
    expect(told).toContain(message)
    expect(report.problems).toContainEqual({ message, count: 1 })
  })
})
