// Faults that are no host's: this machine's, the store's, the handler's. No page is lost to them, and no host is blamed.
import { AvocetError, definePlugin, link, memoryFrontier, type LinkOptions } from 'avocet'
import type { Failed, FailureCode } from '@avocet/core/plugin'
import type { Frontier } from '@avocet/core/store'
import { retry } from '@avocet/plugin-retry'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'

const HOST = 'http://shop.test'
const seeds = [`${HOST}/1`, `${HOST}/2`]
const ok = { body: 'ok' }
const script = Object.fromEntries(seeds.map((url) => [url, ok]))

describe('a fault of this machine', () => {
  it('pauses the whole crawl, reaches no plugin, and puts the request back uncounted', async () => {
    const heard: string[] = []
    const { asked, report, items } = await run(
      { ...script, [`${HOST}/1`]: [{ fails: 'AVO_LOCAL_RESOURCES' }, ok] },
      { spider: pathSpider(seeds), plugins: [{ name: 'ear', onError: ({ failure }) => void heard.push(failure.code) }] },
    )

    expect(asked).toEqual(['+0 /1', '+1010 /1', '+2010 /2'])
    expect(heard).toEqual([])
    expect(items).toHaveLength(2)
    expect(report.run).toMatchObject({ failed: 0, retried: 0 })
  })

  it('rests longer each time while it lasts, and for a second again once something worked', async () => {
    const down = { fails: 'AVO_NETWORK_DOWN' } as const
    const { asked } = await run(
      { [`${HOST}/1`]: [down, down, down, ok], [`${HOST}/2`]: [down, ok] },
      { spider: pathSpider(seeds), delayMs: 0 },
    )
    const at = asked.map((line) => Number(/\d+/.exec(line)?.[0]))

    expect(at).toEqual([0, 1_010, 3_020, 7_030, 7_040, 8_050])
  })

  it('asks again at once when a kept-alive connection had gone stale', async () => {
    const { asked, report } = await run(
      { [`${HOST}/1`]: [{ fails: 'AVO_STALE_SOCKET' }, ok] },
      { spider: pathSpider([`${HOST}/1`]), delayMs: 0 },
    )

    expect(asked).toEqual(['+0 /1', '+10 /1'])
    expect(report.run).toMatchObject({ pages: 1, failed: 0 })
  })
})

describe('a page that is cut short', () => {
  it('ends the row of failures of its host, which has answered', async () => {
    const rows: number[] = []
    const ear = { name: 'ear', onError: ({ exchange }: Failed) => void rows.push(exchange.host.consecutiveFailures) }
    const [reset, cut] = [{ fails: 'AVO_RESET' }, { fails: 'AVO_TRUNCATED' }] as const
    await run(
      { [`${HOST}/1`]: [ok, ok], [`${HOST}/2`]: [reset, reset, cut, reset, ok] },
      { spider: pathSpider(seeds), plugins: [retry(), ear] },
    )

    expect(rows).toEqual([1, 2, 0, 1])
  })
})

describe('a request that may not be repeated', () => {
  const posting = (): ReturnType<typeof pathSpider> =>
    pathSpider([`${HOST}/1`], {
      handlers: {
        *start(page) {
          if (page.url.pathname === '/1') yield link('/order', { method: 'POST', body: 'order=1' })
          yield { path: page.url.pathname }
        },
      },
    })
  const codes = ['AVO_STALE_SOCKET', 'AVO_NETWORK_DOWN', 'AVO_LOCAL_RESOURCES'] as const

  it.each(codes)('is sent once when %s strikes after it was written, and is settled as failed', async (code) => {
    const { asked, report } = await run(
      { [`${HOST}/1`]: ok, [`${HOST}/order`]: [{ fails: code }, ok] },
      { spider: posting(), delayMs: 0 },
    )

    expect(asked.map((line) => line.split(' ')[1])).toEqual(['/1', '/order'])
    expect(report.run).toMatchObject({ pages: 1, failed: 1 })
  })

  it('is repeated when the user vouches for it', async () => {
    const { asked } = await run(
      { [`${HOST}/1`]: ok, [`${HOST}/order`]: [{ fails: 'AVO_STALE_SOCKET' }, ok] },
      { spider: posting(), delayMs: 0, plugins: [retry({ retryUnsafe: true })] },
    )

    expect(asked.map((line) => line.split(' ')[1])).toEqual(['/1', '/order', '/order'])
  })

  it.each([
    [500, 1],
    [502, 1],
    [504, 1],
    [503, 2],
    [429, 2],
  ])('is sent again after a %i with Retry-After only if that says that nobody acted on it', async (status, times) => {
    const { asked } = await run(
      { [`${HOST}/1`]: ok, [`${HOST}/order`]: [{ status, headers: { 'retry-after': '5' } }, ok] },
      { spider: posting(), delayMs: 0, plugins: [retry()] },
    )

    expect(asked.filter((line) => line.endsWith('/order'))).toHaveLength(times)
  })

  it('is settled as failed when the crawl is stopped while it waits for the answer', async () => {
    const frontier = memoryFrontier()
    const first = await run(
      { [`${HOST}/1`]: ok, [`${HOST}/order`]: { ...ok, afterMs: 60_000 } },
      { spider: posting(), delayMs: 0, frontier },
      (made, clock) => void clock.at(clock.now() + 5_000, () => made.abort()),
    )

    expect(first.asked.map((line) => line.split(' ')[1])).toEqual(['/1', '/order'])
    expect(first.report.run).toMatchObject({ pages: 1, failed: 1 })
    expect(await frontier.reader.counts()).toMatchObject({ waiting: 0 })
  })
})

describe('a fault of this machine that only one host ever meets', () => {
  const others = Array.from({ length: 10 }, (_, n) => `http://shop-${n}.test/1`)
  const codes = ['AVO_LOCAL_RESOURCES', 'AVO_NETWORK_DOWN', 'AVO_ABORTED', 'AVO_STALE_SOCKET', 'AVO_UNREACHABLE'] as const
  const odd = (fails: FailureCode) => ({ [`${HOST}/1`]: { fails }, [`${HOST}/2`]: { fails } })

  it.each(codes)('(%s) holds up no other host, and keeps the crawl from ending for a few seconds only', async (code) => {
    const { report, asked } = await run(
      { ...Object.fromEntries(others.map((url) => [url, ok])), ...odd(code) },
      { spider: pathSpider([...seeds, ...others]), maxTimeMs: 3_600_000 },
    )

    expect(asked.slice(0, 11).every((line) => line.startsWith('+0 '))).toBe(true)
    expect(report).toMatchObject({ ended: 'done', run: { pages: 10 } })
    expect(report.endedAt - report.startedAt).toBeLessThan(60_000)
  })

  it.each(codes)('(%s) keeps a crawl of that host alone from ending for an hour at most', async (code) => {
    const { report } = await run(odd(code), { spider: pathSpider(seeds), maxTimeMs: 86_400_000 })

    expect(report.ended).toBe('done')
    expect(report.endedAt - report.startedAt).toBeLessThan(1.2 * 3_600_000)
  })

  it('is reported to plugins as a failed connection of that host', async () => {
    const heard: string[] = []
    await run(odd('AVO_LOCAL_RESOURCES'), {
      spider: pathSpider(seeds),
      plugins: [{ name: 'ear', onError: ({ failure }) => void heard.push(`${failure.blame} ${failure.code}`) }],
    })

    expect(heard).toEqual(['host AVO_CONNECT_FAILED', 'host AVO_CONNECT_FAILED'])
  })
})

/** A frontier whose disk is full for the next `times` commits. */
function fullFor(times: number): Frontier {
  const frontier = memoryFrontier()
  const commit = frontier.commit.bind(frontier)
  let left = times
  frontier.commit = async (turns) => {
    if (turns.length > 0 && left-- > 0)
      throw new AvocetError('AVO_FRONTIER_FULL', 'expected room on the disk, found none; make room, then run again')
    return commit(turns)
  }
  return frontier
}

describe('a full disk', () => {
  it('is tried again, and forgotten once there is room', async () => {
    const { report, items } = await run(script, { spider: pathSpider(seeds), frontier: fullFor(3) })

    expect(report).toMatchObject({ ended: 'done', run: { pages: 2 } })
    expect(items).toHaveLength(2)
  })

  it('that stays full for longer than it is waited for ends the crawl, says so, and leaves what is not committed waiting', async () => {
    const { report } = await run(script, { spider: pathSpider(seeds), frontier: fullFor(100), storePatienceMs: 7_000 })

    expect(report).toMatchObject({ ended: 'failed', error: { code: 'AVO_FRONTIER_FULL' }, counts: { done: 0, waiting: 2 } })
  })

  it('when hosts are given back at the end is said in the report, too', async () => {
    const frontier = memoryFrontier()
    frontier.release = async () => {
      throw new AvocetError('AVO_FRONTIER_FULL', 'expected room on the disk, found none; make room, then run again')
    }
    const { report } = await run(script, { spider: pathSpider(seeds), frontier, maxPages: 1 })

    expect(report).toMatchObject({ ended: 'failed', error: { code: 'AVO_FRONTIER_FULL' }, counts: { done: 1, waiting: 1 } })
  })
})

it('a lock of another process in the moment in which a crawl ends does not make it a failed one', async () => {
  const frontier = memoryFrontier()
  const locked = 'expected the store to be free, found it locked'
  frontier.release = async () => {
    throw new AvocetError('AVO_FRONTIER_BUSY', locked)
  }
  const { report } = await run(script, { spider: pathSpider(seeds), frontier, maxPages: 1 })

  expect(report).toMatchObject({
    ended: 'limit',
    counts: { done: 1, waiting: 1 },
    problems: [
      { message: 'the store was temporarily unusable (AVO_FRONTIER_BUSY); the crawl waited for it' },
      { message: locked },
    ],
  })
})

it('a store that cannot tell what share of the hosts is ours ends no crawl', async () => {
  const share = (): never => {
    throw new AvocetError('AVO_FRONTIER_IO', 'expected an answer, got an I/O error')
  }
  const frontier = { ...memoryFrontier(), sharing: { news: async () => [], changedElsewhere: () => false, share } }
  const { report } = await run(script, { spider: pathSpider(seeds), frontier })

  expect(report).toMatchObject({ ended: 'done', counts: { done: 2 } })
})

/** A frontier that takes `from` commits and no more, and that cannot be read. */
function unreadableAfter(from: number): Frontier {
  const frontier = memoryFrontier()
  const commit = frontier.commit.bind(frontier)
  const broken = (): never => {
    throw new AvocetError('AVO_FRONTIER_UNUSABLE', 'expected a store that can be read, got an I/O error; check the disk')
  }
  let done = 0
  frontier.commit = async (turns) => (++done > from ? broken() : commit(turns))
  frontier.reader.counts = async () => broken()
  return frontier
}

describe('a store that cannot be read at the end', () => {
  it('leaves the report to what the run counted itself, with the error that ended it', async () => {
    const frontier = unreadableAfter(1)
    frontier.reader.counts = async () => {
      throw new Error('the reader has another problem')
    }
    const { report } = await run(script, { spider: pathSpider(seeds), frontier })

    expect(report).toMatchObject({ ended: 'failed', error: { code: 'AVO_FRONTIER_UNUSABLE' }, run: { pages: 1, items: 1 } })
    expect(report.counts).toMatchObject({ known: 2, done: 1, waiting: 1, items: 1 })
    expect(report.problems.map(({ message }) => message)).toEqual([
      'the store cannot be read, so the totals of this report are as of the last commit of this run: the reader has another problem',
    ])
  })

  it('is the error of a run that had none', async () => {
    const { report } = await run(script, { spider: pathSpider(seeds), frontier: unreadableAfter(9) })

    expect(report).toMatchObject({ ended: 'failed', error: { code: 'AVO_FRONTIER_UNUSABLE' }, counts: { known: 2, done: 2 } })
  })
})

describe('a handler that fails', () => {
  it('leaves nothing of itself behind, and the crawl goes on', async () => {
    const spider = pathSpider(seeds, {
      handlers: {
        *start(page) {
          yield { path: page.url.pathname }
          yield link('/never')
          if (page.url.pathname === '/1') throw new Error('no price')
        },
      },
    })
    const { report, items, asked } = await run({ ...script, [`${HOST}/never`]: ok }, { spider })

    expect(items).toEqual([{ path: '/2' }, { path: '/never' }])
    expect(asked.map((line) => line.split(' ')[1])).toEqual(['/1', '/2', '/never'])
    expect(report).toMatchObject({ ended: 'done', failures: [{ reason: 'handler-threw', count: 1 }] })
    expect(report.handlerErrors).toMatchObject([{ count: 1, message: 'Error: no price', url: `${HOST}/1` }])
  })

  it.each([
    {
      what: 'data with a cycle',
      options: () => {
        const data: Record<string, unknown> = {}
        data['self'] = data
        return { data }
      },
    },
    { what: 'data with a BigInt', options: () => ({ data: 1n }) },
    { what: 'a text that is none', options: () => ({ anchorText: 5 }) },
    { what: 'a method that is none', options: () => ({ method: 5 }) },
    { what: 'a priority that is no number', options: () => ({ priority: Number.NaN }) },
  ])('by a link with $what fails that page only', async ({ options }) => {
    const spider = pathSpider(seeds, {
      handlers: {
        *start(page) {
          yield { path: page.url.pathname }
          if (page.url.pathname === '/1') yield link('/x', options() as LinkOptions)
        },
      },
    })
    const { report, items } = await run(script, { spider })

    expect(items).toEqual([{ path: '/2' }])
    expect(report).toMatchObject({ ended: 'done', counts: { known: 2, failed: 1, done: 1 } })
  })

  it('may be given another chance by a plugin', async () => {
    let times = 0
    const spider = pathSpider([`${HOST}/1`], {
      handlers: {
        *start() {
          if (++times < 3) throw new Error('not yet')
          yield { times }
        },
      },
    })
    const patient = definePlugin({
      name: 'patient',
      onHandled: (page) => page.failure && page.retry(page.now + 60_000, 'again'),
    })
    const { items, asked } = await run(script, { spider, plugins: [patient] })

    expect(items).toEqual([{ times: 3 }])
    expect(asked).toEqual(['+0 /1', '+60010 /1', '+120020 /1'])
  })

  it('that a link names but the spider lacks fails the page with the link, which is named with the nearest handler', async () => {
    const spider = pathSpider([`${HOST}/1`], {
      handlers: {
        *start() {
          yield link('/2', { handler: 'strt' })
        },
      },
    })
    const { report } = await run(script, { spider })

    expect(report.failures).toEqual([{ reason: 'handler-link-invalid', count: 1 }])
    expect(report.handlerErrors).toMatchObject([
      {
        count: 1,
        message: `handler start yielded link('/2') to handler 'strt', which the spider does not have (did you mean 'start'?); it has: start`,
        url: `${HOST}/1`,
      },
    ])
    expect(report.counts.known).toBe(1)
  })

  it('that yields links to what is no URL on each of 100 pages is one problem, which counts the pages', async () => {
    const urls = Array.from({ length: 100 }, (_, n) => `${HOST}/${n}`)
    const spider = pathSpider(urls, {
      handlers: {
        *start({ url }) {
          yield link(`http://a b${url.pathname}`)
          yield link(`http://b c${url.pathname}`)
        },
      },
    })
    const { report } = await run(Object.fromEntries(urls.map((url) => [url, { body: 'ok' }])), { spider })

    expect(report.problems).toEqual([{ message: expect.stringContaining("yielded link('http://a b/"), count: 100 }])
  })

  it('that yields a link to what is no URL is reported, and its other links are followed', async () => {
    const spider = pathSpider([`${HOST}/1`], {
      handlers: {
        *start(page) {
          if (page.url.pathname !== '/1') return
          yield link('http://')
          yield link('mailto:a@b.test')
          yield link('/2')
        },
      },
    })
    const { report } = await run(script, { spider })

    expect(report.counts).toMatchObject({ known: 2, done: 2 })
    expect(report.problems.map(({ message }) => message)).toEqual([
      `handler start yielded link('http://'), which is no URL: it is not followed (${HOST}/1)`,
    ])
  })
})
