// Sinks beside a crawl, on virtual time: each at its own pace, and none of them at the crawl's cost.
import { crawl, definePlugin, memoryFrontier, spider, type CrawlReport, type Plugin } from 'avocet'
import { ItemsRefused, sink, SinkDown, type Sink } from '@avocet/core/sink'
import type { Frontier } from '@avocet/core/store'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

interface Quote {
  readonly url: string
  readonly n: number
}

const MODEL = siteModel({ seed: 'sinks', hosts: [{ name: 'quotes.test', pages: { kind: 'list', pages: 30 } }] })
const HOUR_MS = 3_600_000

interface CrawlOf {
  readonly sinks: readonly (Sink<Quote> | Sink)[]
  readonly frontier?: Frontier
  readonly clock?: VirtualClock
  readonly drainMs?: number
  readonly delayMs?: number
  readonly plugins?: readonly Plugin[]
}

/** Two items a page. */
async function run({
  sinks,
  frontier = memoryFrontier(),
  clock = new VirtualClock(),
  drainMs = 30_000,
  delayMs = 1_000,
  plugins = [],
}: CrawlOf): Promise<CrawlReport> {
  const quotes = spider({
    name: 'quotes',
    seeds: MODEL.seeds(),
    handlers: {
      *start(page) {
        yield { url: page.url.href, n: 1 }
        yield { url: page.url.href, n: 2 }
        yield* page.links()
      },
    },
  })
  const fetcher = simulatedWeb(MODEL, { clock })
  const settings = {
    spider: quotes,
    policies: [],
    plugins,
    clock,
    fetcher,
    frontier,
    sinks,
    drainMs,
    delayMs,
    randomSeed: 'sinks',
  }
  return clock.run(() => crawl(settings).run())
}

function collector(
  name: string,
  fault: (items: readonly { readonly key: string; readonly value: Quote }[]) => void = () => {},
): { sink: Sink<Quote>; keys: string[] } {
  const keys: string[] = []
  const made = sink<Quote>(
    (items) => {
      fault(items)
      keys.push(...items.map(({ key }) => key))
    },
    { name, filter: name === 'second' ? ({ value }) => value.n === 2 : () => true },
  )
  return { sink: made, keys }
}

const nothing = (): void => {}

describe('what a sink says', () => {
  it('is told as a problem, which the report counts, or as information, which it does not', async () => {
    const told: object[] = []
    const talking: Sink = {
      name: 'talking',
      open({ notice, problem }) {
        notice('made the table teas')
        problem('the table teas has no column price')
        return undefined
      },
      write: nothing,
    }
    const report = await run({
      sinks: [talking],
      plugins: [definePlugin({ name: 'told', onTrace: (event) => void (event.kind === 'problem' && told.push(event)) })],
    })

    expect(told).toEqual([
      { kind: 'problem', message: 'sink talking: made the table teas', at: expect.any(Number), isInformation: true },
      { kind: 'problem', message: 'sink talking: the table teas has no column price', at: expect.any(Number) },
    ])
    expect(report.problems.map(({ message }) => message)).toEqual(['sink talking: the table teas has no column price'])
  })
})

describe('sinks of a crawl', () => {
  it.each([
    ['no Map', [['1.0.0', 'no']], 'expected ItemsRefused to get a Map'],
    ['no reasons', new Map([['1.0.0', 5]]), 'expected ItemsRefused to get a Map'],
    ['keys of no item of the batch', new Map([['no-such-key', 'no']]), 'with keys of items of the batch, got none of these'],
  ])('are behind, and end no crawl, when one refuses with %s', async (_what, reasons, error) => {
    const { sink: wrong } = collector('wrong', () => {
      throw new ItemsRefused(reasons as ReadonlyMap<string, string>)
    })
    const report = await run({ sinks: [wrong] })

    expect(report.sinks).toMatchObject([{ behind: 60, setAside: 0, error: expect.stringContaining(error) }])
    expect(report.error).toBeUndefined()
  })

  it('have every item that they want when it ends, in the order of commits, and say so', async () => {
    const [all, second] = [collector('all'), collector('second')]
    const report = await run({ sinks: [all.sink, second.sink] })

    expect(report.counts.items).toBe(60)
    expect(all.keys).toHaveLength(60)
    expect(new Set(all.keys).size).toBe(60)
    expect(second.keys).toEqual(all.keys.filter((key) => key.endsWith('.1')))
    expect(report.sinks).toEqual([
      { name: 'all', written: 60, behind: 0, setAside: 0 },
      { name: 'second', written: 30, behind: 0, setAside: 0 },
    ])
  })

  it('go on in the next run where they were', async () => {
    const frontier = memoryFrontier()
    const broken = collector('all', () => {
      throw new Error('no room')
    })
    const first = await run({ sinks: [broken.sink], frontier })
    const works = collector('all')
    const next = await run({ sinks: [works.sink], frontier, clock: new VirtualClock({ startAt: 2_000_000_000_000 }) })

    expect(first.sinks).toMatchObject([{ name: 'all', written: 0, behind: 60, error: 'no room', setAside: 0 }])
    expect(next.sinks).toEqual([{ name: 'all', written: 60, behind: 0, setAside: 0 }])
    expect(works.keys).toHaveLength(60)
  })

  it('cost the crawl no time while they are down', async () => {
    const clock = new VirtualClock()
    const down = collector('down', () => {
      throw new SinkDown('restarting', { retryAt: clock.now() + HOUR_MS })
    })
    const alone = await run({ sinks: [] })
    const beside = await run({ sinks: [down.sink], clock, drainMs: 0 })

    expect(beside.run).toEqual(alone.run)
    expect(beside.endedAt - beside.startedAt).toBe(alone.endedAt - alone.startedAt)
    expect(beside.sinks).toMatchObject([{ behind: 60, error: 'restarting' }])
  })

  it('cost the crawl nothing while they are down for its first hour, and have every item at its end', async () => {
    const clock = new VirtualClock()
    const downUntil = clock.now() + HOUR_MS
    let failures = 0
    const down = collector('down', () => {
      if (clock.now() >= downUntil) return
      failures += 1
      throw new SinkDown('connection refused')
    })
    const alone = await run({ sinks: [], delayMs: 150_000 })
    const beside = await run({ sinks: [down.sink], clock, delayMs: 150_000 })

    const perMinute = ({ run: { pages }, startedAt, endedAt }: CrawlReport): number => pages / ((endedAt - startedAt) / 60_000)
    expect(beside.endedAt - beside.startedAt).toBeGreaterThan(HOUR_MS)
    expect(perMinute(beside) / perMinute(alone)).toBeGreaterThan(0.95)
    expect(failures).toBeGreaterThan(50)
    expect(new Set(down.keys).size).toBe(60)
    expect(beside.sinks).toEqual([{ name: 'down', written: 60, behind: 0, setAside: 0 }])
  })

  it('count what they refuse as they go, and read all rejects only at the beginning and the end', async () => {
    const frontier = memoryFrontier()
    let reads = 0
    const problems = (): ReturnType<Frontier['reader']['problems']> => {
      reads++
      return frontier.reader.problems()
    }
    const reader = { ...frontier.reader, problems }
    const refusing: Sink<Quote> = {
      name: 'refusing',
      limits: { maxItems: 1 },
      write({ items }) {
        throw new ItemsRefused(new Map(items.map(({ key }) => [key, 'too long'])))
      },
    }
    const report = await run({ sinks: [refusing], frontier: { ...frontier, reader } })

    expect(report.sinks).toEqual([{ name: 'refusing', written: 0, behind: 0, setAside: 60, refused: { items: 60, of: 60 } }])
    // One of them is of the report.
    expect(reads).toBeLessThanOrEqual(4)
  })

  it('are behind by all that they had and cannot complete', async () => {
    const gathers: Sink = {
      name: 'gathers',
      write: () => Promise.resolve({ mark: { itemSeq: 0, lateSeq: 0 } }),
      finish() {
        throw new Error('no such folder')
      },
    }

    const report = await run({ sinks: [gathers] })

    expect(report.sinks).toMatchObject([{ name: 'gathers', written: 0, behind: 60, error: 'no such folder' }])
  })

  it('are failing, and rest, when they ask for earlier items four times in a row', async () => {
    let writes = 0
    const circling: Sink<Quote> = {
      name: 'circling',
      write() {
        if (++writes > 1_000) throw new Error('it was asked without an end')
        return { rewind: { itemSeq: 0 } }
      },
    }
    const report = await run({ sinks: [circling], drainMs: 0 })

    expect(report.sinks).toMatchObject([
      { written: 0, behind: 60, error: expect.stringMatching(/^it asked for earlier items \d+ times in a row$/) },
    ])
    expect(writes).toBeLessThan(100)
  })

  it('set an item aside that they can never write, and have all others', async () => {
    const picky = collector('picky', (items) => {
      if (items.some(({ key }) => key === '7.0.0')) throw new Error('not this one')
    })
    const report = await run({ sinks: [picky.sink], drainMs: HOUR_MS })

    expect(new Set(picky.keys).size).toBe(59)
    expect(picky.keys).not.toContain('7.0.0')
    expect(report.sinks).toEqual([{ name: 'picky', written: 59, behind: 0, setAside: 1, refused: { items: 1, of: 60 } }])
  })

  it('end the run before any request when one cannot be opened, with its name', async () => {
    const closed: string[] = []
    const good: Sink = { name: 'good', write() {}, close: () => void closed.push('good') }
    const bad: Sink = {
      name: 'bad',
      open() {
        throw new Error('password wrong')
      },
      write() {},
      close: () => void closed.push('bad'),
    }
    await expect(run({ sinks: [good, bad] })).rejects.toMatchObject({
      code: 'AVO_SINK_OPEN',
      message: expect.stringMatching(/^sink bad cannot be opened: password wrong; /) as string,
    })
    expect(closed.sort()).toEqual(['bad', 'good'])
  })

  it.each([
    [['a'], /^expected sinks\[0\] to be a sink, such as /],
    [[{ name: 'a' }], /^expected sinks\[0\]\.write to be a function, got nothing/],
    [[{ name: '', write: nothing }], /^expected sinks\[0\]\.name to be /],
    [[{ name: 'schema', write: nothing }], /are sources of rejects, got 'schema'$/],
    [['a', 'a'].map((name) => ({ name, write: nothing })), /got 'a' twice; give one another name$/],
    [[{ name: 'a', write: nothing, limits: { maxItems: 0 } }], /^expected sinks\[0\]\.limits\.maxItems to be /],
  ])('are checked: %j', async (sinks, message) => {
    await expect(run({ sinks: sinks as unknown as readonly Sink[] })).rejects.toMatchObject({
      code: 'AVO_CONFIG_INVALID',
      message: expect.stringMatching(message) as string,
    })
  })
})
