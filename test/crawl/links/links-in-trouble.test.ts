// A list whose links wait for a budget, and what may befall it before they are followed: a handler that kills the process, an hour of 500, a login page.
import { memoryFrontier, type CrawlConfig, type CrawlReport, type RecrawlRule } from 'avocet'
import { CANONICALISATION, type Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { crawlWritten, followAll, type Writer } from '../written-web.ts'

const HOST = 'archive.example'
const LIST = `http://${HOST}/list`
const POOR = { maxUrlsPerPage: 50, firstUrlsPerHost: 50, urlsPerPage: 0, maxUnpaidUrlsPerHost: 50, urlsPerItem: 0 }
const RICH = { ...POOR, urlsPerItem: 2_000 }
const SPIDER = followAll([LIST], ({ pathname }) => ({ pathname }))

/** A list of 1,000 pages; `onRead` may say what is there instead, at its n-th reading. */
function listOf(onRead: (n: number) => string | undefined | null = () => null): { write: Writer; reads: () => number } {
  let reads = 0
  const write: Writer = (url) => {
    const words = `<p>all about ${url.pathname.replaceAll('/', ' in ')} here</p>`
    if (url.pathname !== '/list') return words
    const instead = onRead(++reads)
    if (instead !== null) return instead
    return words + Array.from({ length: 1_000 }, (_, n) => `<a href="/p/${n}">more</a>`).join('')
  }
  return { write, reads: () => reads }
}

/** Three runs die with the list in hand, when it is read again for its links or visited again. */
async function killThrice(frontier: Frontier, { isReread = true }: { readonly isReread?: boolean } = {}): Promise<void> {
  const spec = { name: 'traps', canonicalisation: CANONICALISATION, hostKeying: 'host' }
  await frontier.open(spec, 0)
  if (isReread) await frontier.reopen({ cut: true, limit: 1 })
  for (let dead = 0; dead < 3; dead++) {
    if (dead > 0) await frontier.open(spec, 0)
    const { leases } = await frontier.lease({ now: isReread ? 1e9 : 1e15, hosts: 1, requestsPerHost: 1 })
    await frontier.inProgress(leases.flatMap(({ requests }) => requests.map(({ id }) => id)))
  }
}

describe('a list that kills the process when it is read again', () => {
  it('stays done, is left alone in the run that finds it so, and is read again by the next', async () => {
    const { write, reads } = listOf()
    const frontier = memoryFrontier()
    const first = await crawlWritten(write, { frontier, spider: SPIDER, discoveryLimits: POOR })
    await frontier.close()
    await killThrice(frontier)
    const readBefore = reads()
    const second = await crawlWritten(write, { frontier, spider: SPIDER, discoveryLimits: RICH })
    const readBetween = reads()
    await frontier.close()
    const third = await crawlWritten(write, { frontier, spider: SPIDER, discoveryLimits: RICH })

    expect(first.report.counts).toMatchObject({ known: 51, done: 51 })
    expect(second.report.counts).toMatchObject({ known: 51, done: 51, failed: 0 })
    expect(second.report.waitingLinks).toEqual([{ url: LIST, links: 950, budget: { kind: 'new-urls' } }])
    expect(readBetween).toBe(readBefore)
    expect(second.report.problems.map(({ message }) => message)).toEqual([
      `${LIST} is not requested again for links beyond a budget in this run, because the process died three times while working on it; up to 950 links of it still wait for a later run`,
    ])
    expect(third.report.counts).toMatchObject({ known: 1_001, done: 1_001, failed: 0 })
    expect(third.report.waitingLinks).toEqual([])
  })
})

const DAY_MS = 86_400_000

/** A list that is visited each day of two; the next run visits nothing again, and has room. */
async function visitedTwice(
  onRead: (n: number) => string | undefined | null,
  { rule, later }: { readonly rule?: Partial<RecrawlRule>; readonly later?: Pick<CrawlConfig, 'recrawl' | 'maxTimeMs'> } = {},
): Promise<{
  readonly one: CrawlReport
  readonly two: CrawlReport
  readonly frontier: Frontier
  readonly reads: () => number
}> {
  const { write, reads } = listOf(onRead)
  const frontier = memoryFrontier()
  const clock = new VirtualClock()
  const recrawl = [{ everyMs: DAY_MS, match: /list/, ...rule }]
  const poor = { clock, frontier, spider: SPIDER, discoveryLimits: POOR, recrawl, maxTimeMs: 1.5 * DAY_MS }
  const one = await clock.run(crawlWritten(write, poor))
  await frontier.close()
  const two = await clock.run(crawlWritten(write, { clock, frontier, spider: SPIDER, discoveryLimits: RICH, ...later }))
  return { one: one.report, two: two.report, frontier, reads }
}

const WAIT = [{ url: LIST, links: 950, budget: { kind: 'new-urls' } }]

describe('a list that is not there at its second visit', () => {
  it.each([
    ['failed', undefined],
    ['moved', '/login'],
  ] as const)('has %s, its links wait on, and a later run with room follows them', async (kind, instead) => {
    const { one, two } = await visitedTwice((n) => (n === 2 ? instead : null))

    expect(one.counts).toMatchObject({ [kind]: 1, again: 1 })
    expect(one.waitingLinks).toEqual(WAIT)
    expect(two.waitingLinks).toEqual([])
    const known = kind === 'moved' ? 1_002 : 1_001
    expect(two.counts).toMatchObject({ known, done: known, waiting: 0, failed: 0, moved: 0 })
    expect(two.why).toBe('nothing is waiting')
  })

  it('and not there any more is requested twice in the next run, has failed, and its links wait on', async () => {
    const { two, frontier, reads } = await visitedTwice((n) => (n >= 2 ? undefined : null))

    expect(two.counts).toMatchObject({ known: 51, done: 50, failed: 1, waiting: 0 })
    expect(two.waitingLinks).toEqual(WAIT)
    expect(two.failures).toEqual([{ reason: 'http-404', count: 1 }])
    expect(await frontier.reader.history(LIST)).toMatchObject([{ state: 'failed', reason: 'http-404' }])
    expect(reads()).toBeLessThanOrEqual(4)
  })

  it('nor in the next run is requested twice at most, while another list of its host is followed', async () => {
    let readsOfAway = 0
    const write: Writer = (url) => {
      const words = `<p>all about ${url.pathname.replaceAll('/', ' in ')} here</p>`
      if (url.pathname === '/away' && ++readsOfAway > 1) return '/login'
      const isList = url.pathname === '/away' || url.pathname === '/there'
      const links = Array.from({ length: isList ? 1_000 : 0 }, (_, n) => `<a href="/p${url.pathname}/${n}">more</a>`)
      return words + links.join('')
    }
    const frontier = memoryFrontier()
    const clock = new VirtualClock()
    const lists = [`http://${HOST}/away`, `http://${HOST}/there`]
    const config = { clock, frontier, spider: followAll(lists, ({ pathname }) => ({ pathname })) }
    const recrawl = [{ everyMs: DAY_MS, match: /away$/ }]
    const one = await clock.run(crawlWritten(write, { ...config, discoveryLimits: POOR, recrawl, maxTimeMs: 1.5 * DAY_MS }))
    await frontier.close()
    const two = await clock.run(crawlWritten(write, { ...config, discoveryLimits: { ...POOR, urlsPerItem: 2 } }))

    expect(one.report.waitingLinks.map(({ url }) => url)).toEqual(lists)
    expect(two.report.waitingLinks.map(({ url }) => url)).toEqual([lists[0]])
    expect(two.report.counts).toMatchObject({ moved: 1, waiting: 0 })
    expect(readsOfAway).toBeLessThanOrEqual(2 + 2)
  })

  it('and is due again is requested when it is due, not before', async () => {
    // Other pages of the host are there, and give it room.
    const recrawl = [
      { everyMs: DAY_MS, match: /list/ },
      { everyMs: DAY_MS / 10, match: /\/p\/\d$/ },
    ]
    const onRead = (n: number): undefined | null => (n === 2 ? undefined : null)
    const before = await visitedTwice(onRead, { later: { recrawl, maxTimeMs: 0.4 * DAY_MS } })
    const after = await visitedTwice(onRead, { later: { recrawl, maxTimeMs: 0.6 * DAY_MS } })

    expect(before.reads()).toBe(2)
    expect(before.two.waitingLinks).toEqual(WAIT)
    expect(after.two.counts).toMatchObject({ known: 1_001, done: 1_001 })
  })

  it('and is believed to be gone is not requested, and its links are listed', async () => {
    const rule = { goneAfterVisits: 1, goneAfterMs: 0 }
    const { two, reads } = await visitedTwice((n) => (n === 2 ? undefined : null), {
      rule,
      later: { recrawl: [{ everyMs: DAY_MS, match: /list/, ...rule }], maxTimeMs: DAY_MS },
    })

    expect(two.counts).toMatchObject({ known: 51, done: 50, failed: 1 })
    expect(two.waitingLinks).toEqual(WAIT)
    expect(reads()).toBe(2)
  })

  it('because it kills the process is not requested, and its links are listed', async () => {
    const { write, reads } = listOf()
    const frontier = memoryFrontier()
    const clock = new VirtualClock()
    const config = { clock, frontier, spider: SPIDER }
    const recrawl = [{ everyMs: DAY_MS, match: /list/ }]
    await clock.run(crawlWritten(write, { ...config, discoveryLimits: POOR, recrawl, maxTimeMs: 0.5 * DAY_MS }))
    await frontier.close()
    await killThrice(frontier, { isReread: false })
    const { report } = await clock.run(crawlWritten(write, { ...config, discoveryLimits: RICH }))

    expect(report.counts).toMatchObject({ known: 51, done: 50, failed: 1 })
    expect(report.failures).toEqual([{ reason: 'poison', count: 1 }])
    expect(report.waitingLinks).toEqual(WAIT)
    expect(reads()).toBe(1)
  })
})
