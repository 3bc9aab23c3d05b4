// A hundred hosts whose robots.txt lies on one host that asks for one request in 5 s: it gets no more, over runs and over processes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, memoryFrontier, type CrawlConfig } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { polite } from '@avocet/preset-polite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pathSpider } from './harness.ts'
import { scriptedWeb, type Answer } from './scripted-web.ts'

const FILE = 'http://central.test/robots.txt'
const SHOPS = Array.from({ length: 100 }, (_, n) => `http://shop${n}.test`)

/** What the central host says, by when it was asked before. */
type Central = (sinceLastMs: number) => Answer

/** Refuses whoever comes again within 5 s. */
const refusing: Central = (sinceLastMs) => (sinceLastMs < 5_000 ? { status: 429, headers: { 'retry-after': '5' } } : { body: '' })
const wishing: Central = () => ({ body: 'User-agent: *\nCrawl-delay: 5' })

interface Felt {
  /** Moments, in ms since the start, at which the central host was asked. */
  readonly at: readonly number[]
  readonly pages: number
}

/** Crawls the shops with so many processes for so long; tells what the central host felt. */
async function felt(
  central: Central,
  {
    frontiers,
    minutes,
    clock = new VirtualClock(),
    seeds = SHOPS,
    ...config
  }: Partial<CrawlConfig> & {
    readonly frontiers: (clock: VirtualClock) => readonly Frontier[]
    readonly minutes: number
    readonly clock?: VirtualClock
    readonly seeds?: readonly string[]
  },
): Promise<Felt> {
  const startedAt = clock.now()
  const at: number[] = []
  const script: Record<string, Answer> = {
    get [FILE]() {
      const since = clock.now() - (at.at(-1) ?? -Infinity)
      at.push(clock.now())
      return central(since)
    },
  }
  for (const shop of SHOPS) {
    script[`${shop}/robots.txt`] = { status: 302, headers: { location: FILE } }
    script[`${shop}/`] = { body: 'ok' }
  }
  const runs = frontiers(clock).map((frontier) =>
    crawl({
      spider: pathSpider(seeds.map((shop) => `${shop}/`)),
      policies: polite(),
      randomSeed: 'central',
      maxTimeMs: minutes * 60_000,
      drainMs: 0,
      ...config,
      frontier,
      clock,
      fetcher: scriptedWeb(clock, script),
    }).run(),
  )
  const reports = await clock.run(Promise.all(runs))
  return { at: at.map((ms) => ms - startedAt), pages: reports.reduce((sum, { run }) => sum + run.pages, 0) }
}

/** The largest number within any span of so many ms. */
function most(at: readonly number[], spanMs: number): number {
  return Math.max(...at.map((from) => at.filter((ms) => ms >= from && ms < from + spanMs).length))
}

function stores(processes: number): (clock: VirtualClock) => readonly Frontier[] {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-central-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return (clock) => Array.from({ length: processes }, () => sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' }))
}

describe('a host that a hundred required documents lie on', () => {
  it('is asked once in 5 s when the document, which is its own robots.txt, has a Crawl-delay of 5', async () => {
    const { at, pages } = await felt(wishing, { frontiers: () => [memoryFrontier()], minutes: 20 })

    expect(most(at, 4_999)).toBe(1)
    expect(at).toHaveLength(100)
    expect(pages).toBe(100)
  })

  it('is asked no faster than it likes when it answers 429 with Retry-After: 5', async () => {
    const { at, pages } = await felt(refusing, { frontiers: () => [memoryFrontier()], minutes: 20 })

    // The second comes a second after the first: that it is one too many is what the 429 says.
    expect(most(at, 4_999)).toBe(2)
    expect(most(at.slice(2), 4_900)).toBe(1)
    expect(pages).toBe(100)
  })

  it('is asked once in 5 s by two processes together', async () => {
    const { at, pages } = await felt(wishing, { frontiers: stores(2), minutes: 20 })

    expect(most(at, 4_999)).toBe(1)
    expect(at).toHaveLength(100)
    expect(pages).toBe(100)
  })

  it('is asked by two processes no faster than by one when it answers 429', async () => {
    const { at, pages } = await felt(refusing, { frontiers: stores(2), minutes: 30 })

    expect(most(at, 4_999)).toBe(2)
    expect(most(at.slice(2), 4_900)).toBe(1)
    expect(pages).toBe(100)
  })

  it('is asked at its pace from the start of the next run: what was learned is kept', async () => {
    const frontier = memoryFrontier()
    const clock = new VirtualClock()
    const [first, second] = [SHOPS.slice(0, 3), SHOPS.slice(3, 40)]
    await felt(wishing, { frontiers: () => [frontier], minutes: 1, clock, seeds: first })
    const { at } = await felt(wishing, { frontiers: () => [frontier], minutes: 20, clock, seeds: second })

    expect(at).toHaveLength(37)
    expect(most(at, 4_999)).toBe(1)
    expect((await frontier.reader.host('central.test'))?.held).toBe(false)
  })
})
