// Rounds of visits that are missed are told: how many visits were due, how many were made, and how many came late.
import { crawl, memoryFrontier, spider } from 'avocet'
import { atRest } from '@avocet/core/tools'
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

    expect(words).toEqual([expect.stringMatching(/^every 1 min: \d+ of \d+ visits made; the next round begins in \d+ s$/)])
    expect(/(\d+) of \1 visits/.test(words[0] ?? '')).toBe(true)
    expect(missed).toBe(0)
    expect(live).toEqual(words)
  })

  it('of a minute that take five are not told as made', async () => {
    const { words, missed } = await roundsWith(25_000)

    expect(words[0]).toMatch(/^every 1 min: (\d+) of (\d+) visits made, \1 late; /)
    const [, visited = 0, due = 0] = /(\d+) of (\d+)/.exec(words[0] ?? '') ?? []
    expect(Number(due)).toBe(5 * Number(visited))
    expect(missed).toBeGreaterThan(50)
  })
})
