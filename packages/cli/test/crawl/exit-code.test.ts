// The exit code of a crawl says why it ended: a script that starts it again goes by that.
import type { CrawlReport } from '@avocet/core'
import { describe, expect, it } from 'vitest'
import { exitCodeOfReport } from '../../src/exit-code.ts'

/** A report of a crawl that ended so. */
function ended(
  how: CrawlReport['ended'],
  counts: { done?: number; waiting?: number; failed?: number },
  lost: readonly number[] = [],
  { documents = 0, schema = 0 }: { schema?: number; documents?: number } = {},
): CrawlReport {
  const pages = lost.reduce((sum, count) => sum + count, 0)
  return {
    ended: how,
    run: { lost: pages, handled: (counts.done ?? 0) - documents + pages, items: 9, rejects: schema },
    ...(documents > 0 && { documents }),
    counts: { done: 0, waiting: 0, failed: 0, items: 9, ...counts },
  } as unknown as CrawlReport
}

describe('the exit code of a crawl', () => {
  it.each([
    ['0: nothing is waiting', ended('done', { done: 3 }), 0],
    ['6: every request failed', ended('done', { failed: 3 }), 6],
    ['6: its one host was given up', ended('given-up', { waiting: 3 }), 6],
    ['9: hosts that were given up are left', ended('given-up', { done: 3, waiting: 1 }), 9],
    ['8: what is left waits longer than the patience', ended('patience', { done: 3, waiting: 1 }), 8],
    [
      '8: all of it waits, so not every request failed, as when the first page waits for room on the disk',
      ended('patience', { waiting: 1 }),
      8,
    ],
    ['5: a limit', ended('limit', { waiting: 1 }), 5],
    ['0: handlers failed on a tenth of the pages', ended('done', { done: 9, failed: 1 }, [1]), 0],
    ['11: handlers failed on more than a tenth', ended('done', { done: 8, failed: 2 }, [1, 1]), 11],
    ['11: handlers failed, and a limit was met', ended('limit', { done: 8, waiting: 5, failed: 2 }, [2]), 11],
    ['0: the schema refused a tenth of the items', ended('done', { done: 9 }, [], { schema: 1 }), 0],
    ['11: the schema refused more than a tenth', ended('done', { done: 9 }, [], { schema: 2 }), 11],
    [
      '11: handlers failed on 4 of 5 pages, beside sixty files',
      ended('done', { done: 61, failed: 4 }, [4], { documents: 60 }),
      11,
    ],
    ['6: only a sitemap is there', ended('done', { done: 1, failed: 3 }, [], { documents: 1 }), 6],
    ['11: handlers failed on every page', ended('done', { failed: 2 }, [2]), 11],
  ])('is %s', (_what, report, code) => {
    expect(exitCodeOfReport(report)).toBe(code)
  })

  it('is 7 where an output lacks items at the end, also one that another process was to write; while that one crawls on, it is no trouble', () => {
    const late = { name: 'out.jsonl', written: 12, behind: 720, setAside: 0 }
    const elsewhere = [{ ...late, elsewhere: true as const }]

    expect(exitCodeOfReport({ ...ended('done', { done: 3 }), sinks: [late] })).toBe(7)
    expect(exitCodeOfReport({ ...ended('done', { done: 3 }), sinks: elsewhere })).toBe(7)
    expect(exitCodeOfReport({ ...ended('limit', { done: 3 }), sinks: [late] })).toBe(7)
    expect(exitCodeOfReport({ ...ended('limit', { done: 3 }), sinks: elsewhere })).toBe(5)
    expect(exitCodeOfReport({ ...ended('done', { done: 3 }), sinks: [{ ...elsewhere[0], ...late, behind: 0 }] })).toBe(0)
  })

  it('is 11 where a sink refused more than a tenth of what it was handed in this run', () => {
    const withSink = (items: number, of: number): CrawlReport => {
      const sinks = [{ name: 'pg', written: 500, behind: 0, setAside: 9, refused: { items, of } }]
      return { ...ended('done', { done: 3 }), sinks }
    }

    expect(exitCodeOfReport(withSink(9, 9))).toBe(11)
    expect(exitCodeOfReport(withSink(1, 10))).toBe(0)
    expect(exitCodeOfReport(withSink(2, 10))).toBe(11)
    expect(exitCodeOfReport(withSink(2, 10), { failOver: 0.5 })).toBe(0)
  })

  it('is of this run: pages and items that earlier runs lost do not fail every later one', () => {
    const now = ended('done', { done: 40, failed: 8 })
    const handlerErrors = [{ count: 8 }] as unknown as CrawlReport['handlerErrors']
    const rejects = [{ source: 'schema', reason: 'price: expected number', count: 80, url: '' }]

    expect(exitCodeOfReport({ ...now, handlerErrors, rejects })).toBe(0)
  })

  it('is that of the signal where somebody stopped it, and that of the error where it could not go on', () => {
    const stopped = ended('stopped', { done: 1 }, [9])
    expect(exitCodeOfReport(stopped, { signal: 'SIGINT' })).toBe(130)
    const error = { code: 'AVO_FRONTIER_FULL', message: 'the disk is full' }
    expect(exitCodeOfReport({ ...stopped, error })).toBe(7)
  })
})
