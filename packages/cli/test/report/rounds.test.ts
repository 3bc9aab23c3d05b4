// Rounds of visits that are missed are told: how many visits were due, made and not made, and how many pages are late.
import { crawl, memoryFrontier, spider } from 'avocet'
import { atRest } from '@avocet/at-rest'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { roundLine } from '../../src/text/store-words.ts'

const MINUTE_MS = 60_000

/** The rounds of a site of twelve pages, each to be visited every minute, after a quarter of an hour with so much time between two requests. */
async function roundsWith(delayMs: number): Promise<{ words: readonly string[]; live: readonly string[]; missed: number }> {
  const clock = new VirtualClock()
  const model = siteModel({ seed: 'rounds', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 12 } }] })
  const frontier = memoryFrontier()
  const shop = spider({
    name: 'shop',
    seeds: model.seeds(),
    handlers: {
      *start(page) {
        yield { url: page.url.href }
      },
    },
  })
  const config = { policies: [], delayMs, recrawl: [{ everyMs: MINUTE_MS }], maxTimeMs: 15.5 * MINUTE_MS }
  const made = crawl({ ...config, spider: shop, frontier, clock, fetcher: simulatedWeb(model, { clock }) })
  const { run } = await clock.run(() => made.run())
  const { rounds } = await (await atRest(frontier.reader)).report({ now: clock.now() })
  const inWords = (all: typeof rounds): readonly string[] => all.map((each) => roundLine(each, clock.now()))
  return { words: inWords(rounds), live: inWords(made.status().rounds ?? []), missed: run.missed }
}

describe('rounds', () => {
  it('that are made in time miss nothing, and say when the next begins', async () => {
    const { words, live, missed } = await roundsWith(1_000)

    expect(words).toEqual([expect.stringMatching(/^every 1 min: \d+ visits due, all made; next in \d+ s$/)])
    expect(missed).toBe(0)
    expect(live).toEqual(words)
  })

  it('of a minute that take five say how many visits were not made, and the parts add up', async () => {
    const { words, missed } = await roundsWith(25_000)

    const told = /^every 1 min: (\d+) visits due, (\d+) made, (\d+) not \(\2 pages late\); next /.exec(words[0] ?? '')
    const [due = 0, visited = 0, not = 0] = (told ?? []).slice(1).map(Number)
    expect(due).toBe(5 * visited)
    expect(due).toBe(visited + not)
    expect(missed).toBeGreaterThan(50)
  })
})
