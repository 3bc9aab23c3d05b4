// What several processes report as one where the store cannot be read at the end.
import type { CrawlReport } from '@avocet/core'
import { describe, expect, it } from 'vitest'
import type { Committed } from '../../src/processes/committed.ts'
import { ProcessBook } from '../../src/processes/process-book.ts'
import { NO_COUNTS } from '../../src/processes/run-counts.ts'
import { NO_WISHES } from '../../src/view/view-wishes.ts'
import { crawlStatus } from '../crawl/crawl-status.ts'
import { scene } from '../view/view-scene.ts'

interface Did {
  readonly known: number
  readonly settled: number
  readonly moved: number
  readonly pages: number
}

/** What each has done of a store with four seeds, as it counts it. */
const DID: readonly Did[] = [
  { known: 273, settled: 50, moved: 9, pages: 37 },
  { known: 285, settled: 46, moved: 9, pages: 37 },
]

function reportOf({ known, settled, moved, pages }: Did, changes: Partial<CrawlReport> = {}): CrawlReport {
  const none = { hosts: 0, retiredHosts: 0, retired: 0 }
  const counts = { known, waiting: known - settled, done: settled - moved, moved, failed: 0, items: pages, ...none }
  const lists = { failures: [], handlerErrors: [], rejects: [], closedPatterns: [], silentHandlers: [] }
  return {
    ...{ schema: 1, name: 'shop', ended: 'failed', why: 'the store is away', resumed: false, startedAt: 0, endedAt: 1 },
    ...{ run: { ...NO_COUNTS, pages, moved }, counts, ...lists, driedUp: [], refusedLinks: [], waitingHosts: [] },
    ...{ retiredHosts: [], probation: { pages: 0, requests: [] }, problems: [], withoutStore: true, ...changes },
  }
}

const NOTHING_SETTLED = { settled: 0, done: 0, moved: 0, failed: 0 }

/** The book after both have ended. */
function bookOf(reports: readonly CrawlReport[]): ProcessBook {
  const book = new ProcessBook({}, 0)
  for (const [number, { known, settled, moved, pages }] of DID.entries()) {
    const totals = { known: 4, waiting: 4, ...NOTHING_SETTLED, items: 0 }
    book.heard(number, { kind: 'opened', totals, resumed: false })
    const run = { ...NO_COUNTS, pages, moved }
    const states = { settled, done: settled - moved, moved, failed: 0 }
    const status = crawlStatus({ known, ...states, waiting: known - settled, items: pages, run })
    const glance = { status, pagesPerSecond: 0, averagePagesPerSecond: 0 }
    book.heard(number, { kind: 'scene', scene: scene({ glance }), handled: 0 })
  }
  for (const [number, report] of reports.entries()) book.heard(number, { kind: 'ended', report })
  return book
}

/** What the store says at the end. */
function storedWith(counts: Partial<CrawlReport['counts']>): NonNullable<Parameters<ProcessBook['report']>[0]> {
  const { withoutStore: _without, ...rest } = reportOf({ known: 9, settled: 9, moved: 0, pages: 9 })
  return { ...rest, counts: { ...rest.counts, ...counts } }
}

function group(pages: number): { readonly pages: number; readonly did: Committed } {
  return { pages, did: { pages, items: pages, failed: 0, moved: 0 } }
}

describe('the counts of a process that was killed', () => {
  it.each([
    ['the group that it had committed, though it had shown nothing', [3], 10, 13, 13],
    ['the group that it was committing, where the store has it', [3, 4], 10, 17, 17],
    ['not the group that it was committing, where the store lacks it', [3, 4], 10, 13, 13],
    ['nothing of what other commands have committed', [3], 10, 50, 13],
  ])('have %s', (_, [committed = 0, committing], pages, done, counted) => {
    const book = new ProcessBook({}, 0)
    for (const number of [1, 2])
      book.heard(number, { kind: 'opened', totals: { known: 0, waiting: 0, ...NOTHING_SETTLED, items: 0 }, resumed: false })

    book.heard(1, { kind: 'committing', ...group(committed) })
    book.heard(1, { kind: 'committed', ...group(committed) })
    if (committing !== undefined) book.heard(1, { kind: 'committing', ...group(committing) })
    book.died(1)
    const report = reportOf({ known: 60, settled: pages, moved: 0, pages }, { run: { ...NO_COUNTS, pages, items: pages } })
    book.heard(2, { kind: 'ended', report })

    expect(book.report(storedWith({ done, items: done }))?.run).toMatchObject({ pages: counted, items: counted })
  })
})

describe('the report of several processes whose store cannot be read at the end', () => {
  it('adds up what all of them committed, and counts once what was there', () => {
    const book = bookOf(DID.map((did) => reportOf(did)))

    const report = book.report(undefined)

    expect(report?.run.pages).toBe(74)
    expect(report?.withoutStore).toBe(true)
    expect(report?.counts).toMatchObject({ known: 554, waiting: 458, done: 78, moved: 18, failed: 0, items: 74 })
    expect(book.look(0, NO_WISHES)?.glance.status).toMatchObject({ known: 554, waiting: 458 })
  })

  it('says of an output that it lacks all that it was not given, whatever the one process knew that wrote it', () => {
    const [own, other] = DID
    if (own === undefined || other === undefined) throw new Error('expected two processes')
    const sink = { name: 'o.jsonl', setAside: 2 }
    const book = bookOf([
      reportOf(own, { sinks: [{ ...sink, written: 48, behind: 6 }] }),
      reportOf(other, { sinks: [{ ...sink, written: 30, behind: 9, elsewhere: true }] }),
    ])

    expect(book.report(undefined)?.sinks).toEqual([{ name: 'o.jsonl', written: 48, behind: 24, setAside: 2 }])
  })

  it('is made without another look at a store that no process could read', () => {
    expect(bookOf(DID.map((did) => reportOf(did))).foundNoStore).toBe(true)
    expect(bookOf([]).foundNoStore).toBe(false)
  })

  it('has what one of them could still read', () => {
    const failures = [{ reason: 'http-404', count: 3 }]
    const { withoutStore: _lost, ...read } = reportOf({ known: 554, settled: 96, moved: 18, pages: 74 }, { failures })
    const lost = DID.slice(1).map((did) => reportOf(did))

    const report = bookOf([read, ...lost]).report(undefined)

    expect(report?.counts).toEqual(read.counts)
    expect(report?.failures).toEqual([{ reason: 'http-404', count: 3 }])
  })
})
