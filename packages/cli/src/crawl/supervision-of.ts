// A crawl with what the command adds to it: plugins of its own, pages that handlers fail on, and what is said as it begins.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin } from '@avocet/core'
import type { RunOutputs } from '../export/run-outputs.ts'
import { IN_MEMORY, localPlace, nameFrom } from '../load/store-path.ts'
import type { Place } from '../place.ts'
import type { FailedPagesWish } from '../store/failed-pages.ts'
import { storeFiles } from '../store-kinds/store-files.ts'
import { cachePathFor, commandOf, type AskedCrawl, type SourcedCrawl } from './crawl-places.ts'
import type { CrawlStore } from './crawl-store.ts'
import type { Supervision } from './supervise-crawl.ts'

/** What it runs with. */
interface Parts {
  readonly store: CrawlStore
  readonly outputs: RunOutputs
  readonly place: Place
}

/** What is to be run. Throws AVO_USAGE where responses are to be kept and cannot be. */
export async function supervisionOf(asked: SourcedCrawl, { store, outputs, place }: Parts): Promise<Supervision> {
  const { options, planned, source, metrics } = asked
  const { frontier, path, title } = store
  const { config, openingLines } = planned
  const cachePath = cachePathFor(options, planned, place)
  const keeps = cachePath !== undefined && existsSync(cachePath)
  return {
    config: { ...config, plugins: [...config.plugins, ...(await ownPlugins({ planned, source }, cachePath))], frontier },
    frontier,
    outputs,
    events: options.events,
    ...(options.ui && { ui: { ...options.ui, store: path ?? IN_MEMORY } }),
    ...(metrics && { metrics }),
    ...(path !== undefined && { failedPages: failedPagesOf(path, { options, planned }, place) }),
    logLevel: options.logLevel ?? 'info',
    resumable: title !== undefined,
    remarks: () => [
      ...openingLines,
      ...changedLines(source, {
        freshCommand: () => commandOf({ options, planned }, place, { extra: ['--fresh'] }),
        replayCommand: () => commandOf({ options, planned }, place, { command: 'replay', extra: ['-O', 'items.jsonl'] }),
        keeps,
        canStartOver: path !== undefined,
        folder: place.folder,
      }),
    ],
    place,
  }
}

/** Beside which store pages are kept that handlers fail on, and what the spider was made with. */
function failedPagesOf(
  store: string,
  { options: { args, configPath }, planned }: AskedCrawl,
  { folder }: Place,
): FailedPagesWish {
  const typed = { args, ...(configPath !== undefined && { configPath: resolve(folder, configPath) }) }
  return { path: localPlace(folder, store), spiderPath: planned.path, typed }
}

/** What the command adds to a crawl. */
async function ownPlugins(
  { planned, source }: Pick<SourcedCrawl, 'planned' | 'source'>,
  cachePath: string | undefined,
): Promise<readonly Plugin[]> {
  const { cache } = planned
  const own = source === undefined ? [] : [source.plugin]
  if (cache === undefined || cachePath === undefined) return own
  const { responseCache } = await storeFiles()
  return [...own, responseCache(cachePath, cache)]
}

interface ChangePlace {
  readonly freshCommand: () => string
  readonly replayCommand: () => string
  readonly keeps: boolean
  readonly canStartOver: boolean
  readonly folder: string
}

/** Said at the beginning of a run with a spider that is not that of the last run. */
function changedLines(
  source: SourcedCrawl['source'],
  { freshCommand, replayCommand, keeps, canStartOver, folder }: ChangePlace,
): string[] {
  const changed = source?.changed()
  if (changed === undefined) return []
  const { path, other } = changed
  const name = nameFrom(folder, path)
  if (other !== undefined)
    return [
      `the last run in this store was of ${other}, this one is of ${name}: items of both are in one store; give one of them another name, or a store of its own with --store`,
    ]
  const line = `${name} (or a file that it imports) changed since the last run: pages already crawled keep their items`
  if (keeps) return [`${line}; to run the handlers over kept responses:`, `  ${replayCommand()}`]
  if (canStartOver) return [`${line}; to crawl them anew:`, `  ${freshCommand()}`]
  return [line]
}
