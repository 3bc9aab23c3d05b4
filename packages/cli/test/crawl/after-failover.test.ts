// What a command goes on with after its store failed over, and what it says where there is nothing to go on with.
import { AvocetError, type CrawlReport } from '@avocet/core'
import { expect, it } from 'vitest'
import { Failovers } from '../../src/crawl/after-failover.ts'
import type { Supervised } from '../../src/crawl/supervise-crawl.ts'
import type { PlannedCrawl } from '../../src/load/plan-crawl.ts'
import type { CrawlOptions } from '../../src/options/crawl-options.ts'
import { exitCodeOfReport } from '../../src/exit-code.ts'

const error = new AvocetError('AVO_FRONTIER_FAILED_OVER', 'expected the server as it was, got another one')
const planned = { config: { maxPages: 90 } } as PlannedCrawl
const options = { config: { maxPages: 90 } } as CrawlOptions

/** A run that handled so many pages, and so many that its handler failed on. */
function failedOver(pages: number, spoiled = 0): Supervised {
  const counts = { done: pages, items: 0 }
  const report = {
    error,
    ended: 'failed',
    startedAt: 0,
    endedAt: 60_000,
    run: { pages, spoiled },
    counts,
    handlerErrors: [],
    rejects: [],
  }
  return { report: report as unknown as CrawlReport, outputError: error, outputStarts: {} }
}

it('begins anew with the pages that are left of --max-pages', () => {
  const failovers = new Failovers()
  const next = failovers.after(failedOver(60, 29), planned, options)

  expect(next?.config.maxPages).toBe(1)
  expect(failovers.isAnew).toBe(true)
})

it('begins anew with the time that is left of --max-time', () => {
  const timed = { config: { maxTimeMs: 90_000 } }
  const next = new Failovers().after(failedOver(60), timed as PlannedCrawl, timed as CrawlOptions)

  expect(next?.config.maxTimeMs).toBe(30_000)
})

it('ends with its limit where all pages of --max-pages are handled, by all runs together', () => {
  const failovers = new Failovers()
  const next = failovers.after(failedOver(60), planned, options)
  const ended = failedOver(30)

  expect(next?.config.maxPages).toBe(30)
  expect(failovers.after(ended, { config: { maxPages: 30 } } as PlannedCrawl, next ?? options)).toBeUndefined()
  const { report, outputError } = failovers.lastOf(ended)
  expect(report).toMatchObject({
    ended: 'limit',
    why: 'maxPages (90) is reached, and the store failed over to another server',
  })
  expect([report.error, outputError, exitCodeOfReport(report)]).toEqual([undefined, undefined, 5])
})

it('says of any other run what became of it', () => {
  const ended = failedOver(10)
  const failovers = new Failovers()
  failovers.after(ended, { config: {} } as PlannedCrawl, options)

  expect(failovers.lastOf(ended)).toBe(ended)
})
