// `avocet crawl` in one process: makes sure that its store and its outputs can be used, runs it, and reports.
import { existsSync } from 'node:fs'
import type { ExitCode } from '../exit-codes.ts'
import { RunOutputs } from '../export/run-outputs.ts'
import { spiderSource } from '../load/spider-source.ts'
import type { Place } from '../place.ts'
import { checkSinkFiles, clearStore, sayBefore, checkedOutputs } from './before-crawl.ts'
import { cachePathFor, outputPlaceOf, wishOf, type AskedCrawl } from './crawl-places.ts'
import { crawlStore } from './crawl-store.ts'
import { sayEnd } from './say-end.ts'
import { superviseCrawl } from './supervise-crawl.ts'
import { supervisionOf } from './supervision-of.ts'

/** Runs it until it ends. Throws what keeps a crawl from beginning. */
export async function oneRun(asked: AskedCrawl, place: Place): Promise<ExitCode> {
  const { options, planned } = asked
  const source = planned.path === undefined ? undefined : await spiderSource(planned.path, place.folder)
  const store = await crawlStore(planned.config.frontier, wishOf(options, planned, place))
  await sayBefore({ options, planned }, place)
  const cachePath = cachePathFor(options, planned, place)
  checkSinkFiles(options, planned.config, place)
  const outputPlace = outputPlaceOf(options, store.path, place)
  await checkedOutputs(options.outputs, outputPlace)
  const outputs = await RunOutputs.open(options.outputs, { ...outputPlace, opensLate: true })
  try {
    await clearStore(options, store, place)
    const keeps = cachePath !== undefined && existsSync(cachePath)
    const run = await superviseCrawl(await supervisionOf({ ...asked, source }, { store, outputs, place }))
    return await sayEnd(run, { store: { ...store, keeps }, options, place })
  } finally {
    await outputs.close()
  }
}
