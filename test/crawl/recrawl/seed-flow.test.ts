// Seeds that a function yields: read while the crawl runs, in bounded memory, again at each interval, and never the end of a crawl once it has begun.
import { crawl, memoryFrontier, spider, type CrawlConfig, type CrawlReport, type Seed, type Spider } from 'avocet'
import { systemClock } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { run } from '../harness.ts'
import { runs } from '../runs.ts'
import { scriptedWeb, type Answer } from '../scripted-web.ts'

const HOST = 'http://shop.test'

function seeded(seeds: Spider['seeds']): Spider {
  return spider({
    name: 'flow',
    seeds: seeds as () => AsyncIterable<Seed>,
    handlers: {
      *start(page) {
        yield { path: page.url.pathname }
      },
    },
  })
}

const site = (count: number, host = HOST): Readonly<Record<string, Answer>> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${host}/${n}`, {}]))

async function* numbered(count: number, host = HOST): AsyncGenerator<string> {
  for (let n = 0; n < count; n++) yield `${host}/${n}`
}

describe('seeds of a generator', () => {
  it('beyond the first thousand are read while the crawl already runs', async () => {
    let read = 0
    let requestedAt = Infinity
    const seeds = async function* (): AsyncGenerator<string> {
      for await (const url of numbered(5_000)) {
        read++
        yield url
      }
    }
    const { report } = await run(site(5_000), { spider: seeded(seeds), delayMs: 0.1, concurrency: 4 }, (made) => {
      made.hooks.onTrace.tap('test', ({ kind }) => {
        if (kind === 'booked') requestedAt = Math.min(requestedAt, read)
      })
    })

    expect(requestedAt).toBeLessThan(3_000)
    expect([report.ended, report.run.pages, report.counts.known]).toEqual(['done', 5_000, 5_000])
  })

  it('of a later host belong to the crawl, and so do links to that host', async () => {
    const other = 'http://other.test'
    const seeds = async function* (): AsyncGenerator<string> {
      yield* numbered(1_500)
      yield `${other}/`
    }
    const { report } = await run({ ...site(1_500), [`${other}/`]: {} }, { spider: seeded(seeds), delayMs: 0.1 })

    expect([report.run.pages, report.problems]).toEqual([1_501, []])
  })

  it('that throws is told, and the crawl goes on with what it had', async () => {
    const seeds = async function* (): AsyncGenerator<string> {
      yield* numbered(1_500)
      throw new Error('the database is gone')
    }
    const { report } = await run(site(1_500), { spider: seeded(seeds), delayMs: 0.1 })

    expect([report.ended, report.run.pages]).toEqual(['done', 1_500])
    expect(report.problems.map(({ message }) => message)).toEqual([
      'reading the seeds failed after 1500 of them: the database is gone; the crawl goes on, and they are read again in the next run',
    ])
  })

  it('that throws before the crawl has begun fails it', async () => {
    const seeds = async function* (): AsyncGenerator<string> {
      yield* numbered(10)
      throw new Error('the database is gone')
    }

    await expect(run(site(10), { spider: seeded(seeds) })).rejects.toMatchObject({
      code: 'AVO_SEED_INVALID',
      message: 'the seeds of spider flow threw: the database is gone',
    })
  })

  it('that are none are left out and told, beyond the first thousand', async () => {
    const seeds = async function* (): AsyncGenerator<string> {
      yield* numbered(1_200)
      yield 'no URL'
      yield `${HOST}/last`
    }
    const { report } = await run({ ...site(1_200), [`${HOST}/last`]: {} }, { spider: seeded(seeds), delayMs: 0.1 })

    expect(report.run.pages).toBe(1_201)
    expect(report.problems[0]?.message).toMatch(
      /^a seed \(number 1201\) is left out: expected every seed to be an absolute http\(s\) URL, got 'no URL'/,
    )
  })

  it('are read again at the interval of the crawl, and again after one that failed', async () => {
    let round = 0
    const seeds = async function* (): AsyncGenerator<string> {
      round++
      if (round === 2) throw new Error('away')
      yield* numbered(round)
    }
    const recrawl = [{ everyMs: 3_600_000 }]
    const { asked, report } = await run(site(9), { spider: seeded(seeds), recrawl, maxTimeMs: 2.5 * 3_600_000 })

    expect(round).toBe(3)
    expect(asked.filter((line) => line.endsWith('/2')).map((line) => Math.floor(Number(line.split(' ')[0]) / 3_600_000))).toEqual(
      [2],
    )
    expect(report.problems.map(({ message }) => message)).toEqual([
      'reading the seeds failed after 0 of them: away; the crawl goes on, and they are read again after 1 h',
    ])
  })

  it('are read no further once the crawl stops, also where the generator hangs', async () => {
    let isClosed = false
    const seeds = async function* (): AsyncGenerator<string> {
      try {
        for (let n = 0; ; n++) yield `${HOST}/${n}`
      } finally {
        isClosed = true
      }
    }
    const { report } = await run(site(10), { spider: seeded(seeds), maxPages: 3, delayMs: 1_000 })

    expect([report.ended, isClosed]).toEqual(['limit', true])
    expect(report.seeds).toEqual({ offered: report.counts.known })
  })

  it('are known to the next run, which requests nothing of them', async () => {
    const made = seeded(() => numbered(2_100))
    const [first, second] = await runs('memory', { script: site(2_100), spider: made }, { delayMs: 0.1 }, { delayMs: 0.1 })

    expect([first?.asked.length, second?.asked.length, second?.report.counts.known]).toEqual([2_100, 0, 2_100])
  })

  it('that wait are no reason to request nothing: what was yielded is requested within a second', async () => {
    let goOn = (): void => {}
    const requested = new Promise<void>((resolve) => (goOn = resolve))
    const seeds = async function* (): AsyncGenerator<string> {
      for (let n = 0; n < 3; n++) {
        yield* [`${HOST}/${2 * n}`, `${HOST}/${2 * n + 1}`]
        if (n < 2) await requested
      }
    }
    const report = await fast(seeds, { maxTimeMs: 600_000 }, () => goOn())

    expect([report.ended, report.run.pages]).toEqual(['done', 6])
  })

  it('that never come do not outlive a stop', async () => {
    const report = await run(
      {},
      { spider: seeded(() => never([`${HOST}/0`])) },
      (made) => void Promise.resolve().then(() => made.stop()),
    )

    expect([report.report.ended, report.report.run.pages]).toEqual(['stopped', 0])
  })

  it('that never come do not outlive maxTimeMs', async () => {
    const [none, some] = await Promise.all([[], [`${HOST}/0`]].map((first) => fast(() => never(first), { maxTimeMs: 20_000 })))

    expect([none?.ended, none?.run.pages]).toEqual(['limit', 0])
    expect([some?.ended, some?.run.pages]).toEqual(['limit', 1])
  })
})

/** A queue that stays empty. */
async function* never(first: readonly string[]): AsyncGenerator<string> {
  yield* first
  await new Promise(() => {})
}

/** On a clock that runs a hundred times as fast as the machine's: virtual time stands still while a generator is waited for. */
async function fast(
  seeds: () => AsyncIterable<string>,
  config: Partial<CrawlConfig>,
  onPage: () => void = () => {},
): Promise<CrawlReport> {
  const clock = systemClock({ scale: 100 })
  const made = crawl({
    ...config,
    policies: [],
    spider: seeded(seeds),
    clock,
    fetcher: scriptedWeb(clock, site(6)),
    frontier: memoryFrontier(),
  })
  made.hooks.onSettled.tap('test', onPage)
  return made.run()
}
