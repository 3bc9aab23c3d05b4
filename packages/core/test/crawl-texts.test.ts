// Texts that plugins keep beside the memory of the crawl: written seldom, once more at the end, and handed to who goes on with them.
import { crawl, definePlugin, memoryFrontier, spider, type Plugin } from 'avocet'
import type { Frontier, MemoryParts } from '@avocet/core/store'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { CrawlTexts } from '../src/hosts/crawl-texts.ts'

interface Watched {
  readonly texts: CrawlTexts
  readonly errors: string[]
  readonly clock: { at: number; now(): number }
}

function texts(crawlMemories: readonly MemoryParts[] = [], running: readonly MemoryParts[] = []): Watched {
  const clock = { at: 0, now: () => clock.at }
  const errors: string[] = []
  const pluginError = (message: string): void => void errors.push(message)
  return { texts: new CrawlTexts({ clock, info: { crawlMemories, running }, pluginError }), errors, clock }
}

describe('texts of the crawl', () => {
  it('are written ten seconds after the last time, and whenever the run ends', () => {
    const { texts: kept, clock } = texts()
    let text = 'a'
    kept.keep('history', () => text)
    const changedAt = (at: number, isLast = false): MemoryParts => {
      clock.at = at
      return kept.changed(isLast)
    }

    expect(changedAt(9_999)).toEqual({})
    expect(changedAt(10_000)).toEqual({ '#history': '"a"' })
    text = 'b'
    expect(changedAt(19_000)).toEqual({})
    expect(changedAt(30_000)).toEqual({ '#history': '"b"' })
    text = 'c'
    expect(changedAt(30_001, true)).toEqual({ '#history': '"c"' })
    text = 'd'
    expect(changedAt(-50_000)).toEqual({ '#history': '"d"' })
  })

  it('are handed out as each process left them, with whether it runs', () => {
    const [gone, running] = [{ '#history': '"one"', core: '[1,{}]' }, { '#history': '"two"' }]
    const { texts: kept } = texts([gone, running, { '#history': '' }, { '#history': '{broken' }, { '#history': '7' }], [running])

    expect(kept.left('history')).toEqual([
      { text: 'one', isRunning: false },
      { text: 'two', isRunning: true },
    ])
    expect(kept.left('other')).toEqual([])
  })

  it('are not written where they are too long, no texts, or cannot be had, and the plugin is to blame', () => {
    const { texts: kept, errors } = texts()
    kept.keep('long', () => 'a'.repeat(512 * 1_024 + 1))
    kept.keep('number', () => JSON.parse('7') as string)
    kept.keep('throws', () => {
      throw new Error('no')
    })
    kept.keep('none', () => undefined)

    expect(kept.changed(true)).toEqual({})
    expect(errors).toHaveLength(3)
  })

  it('outlive a run that commits nothing after they changed, and reach the next one', async () => {
    const frontier = memoryFrontier()
    const left: string[][] = []
    const remembers = (): Plugin => {
      let pages = 0
      return definePlugin({
        name: 'remembers',
        open(session) {
          left.push(session.left('remembers pages').map(({ text }) => text))
          session.keep('remembers pages', () => String(pages))
        },
        onSettled() {
          pages++
        },
      })
    }

    for (const run of [1, 2]) await ran(frontier, remembers(), `run ${run}`)

    expect(left).toEqual([[], ['2']])
  })
})

async function ran(frontier: Frontier, plugin: Plugin, seed: string): Promise<void> {
  const clock = new VirtualClock()
  const model = siteModel({ seed, hosts: [{ name: 'a.example', pages: { kind: 'list', pages: 2 } }] })
  const one = crawl({
    policies: [],
    spider: spider({
      name: 'texts',
      seeds: model.seeds(),
      handlers: {
        *start(page) {
          yield* page.links('a')
        },
      },
    }),
    frontier,
    clock,
    fetcher: simulatedWeb(model, { clock }),
    plugins: [plugin],
  })
  await clock.run(() => one.run())
}
