// `avocet crawl --again`: the handlers run over kept responses, and no site is requested.
import { existsSync } from 'node:fs'
import { AvocetError } from '@avocet/core'
import type { KeptResponses } from '@avocet/plugin-sqlite'
import type { ExitCode } from '../exit-code.ts'
import { closeAll, openOutputs } from '../export/outputs.ts'
import { cachePathOf, nameFrom } from '../load/store-path.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import type { Place } from '../place.ts'
import { formatCountOf } from '../text/quantity.ts'
import { commandOf, fileOf, outputPlaceOf, wishOf, type AskedCrawl } from './crawl-places.ts'
import { configOfKept, keptCrawl, keptLines, reportOfKept, type KeptCrawl } from './kept-crawl.ts'
import { sayEnd } from './say-end.ts'
import { superviseCrawl, type Supervised } from './supervise-crawl.ts'

/** Runs it. Throws AVO_USAGE where nothing is kept, and what keeps a crawl from beginning. */
export async function crawlAgain({ options, planned, source }: AskedCrawl, place: Place): Promise<ExitCode> {
  const { config } = planned
  const wish = wishOf(options, planned, place)
  if (config.frontier && options.store === undefined)
    throw new AvocetError(
      'AVO_USAGE',
      "--again: expected a store that avocet made, got the configuration's own (frontier); name another: --store PATH",
    )
  const kept = await keptResponses(cachePathOf(fileOf(options, planned, place)), place)
  try {
    const store = await keptCrawl(wish.path, config, wish.clock)
    const exports = await openOutputs(options.outputs, outputPlaceOf(options, wish.path, place))
    try {
      const { frontier } = store
      const whole = configOfKept({ ...config, plugins: [...config.plugins, ...(source ? [source.plugin] : [])], frontier }, kept)
      const opening = `${formatCountOf(kept.count, 'response')} kept; no site is requested`
      const how = { events: options.events, ...(options.logLevel && { logLevel: options.logLevel }), resumable: false, opening }
      const run = await superviseCrawl({ ...how, config: whole, frontier, exports, place })
      return await sayKeptEnd(run, { store, options, place })
    } finally {
      await closeAll(exports)
    }
  } finally {
    kept.close()
  }
}

/** Throws AVO_USAGE where nothing is kept. */
async function keptResponses(path: string, { folder }: Place): Promise<KeptResponses> {
  if (existsSync(path)) return (await import('@avocet/plugin-sqlite')).openResponses(path)
  throw new AvocetError(
    'AVO_USAGE',
    `--again: expected kept responses in ${nameFrom(folder, path)}, got none; crawl with --cache first, or --fresh requests all pages again`,
  )
}

async function sayKeptEnd(
  run: Supervised,
  { store, options, place }: { store: KeptCrawl; options: CrawlOptions; place: Place },
): Promise<ExitCode> {
  const { report, notKept } = reportOfKept(run.report)
  const isFinished = report.ended === 'done' && run.outputError === undefined
  const before = isFinished ? await store.finish() : await store.discard()
  const { path } = store
  const named = isFinished && path !== undefined ? { path, title: nameFrom(place.folder, path), keeps: true } : {}
  const said = { notKept, isFinished, before: before ?? undefined }
  const next = keptLines(said, { command: commandOf(options), folder: place.folder })
  return sayEnd({ ...run, report }, { store: named, options, next, place })
}
