// `avocet crawl` in one process: makes sure that its store and its outputs can be used, runs it, and reports.
import type { ExitCode } from '@avocet/project/command'
import type { Place } from '@avocet/project/place'
import { RunOutputs } from '../export/run-outputs.ts'
import { checkSinkFiles, clearStore, sayBefore, checkedOutputs } from './before-crawl.ts'
import { keepsResponses, outputPlaceOf, wishOf, type AskedCrawl } from './crawl-places.ts'
import { crawlStore } from './crawl-store.ts'
import { sayEnd } from './say-end.ts'
import { superviseCrawl } from './supervise-crawl.ts'
import { supervisionOf } from './supervision-of.ts'

/** Runs it until it ends. Throws what keeps a crawl from beginning. */
export async function oneRun(asked: AskedCrawl, place: Place): Promise<ExitCode> {
  const { options, planned } = asked
  const store = await crawlStore(planned.config.frontier, wishOf(options, planned, place))
  await sayBefore({ options, planned }, place)
  const keeps = keepsResponses(options, planned, place)
  checkSinkFiles(options, planned.config, place)
  const outputPlace = outputPlaceOf(options, store.path, place)
  await checkedOutputs(options.outputs, outputPlace)
  const outputs = await RunOutputs.open(options.outputs, { ...outputPlace, opensLate: true })
  try {
    await clearStore(options, store, place)
    const run = await superviseCrawl(await supervisionOf(asked, { store, outputs, place }))
    return await sayEnd(run, { store: { ...store, keeps }, options, place })
  } finally {
    await outputs.close()
  }
}
