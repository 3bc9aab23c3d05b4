// Several crawls on one store, on virtual time: who comes later gets its share, and who is alone loses nothing.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl } from 'avocet'
import { sleepUntil } from '@avocet/core/store'
import { CATALOGUE } from '@avocet/metrics'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { watch, wideSpider, wideWeb } from './links/wide-web.ts'

interface Share {
  /** Pages settled in a span of time, in ms since the first process began. */
  between(fromMs: number, untilMs: number): number
  readonly total: number
  /** Requests that wait, as the process knows at its end. */
  readonly waiting: number
}

/** Crawls that each run for a span of time, in ms since the first began, each with a connection of its own to one store of sixty hosts. */
async function crawls(
  spans: readonly (readonly [from: number, until: number])[],
  { concurrency = 100, pages = Infinity } = {},
): Promise<Share[]> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-two-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const runs = spans.map(async ([from, until]): Promise<Share> => {
    await sleepUntil(clock, startedAt + from)
    const made = crawl({
      policies: [],
      spider: wideSpider(
        Array.from({ length: 60 }, (_, n) => `h${n}.test`),
        { pages },
      ),
      frontier: sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' }),
      concurrency,
      drainMs: 0,
      maxTimeMs: until - from,
      randomSeed: 'two',
      clock,
      fetcher: wideWeb(clock, () => ({ latencyMs: 400 })),
    })
    const watched = watch(made, clock)
    await made.run()
    const { waiting } = made.status()
    const moments = [...watched().settled.values()].flat().map((ms) => ms + from)
    return {
      waiting,
      total: moments.length,
      between: (after, before) => moments.filter((ms) => ms >= after && ms < before).length,
    }
  })
  return clock.run(Promise.all(runs))
}

describe('two processes on one store', () => {
  it('that start 2 s apart share the hosts within 10 s', async () => {
    const [first, second] = await crawls([
      [0, 60_000],
      [2_000, 60_000],
    ])

    // Sixty hosts give a page a second each, whoever asks.
    const late = [first, second].map((one) => one?.between(12_000, 60_000) ?? 0)
    expect(late.reduce((sum, pages) => sum + pages, 0)).toBeGreaterThan(0.9 * 60 * 48)
    expect(Math.min(...late)).toBeGreaterThan(0.45 * 60 * 48)
    expect(second?.total).toBeGreaterThan(((first?.total ?? 0) + (second?.total ?? 0)) / 3)
  })

  it('share them with a third that starts in the middle', async () => {
    const shares = await crawls([
      [0, 70_000],
      [2_000, 70_000],
      [30_000, 70_000],
    ])

    const late = shares.map((one) => one.between(40_000, 70_000))
    expect(late.reduce((sum, pages) => sum + pages, 0)).toBeGreaterThan(0.9 * 60 * 30)
    expect(Math.min(...late)).toBeGreaterThan(0.25 * 60 * 30)
  })

  it('share them also where the slots of the first are full', async () => {
    const [first, second] = await crawls(
      [
        [0, 60_000],
        [2_000, 60_000],
      ],
      { concurrency: 4 },
    )

    // Four slots of 400 ms make ten pages a second.
    expect(first?.between(12_000, 60_000)).toBeGreaterThan(0.9 * 10 * 48)
    expect(second?.between(12_000, 60_000)).toBeGreaterThan(0.9 * 10 * 48)
  })
})

describe('what each of two commands counts', () => {
  it('is what it knows of, and is called so: hosts that it handed over wait there for ever', async () => {
    const shares = await crawls(
      [
        [0, 600_000],
        [2_000, 600_000],
      ],
      { pages: 60 },
    )

    expect(shares.reduce((sum, { total }) => sum + total, 0)).toBe(60 * 60)
    expect(Math.max(...shares.map(({ waiting }) => waiting))).toBeGreaterThan(500)
    expect(CATALOGUE.avocet_known_requests.help).toBe('Requests that this command knows of, of all runs')
    expect(CATALOGUE.avocet_waiting_requests.help).toBe('Of those, the ones that wait')
  })
})

describe('one process on a store that others may open', () => {
  it('holds all hosts that it can use', async () => {
    const [alone] = await crawls([[0, 30_000]])

    expect(alone?.between(2_000, 30_000)).toBeGreaterThan(0.95 * 60 * 28)
  })

  it('has them back within seconds after another has ended', async () => {
    const [stays] = await crawls([
      [0, 60_000],
      [2_000, 22_000],
    ])

    expect(stays?.between(30_000, 60_000)).toBeGreaterThan(0.9 * 60 * 30)
  })
})
