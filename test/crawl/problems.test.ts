// Problems of a crawl that are told at once: whoever watches hears the store and the network, and cannot make problems of its own listening.
import { AvocetError, definePlugin, memoryFrontier } from 'avocet'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const FORTY_DAYS = { status: 503, headers: { 'retry-after': String(40 * 86_400) } }

describe('a store in trouble', () => {
  it('is reported at once, and listed, also after fifty other problems', async () => {
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
      (made) => made.hooks.onTrace.tap('pager', (event) => void (event.kind === 'problem' && told.push(event.message))),
    )

    const message = 'the store was temporarily unusable (AVO_FRONTIER_FULL); the crawl waited for it'
    expect(told).toContain(message)
    expect(report.problems).toContainEqual({ message, count: 1 })
  })
})

describe('a tap that hears of problems', () => {
  const seeds = Array.from({ length: 3 }, (_, n) => `http://h${n}.test/`)
  const script = Object.fromEntries(seeds.map((url) => [url, FORTY_DAYS]))

  it('that rejects with another text each time hears of that once, and is counted under its first text', async () => {
    let calls = 0
    const webhook = definePlugin({
      name: 'webhook',
      onTrace: ({ kind }): undefined =>
        kind === 'problem' ? (Promise.reject(new Error(`webhook said 500, request ${++calls}`)) as never) : undefined,
    })
    const { report } = await run(script, { spider: pathSpider(seeds), plugins: [webhook], maxTimeMs: 60_000 })

    // Its own trouble is the fourth problem.
    expect(calls).toBe(4)
    expect(report.run.pluginErrors).toBe(4)
    expect(report.problems.filter(({ message }) => message.includes('webhook'))).toEqual([
      {
        message:
          'plugin webhook returned a promise from onTrace, which is not waited for; what comes after the first await comes too late',
        count: 4,
      },
      { message: 'plugin webhook rejected in onTrace: webhook said 500, request 1', count: 4 },
    ])
  })

  it('that throws another text each time is counted under its first text, and nobody else hears of it', async () => {
    let calls = 0
    const heard: string[] = []
    const broken = definePlugin({
      name: 'broken',
      onTrace({ kind }) {
        if (kind === 'problem') throw new Error(`no mail, try ${++calls}`)
      },
    })
    const pager = definePlugin({
      name: 'pager',
      onTrace: (event) => void (event.kind === 'problem' && heard.push(event.message)),
    })
    const { report } = await run(script, { spider: pathSpider(seeds), plugins: [broken, pager], maxTimeMs: 60_000 })

    expect(calls).toBe(3)
    expect(heard).toHaveLength(3)
    expect(heard.join()).not.toContain('broken')
    expect(report.problems).toContainEqual({ message: 'plugin broken threw in onTrace: no mail, try 1', count: 3 })
  })
})

describe('a problem of the opening', () => {
  /** A store that is full for two minutes when it is opened. */
  function fullAtOpen(clock: VirtualClock) {
    const from = clock.now()
    const store = memoryFrontier()
    return {
      ...store,
      open: async (...asked: Parameters<typeof store.open>) => {
        if (clock.now() < from + 120_000) throw new AvocetError('AVO_FRONTIER_FULL', 'no room')
        return store.open(...asked)
      },
    }
  }
  const script = { 'http://a.test/': { body: 'ok' } }
  const spider = pathSpider(['http://a.test/'])

  it('is sent to each plugin once, after it has opened and with its memory, as it is to taps', async () => {
    const clock = new VirtualClock()
    const tapped: unknown[] = []
    const heard: unknown[] = []
    const pager = definePlugin({
      name: 'pager',
      crawlMemory: () => ({ pages: 0 }),
      open: () => void heard.push('open'),
      onTrace(event, crawl) {
        if (event.kind === 'problem') heard.push(event)
        crawl.pages++
      },
    })
    const simple = definePlugin({ name: 'simple', onTrace: (event) => void (event.kind === 'problem' && heard.push(event)) })
    const { report } = await run(script, { spider, clock, frontier: fullAtOpen(clock), plugins: [pager, simple] }, (made) =>
      made.hooks.onTrace.tap('view', (event) => void (event.kind === 'problem' && tapped.push(event))),
    )

    const [told] = tapped
    expect(tapped).toHaveLength(1)
    expect(heard).toEqual([told, 'open', told])
    expect(report.problems).toHaveLength(1)
  })

  it('costs a plugin that throws as it hears of it nothing but a problem more', async () => {
    const clock = new VirtualClock()
    const broken = definePlugin({
      name: 'broken',
      open() {},
      onTrace({ kind }) {
        if (kind === 'problem') throw new Error('no mail')
      },
    })
    const { report } = await run(script, { spider, clock, frontier: fullAtOpen(clock), plugins: [broken] })

    expect(report).toMatchObject({ ended: 'done', run: { pluginErrors: 1 } })
    expect(report.problems).toContainEqual({ message: 'plugin broken threw in onTrace: no mail', count: 1 })
  })
})
