// `avocet crawl` in one process: makes sure that its store and its outputs can be used, runs it, and reports.
import { existsSync } from 'node:fs'
import type { ExitCode } from '../exit-codes.ts'
import { RunOutputs } from '../export/run-outputs.ts'
import { spiderSource } from '../load/spider-source.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import type { Place } from '../place.ts'
import type { Failovers } from './after-failover.ts'
import { clearStore, sayBefore } from './before-crawl.ts'
import { cachePathFor, outputPlaceOf, wishOf, type AskedCrawl } from './crawl-places.ts'
import { checkedOutputs } from './checked-outputs.ts'
import { crawlStore } from './crawl-store.ts'
import { sayEnd } from './say-end.ts'
import { superviseCrawl } from './supervise-crawl.ts'
import { supervisionOf } from './supervision-of.ts'

/** Runs it until it ends. Returns the exit code, or what to begin anew with. Throws what keeps a crawl from beginning. */
export async function oneRun(asked: AskedCrawl, failovers: Failovers, place: Place): Promise<ExitCode | CrawlOptions> {
  const { options, planned } = asked
  const source = planned.path === undefined ? undefined : await spiderSource(planned.path, place.folder)
  const store = await crawlStore(planned.config.frontier, wishOf(options, planned, place))
  if (!failovers.isAnew) await sayBefore({ options, planned }, place)
  const cachePath = cachePathFor(options, planned, place)
  const outputPlace = outputPlaceOf(options, store.path, place)
  await checkedOutputs(options.outputs, outputPlace)
  const outputs = await RunOutputs.open(options.outputs, { ...outputPlace, opensLate: true })
  try {
    await clearStore(options, store, place)
    const keeps = cachePath !== undefined && existsSync(cachePath)
    const ended = await superviseCrawl(await supervisionOf({ ...asked, source }, { store, outputs, place }))
    const next = failovers.after(ended, planned, options)
    if (next !== undefined) return next
    const run = failovers.lastOf(ended)
    return await sayEnd(run, { store: { ...store, keeps }, options, place })
  } finally {
    await outputs.close()
  }
}
