// Several processes as one crawl: what they counted is added up, and totals are those of the store.
import type { CrawlReport } from '@avocet/core'
import type { Counts } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import type { FromWorker } from '../../src/processes/process-messages.ts'
import { WholeCrawl } from '../../src/processes/whole-crawl.ts'
import type { StoredParts } from '../../src/processes/whole-report.ts'
import { crawlStatus } from '../crawl/crawl-status.ts'

const NO_HOSTS = { hosts: 0, retiredHosts: 0, retired: 0 }
const COUNTS: Counts = { known: 135, waiting: 65, done: 48, moved: 4, failed: 18, items: 60, ...NO_HOSTS }
const OPENED: FromWorker = { kind: 'opened', resumed: false }

function shown(pages: number): FromWorker {
  return { kind: 'alive', run: { ...crawlStatus().run, pages, requests: pages } }
}

function crawlOf(counts: Counts | undefined, beats: readonly FromWorker[] = [], isPaused = false) {
  const clock = new VirtualClock()
  const totals = counts && { counts, failures: [{ reason: 'http-404', count: 2 }], liveProcesses: 3, isPaused }
  const whole = new WholeCrawl({ config: { spider: { name: 'shop' } }, clock, totals: () => totals })
  for (const [n, message] of beats.entries()) {
    whole.heard(n + 1, OPENED)
    whole.heard(n + 1, message)
  }
  return { whole, look: () => whole.look() }
}

function reportOf(pages: number, changes: Partial<CrawlReport> = {}): CrawlReport {
  const lists = { failures: [], handlerErrors: [], rejects: [], closedPatterns: [] }
  return {
    ...{ schema: 1, name: 'shop', ended: 'done', why: 'nothing is waiting', resumed: false, startedAt: 0, endedAt: 1 },
    ...{
      run: { ...crawlStatus().run, pages, requests: pages, items: pages },
      counts: COUNTS,
      ...lists,
      driedUp: [],
      conditions: {},
      rounds: [],
      refusedLinks: [],
    },
    ...{ waitingHosts: [], retiredHosts: [], probation: { pages: 0, requests: [] }, problems: [], ...changes },
  }
}

function storedWith(counts: Partial<Counts>, sinks: StoredParts['sinks'] = []): StoredParts {
  return { report: { ...reportOf(0), counts: { ...COUNTS, ...counts } }, sinks, liveProcesses: 0 }
}

describe('the scene of several processes', () => {
  it('adds up what each did, with the totals of the store', () => {
    const { look } = crawlOf(COUNTS, [shown(19), shown(9)])

    const seen = look()

    expect(seen?.glance.status).toMatchObject({ known: 135, waiting: 65, settled: 70, done: 48, failed: 18, items: 60 })
    expect(seen?.glance.status).toMatchObject({ run: { pages: 28 }, phase: 'running' })
    expect(seen?.failures).toEqual([{ kind: 'http-404', count: 2 }])
  })

  it('is none before the store was read, and before a process has told something', () => {
    expect(crawlOf(undefined, [shown(1)]).look()).toBeUndefined()
    expect(crawlOf(COUNTS).look()).toBeUndefined()
  })

  it('keeps what a process did that died, also while all are dead', () => {
    const { whole, look } = crawlOf(COUNTS, [shown(19), shown(4)])

    whole.died(2)

    expect(look()?.glance.status.run.pages).toBe(23)
    whole.died(1)
    expect(look()?.glance.status.run.pages).toBe(23)
  })

  it('has the seeds of the one that has most left to offer, until all have offered theirs', () => {
    const seeds = (offered: number) => ({ ...shown(0), seeds: { offered, of: 9_000 } })

    expect(crawlOf(COUNTS, [seeds(5_000), seeds(7_000)]).look()?.glance.status.seeds).toEqual({ offered: 5_000, of: 9_000 })
    expect(crawlOf(COUNTS, [shown(0), seeds(7_000)]).look()?.glance.status.seeds).toEqual({ offered: 7_000, of: 9_000 })
    expect(crawlOf(COUNTS, [shown(0), shown(0)]).look()?.glance.status.seeds).toBe(undefined)
    const { whole } = crawlOf(COUNTS)
    whole.heard(2, { kind: 'ended', report: reportOf(0) })
    expect(whole.report(undefined)?.seeds).toBe(undefined)
    whole.heard(1, { kind: 'ended', report: reportOf(0, { seeds: { offered: 6_000, of: 9_000 } }) })
    expect(whole.report(undefined)?.seeds).toEqual({ offered: 6_000, of: 9_000 })
  })

  it('says how many they are', () => {
    const { whole, look } = crawlOf(COUNTS, [shown(0), shown(0), shown(0)])
    whole.heard(3, { kind: 'ended', report: reportOf(4) })

    expect(look()).toMatchObject({ processes: 2, glance: { status: { run: { pages: 4 } } } })
  })

  it('is paused by an order', () => {
    expect(crawlOf(COUNTS, [shown(0)], true).look()?.glance.status).toMatchObject({ phase: 'paused', pausedBy: 'operator' })
  })
})

describe('the report of several processes', () => {
  it('counts a problem that each of them met once, such as a seed that is no URL', () => {
    const { whole } = crawlOf(COUNTS, [shown(0), shown(0)])
    const seed = { message: 'expected a URL, got nonsense', count: 1 }
    whole.heard(1, { kind: 'ended', report: reportOf(5, { problems: [seed, { message: 'onItem threw', count: 3 }] }) })
    whole.heard(2, { kind: 'ended', report: reportOf(6, { problems: [seed] }) })

    expect(whole.report(undefined)?.problems).toEqual([seed, { message: 'onItem threw', count: 3 }])
  })

  it('has the end of the last, unless one failed or was stopped', () => {
    const { whole } = crawlOf(COUNTS, [shown(0), shown(0), shown(0)])
    whole.heard(2, { kind: 'ended', report: reportOf(5, { ended: 'limit' }) })
    whole.heard(1, { kind: 'ended', report: reportOf(6) })
    expect(whole.report(undefined)?.ended).toBe('done')

    whole.heard(3, { kind: 'ended', report: reportOf(5, { ended: 'stopped' }) })

    expect(whole.report(undefined)?.ended).toBe('stopped')
  })

  it('has the sum of their counts, and what the store has of outputs', () => {
    const { whole } = crawlOf(COUNTS, [shown(0), shown(0)])
    const sink = { name: 'o.jsonl', written: 3, behind: 6, setAside: 0 }
    whole.heard(1, { kind: 'ended', report: reportOf(5, { sinks: [sink] }) })
    whole.heard(2, { kind: 'ended', report: reportOf(6, { sinks: [{ ...sink, elsewhere: true }] }) })

    const report = whole.report(storedWith({ done: 11 }, [{ ...sink, written: 11, behind: 0 }]))

    expect(report).toMatchObject({ run: { pages: 11 }, counts: { done: 11 } })
    expect(report?.sinks).toEqual([{ ...sink, written: 11, behind: 0 }])
  })

  it('has the counts of a process that died as it told them last, so there are no pages without requests', () => {
    const { whole } = crawlOf(COUNTS, [shown(9), shown(0)])
    whole.died(1)
    whole.heard(2, { kind: 'ended', report: reportOf(10) })

    const { run, counts } = whole.report(storedWith({ done: 23, items: 23 })) ?? {}

    expect([run?.pages, run?.requests, counts?.done]).toEqual([19, 19, 23])
  })

  it.each([
    [0, undefined],
    [1, true],
  ])('with %d processes alive in the store says of a sink that another process writes to it: %s', (liveProcesses, elsewhere) => {
    const { whole } = crawlOf(COUNTS, [shown(0), shown(0)])
    whole.died(1)
    const sink = { name: 'o.jsonl', written: 3, behind: 0, setAside: 0 }
    whole.heard(2, { kind: 'ended', report: reportOf(6, { sinks: [{ ...sink, elsewhere: true }] }) })

    const report = whole.report({ ...storedWith({}, [sink]), liveProcesses })

    expect(report?.sinks?.[0]?.elsewhere).toBe(elsewhere)
  })

  it('says where nobody could read the store, and is made without another look', () => {
    const { whole } = crawlOf(COUNTS, [shown(0)])
    expect(whole.foundNoStore).toBe(false)

    whole.heard(1, { kind: 'ended', report: reportOf(5, { ended: 'failed', withoutStore: true }) })

    expect(whole.foundNoStore).toBe(true)
    expect(whole.report(undefined)).toMatchObject({ ended: 'failed', withoutStore: true, run: { pages: 5 } })
  })

  it.each([
    ['done', false],
    ['limit', false],
    ['stopped', true],
    ['failed', true],
  ] as const)('of one that has ended as %s ends the others: %s', (ended, isEnd) => {
    const { whole } = crawlOf(COUNTS, [shown(0)])

    whole.heard(1, { kind: 'ended', report: reportOf(5, { ended }) })

    expect(whole.endsForAll).toBe(isEnd)
  })
})
