// `avocet crawl`: plans the crawl, makes sure that its output and store can be used, and runs it.
import { existsSync } from 'node:fs'
import type { ExitCode } from '../exit-codes.ts'
import { checkOutputs } from '../export/outputs.ts'
import { RunOutputs } from '../export/run-outputs.ts'
import { plannedCrawl, type PlannedCrawl } from '../load/plan-crawl.ts'
import { spiderSource } from '../load/spider-source.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import { say } from '../output/people.ts'
import type { Place } from '../place.ts'
import { processCount } from '../processes/process-count.ts'
import { FAILED_OVER_LINE, Failovers } from './after-failover.ts'
import { againCommand } from './again-command.ts'
import { clearStore, sayBefore } from './before-crawl.ts'
import { crawlAgain } from './crawl-again.ts'
import { cachePathFor, outputPlaceOf, wishOf, type AskedCrawl } from './crawl-places.ts'
import { crawlStore } from './crawl-store.ts'
import { isSaid } from './log-level.ts'
import { sayEnd } from './say-end.ts'
import { superviseCrawl } from './supervise-crawl.ts'
import { supervisionOf } from './supervision-of.ts'

/** Runs a crawl to its end, or to its next resting place. */
export async function crawlCommand(options: CrawlOptions, place: Place): Promise<ExitCode> {
  const failovers = new Failovers()
  for (let asked = options; ;) {
    const planned = await plannedCrawl(asked, place)
    const ended = await begun({ options: asked, planned }, failovers, place).catch((error: unknown) => {
      const next = failovers.after({ error }, planned, asked)
      if (next === undefined) throw error
      return next
    })
    if (typeof ended === 'number') return ended
    if (isSaid('warn', options.logLevel ?? 'info')) say(place.stderr, FAILED_OVER_LINE)
    asked = ended
  }
}

/** Runs it in one process or in several. Returns the exit code, or what to begin anew with. */
async function begun(
  { options, planned }: { readonly options: CrawlOptions; readonly planned: PlannedCrawl },
  failovers: Failovers,
  place: Place,
): Promise<ExitCode | CrawlOptions> {
  const count = options.again ? 1 : processCount(planned.processes, planned.config.concurrency)
  if (count > 1) {
    const { crawlInProcesses } = await import('./crawl-in-processes.ts')
    return crawlInProcesses({ options, planned, count }, failovers, place)
  }
  const source = planned.path === undefined ? undefined : await spiderSource(planned.path, place.folder)
  if (options.again) return crawlAgain({ options, planned, source }, place)
  return oneRun({ options, planned, source }, failovers, place)
}

async function oneRun(
  { options, planned, source }: AskedCrawl,
  failovers: Failovers,
  place: Place,
): Promise<ExitCode | CrawlOptions> {
  const store = await crawlStore(planned.config.frontier, wishOf(options, planned, place))
  if (!failovers.isAnew) await sayBefore({ options, planned }, place)
  const cachePath = cachePathFor(options, planned, place)
  const outputPlace = outputPlaceOf(options, store.path, place)
  await checkOutputs(options.outputs, outputPlace)
  const outputs = await RunOutputs.open(options.outputs, { ...outputPlace, opensLate: true })
  try {
    await clearStore(options, store, place)
    const keeps = cachePath !== undefined && existsSync(cachePath)
    const run = await superviseCrawl(await supervisionOf({ options, planned, source }, { store, outputs, place }))
    const next = failovers.after(run, planned, options)
    if (next !== undefined) return next
    const again = await againCommand({ options, planned }, { report: run.report, cachePath, place })
    return await sayEnd(run, { store: { ...store, keeps }, options, ...(again !== undefined && { again }), place })
  } finally {
    await outputs.close()
  }
}
