// The channels of `node:diagnostics_channel`: they say what `onTrace` says, and cost nothing while nobody subscribes.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { crawl, memoryFrontier, spider, type CrawlReport } from 'avocet'
import type { TraceEvent } from '@avocet/core/plugin'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { afterEach, describe, expect, it } from 'vitest'
import { createHooks, trace, TRACE_CHANNELS } from '../src/hooks/hooks.ts'

type Kind = TraceEvent['kind']
const KINDS = Object.keys(TRACE_CHANNELS) as Kind[]

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

function listen(...kinds: readonly Kind[]): TraceEvent[] {
  const heard: TraceEvent[] = []
  const hear = (message: unknown): void => void heard.push(message as TraceEvent)
  for (const kind of kinds) {
    const { name } = TRACE_CHANNELS[kind]
    subscribe(name, hear)
    ends.push(() => unsubscribe(name, hear))
  }
  return heard
}

async function crawled(tap?: (event: TraceEvent) => void): Promise<CrawlReport> {
  const model = siteModel({
    seed: 'channels',
    hosts: [
      { name: 'a.example', pages: { kind: 'list', pages: 3 } },
      { name: 'dead.example', pages: { kind: 'list', pages: 1 }, death: 'dns-not-found' },
    ],
  })
  const clock = new VirtualClock()
  const run = crawl({
    policies: [],
    spider: spider({
      name: 'channels',
      seeds: model.seeds(),
      handlers: {
        *start(page) {
          yield { title: page.title }
          yield* page.links()
        },
      },
    }),
    frontier: memoryFrontier(),
    clock,
    fetcher: simulatedWeb(model, { clock }),
  })
  if (tap) run.hooks.onTrace.tap('test', tap)
  return clock.run(() => run.run())
}

describe('channels of the trace', () => {
  it('say what onTrace says, in the same order', async () => {
    const heard = listen(...KINDS)
    const traced: TraceEvent[] = []

    await crawled((event) => traced.push(event))

    expect(heard).toEqual(traced)
    expect(new Set(heard.map(({ kind }) => kind))).toEqual(
      new Set(['leased', 'booked', 'begun', 'sent', 'head', 'answered', 'failed', 'handled', 'committed', 'held', 'released']),
    )
  })

  it('can be subscribed to one by one, without a plugin', async () => {
    const heard = listen('handled')

    const { run } = await crawled()

    expect(heard).toHaveLength(run.pages)
    expect(heard[0]).toMatchObject({ kind: 'handled', items: 1 })
  })

  it('have no event made for them while nobody subscribes', () => {
    const hooks = createHooks({ speaks() {}, rescue: () => undefined, returned() {}, promised() {} })
    let made = 0
    const resumed = (): TraceEvent & { readonly kind: 'resumed' } => ({ kind: 'resumed', at: ++made })

    trace(hooks, 'resumed', resumed)
    const others = listen('paused')
    trace(hooks, 'resumed', resumed)
    const heard = listen('resumed')
    trace(hooks, 'resumed', resumed)

    expect(made).toBe(1)
    expect(others).toEqual([])
    expect(heard).toEqual([{ kind: 'resumed', at: 1 }])
  })

  it('are in the table of the documentation, all of them', () => {
    const page = readFileSync(new URL('../../../docs/reference/hooks.md', import.meta.url), 'utf8')

    for (const kind of KINDS) expect(page).toContain(`| \`${kind}\` | \`${String(TRACE_CHANNELS[kind].name)}\` |`)
  })
})
