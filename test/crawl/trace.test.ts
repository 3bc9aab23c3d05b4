// The trace of a crawl: one stream of events that says what happened to each exchange and host, and which plugin decided what.
import { definePlugin, type CrawlConfig, type Plugin } from '@avocet/core'
import type { TraceEvent } from '@avocet/core/plugin'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'
import type { Answer } from './scripted-web.ts'

const PAGE = 'http://shop.test/'

async function traceOf(script: Readonly<Record<string, Answer>>, config: Partial<CrawlConfig>): Promise<readonly TraceEvent[]> {
  const events: TraceEvent[] = []
  await run(script, { spider: pathSpider([PAGE]), ...config }, ({ hooks }) => {
    hooks.onTrace.tap('test', (event) => void events.push(event))
  })
  return events
}

/** Each exchange and host in a word, and the plugin that decided. */
function told(events: readonly TraceEvent[]): readonly string[] {
  return events.map((event) =>
    'verdict' in event && event.by !== undefined ? `${event.kind} ${event.verdict.kind} by ${event.by}` : event.kind,
  )
}

const paces = definePlugin({ name: 'paces', policy: 'rate' })

function voter(name: string, atMs: number): Plugin {
  return definePlugin({ name, onResponse: (answer) => answer.retry(answer.now + atMs, 'later', { counted: true }) })
}

describe('the trace', () => {
  it('tells the life of a page, from the lease of its host to its commit', async () => {
    const events = await traceOf({ [PAGE]: { body: 'ok' } }, { plugins: [paces] })

    expect(told(events)).toEqual([
      'leased',
      'booked',
      'begun',
      'held',
      'sent',
      'head',
      'answered',
      'handled',
      'held',
      'committed',
      'released',
    ])
    expect(events.find(({ kind }) => kind === 'answered')).toMatchObject({
      exchange: { hostKey: 'shop.test', seq: 1, required: false, request: { url: PAGE } },
      response: { status: 200 },
      verdict: { kind: 'accept' },
    })
    expect(events.at(-1)).toMatchObject({ hostKey: 'shop.test', host: { answered: 1, waiting: 0 } })
  })

  it('names the plugin whose vote counted, whatever the order of the plugins', async () => {
    const [sooner, later] = [voter('sooner', 3_600_000), voter('later', 7_200_000)]
    const config = { patienceMs: 0 }
    const one = await traceOf({ [PAGE]: { status: 404 } }, { ...config, plugins: [paces, sooner, later] })
    const other = await traceOf({ [PAGE]: { status: 404 } }, { ...config, plugins: [later, sooner, paces] })

    expect(told(one)).toContain('answered retry by later')
    expect(told(other)).toEqual(told(one))
  })

  it('names the plugin that keeps a request from being sent', async () => {
    const drops = definePlugin({ name: 'drops', beforeRequest: (outgoing) => outgoing.drop('not-today') })
    const events = await traceOf({ [PAGE]: {} }, { plugins: [paces, drops] })

    expect(told(events)).toContain('unsent drop by drops')
    expect(events.some(({ kind }) => kind === 'begun' || kind === 'sent')).toBe(false)
  })

  it('says who failed and whose fault it was', async () => {
    const events = await traceOf({ [PAGE]: { fails: 'AVO_RESET' } }, { plugins: [paces] })
    expect(events.find(({ kind }) => kind === 'failed')).toMatchObject({ failure: { code: 'AVO_RESET', blame: 'host' } })
  })

  it('says what holds a host, once, and when nothing does any more', async () => {
    const waits = definePlugin({
      name: 'waits',
      policy: 'rate',
      admit: (ask) => ask.notBefore(ask.host.lastStartAt === 0 ? 0 : ask.host.lastStartAt + 5_000, 'five seconds'),
    })
    const spider = pathSpider([PAGE, `${PAGE}b`])
    const events = await traceOf({ [PAGE]: {}, [`${PAGE}b`]: {} }, { plugins: [waits], spider })

    const [first] = events.filter(({ kind }) => kind === 'begun')
    const held = events.flatMap((event) => (event.kind === 'held' && event.hold?.by === 'waits' ? [event.hold] : []))
    expect(held[0]).toEqual({ by: 'waits', why: 'five seconds', until: (first?.at ?? 0) + 5_000 })
    expect(new Set(held.map(({ until }) => until)).size).toBe(2)
  })

  it('comes with what each plugin knows of a host that the crawl holds, until it is given back', async () => {
    const counts = definePlugin<{ answers: number }>({
      name: 'counts',
      policy: 'rate',
      hostMemory: () => ({ answers: 0 }),
      onResponse: (_answer, memory) => void memory.answers++,
      explain: (_asked, { answers }) => ({ answers }),
    })
    const known: unknown[] = []
    await run({ [PAGE]: {} }, { spider: pathSpider([PAGE]), plugins: [counts] }, (made) => {
      made.hooks.onTrace.tap('test', ({ kind }) => {
        if (kind === 'sent' || kind === 'released') known.push(made.explain('shop.test')?.values)
      })
      made.hooks.close.tap('test', () => void known.push(made.explain('shop.test')))
    })

    expect(known).toEqual([{ counts: { answers: 0 }, traps: {} }, { counts: { answers: 1 }, traps: {} }, undefined])
  })

  it.each(['booked', 'begun'] as const)(
    'has one end and nothing after it, also where a tap stops the crawl at %s',
    async (kind) => {
      const kinds: string[] = []
      await run({ [PAGE]: {} }, { spider: pathSpider([PAGE]), plugins: [paces] }, (made) => {
        made.hooks.onTrace.tap('test', (event) => {
          if ('exchange' in event) kinds.push(event.kind)
          if (event.kind === kind) made.abort()
        })
      })

      expect(kinds[0]).toBe('booked')
      expect(kinds.filter((each) => ['answered', 'failed', 'unsent'].includes(each))).toHaveLength(1)
      expect(['answered', 'failed', 'unsent']).toContain(kinds.at(-1))
    },
  )

  it('cannot be used to change what is sent', async () => {
    const { seen } = await run({ [PAGE]: {} }, { spider: pathSpider([PAGE]), plugins: [paces] }, (made) => {
      made.hooks.onTrace.tap('test', (event) => {
        if (event.kind === 'begun') Object.assign(event.headers, { 'x-injected': '1' })
      })
    })

    expect(seen[0]?.outbound.headers).not.toHaveProperty('x-injected')
  })

  it('that throws does not stop the crawl, however often', async () => {
    const urls = Array.from({ length: 60 }, (_, n) => `http://shop.test/${n}`)
    const throws = definePlugin({
      name: 'throws',
      onTrace() {
        throw new Error('no disk')
      },
    })
    const script = Object.fromEntries(urls.map((url) => [url, {}]))
    const { report } = await run(script, { spider: pathSpider(urls), plugins: [paces, throws] })

    expect(report).toMatchObject({ ended: 'done', run: { pages: 60 } })
    expect(report.problems).toMatchObject([{ message: 'plugin throws threw in onTrace: no disk' }])
  })

  it('says when the whole crawl is paused, by whom and why, and when it goes on', async () => {
    const told: unknown[] = []
    await run({ [PAGE]: {} }, { spider: pathSpider([PAGE]), plugins: [paces] }, (made, clock) => {
      const begunAt = clock.now()
      made.hooks.onTrace.tap('test', ({ at, ...event }) => {
        if (event.kind === 'paused' || event.kind === 'resumed') told.push([at - begunAt, event])
      })
      made.pause('lunch')
      made.pause('a long lunch')
      clock.at(begunAt + 60_000, () => made.resume())
    })

    expect(told).toEqual([
      [0, { kind: 'paused', by: 'user', why: 'lunch' }],
      [60_000, { kind: 'resumed' }],
    ])
  })

  it('says that a handler failed, and which plugin has its page tried again', async () => {
    const spider = pathSpider([PAGE], {
      handlers: {
        start() {
          throw new Error('no title')
        },
      },
    })
    const again = definePlugin({
      name: 'again',
      onHandled: (page) => page.failure && page.retry(page.now + 3_600_000, 'later'),
    })
    const events = await traceOf({ [PAGE]: {} }, { spider, plugins: [paces, again], patienceMs: 0 })

    expect(told(events)).toContain('handler-failed retry by again')
    expect(events.find(({ kind }) => kind === 'handler-failed')).toMatchObject({
      request: { url: PAGE },
      failure: { code: 'AVO_HANDLER_THREW', blame: 'user' },
    })
  })
})
