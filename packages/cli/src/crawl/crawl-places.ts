// Where a crawl that was typed has its parts: its store, the responses that it keeps, its outputs.
import { existsSync } from 'node:fs'
import { AvocetError } from '@avocet/core'
import { isSecretName } from '@avocet/plugin-secrets/names'
import type { MetricsServer } from '@avocet/metrics'
import type { PlannedCrawl } from '@avocet/project/plan'
import { cachePathOf, IN_MEMORY, localPlace, storePathOf } from '@avocet/project/store'
import type { CrawlOptions } from '@avocet/project/options'
import { say, type Place, argumentWords } from '@avocet/project/place'
import type { OutputPlace } from '../export/outputs.ts'
import type { CrawlStoreWish } from './crawl-store.ts'

/** What was typed, and the crawl that it means. */
export interface AskedCrawl {
  readonly options: CrawlOptions
  readonly planned: PlannedCrawl
  /** Where its metrics are shown. */
  readonly metrics?: MetricsServer
}

/** What several processes run. */
export interface CrawlOfProcesses extends AskedCrawl {
  readonly count: number
}

/** The store that was typed, or that the configuration names. */
export function namedStoreOf({ store }: CrawlOptions, { configuredStore }: PlannedCrawl): string | undefined {
  return store ?? configuredStore
}

/** The path that files beside the store are named after; that of the default place where it has none of its own. */
export function fileOf(options: CrawlOptions, planned: PlannedCrawl, { folder }: Pick<Place, 'folder'>): string {
  const store = namedStoreOf(options, planned)
  return localPlace(folder, storePathOf(planned.config.spider.name, folder, store === IN_MEMORY ? undefined : store))
}

/** Its store. */
export function wishOf(options: CrawlOptions, planned: PlannedCrawl, place: Place): CrawlStoreWish {
  const { config } = planned
  const store = namedStoreOf(options, planned)
  return {
    path: storePathOf(config.spider.name, place.folder, store),
    typed: store !== undefined,
    fresh: options.fresh,
    folder: place.folder,
    clock: config.clock ?? place.clock,
  }
}

/** Its outputs. `path`: of the store. */
export function outputPlaceOf(
  { fresh }: CrawlOptions,
  path: string | undefined,
  { folder, stdout, stderr, clock }: Place,
): OutputPlace {
  const tell = (line: string): void => say(stderr, line)
  return {
    folder,
    stdout,
    clock,
    say: tell,
    // Before a crawl is forgotten, no process of it has a file rightly.
    isShared: !fresh,
    ...(path !== undefined && path !== IN_MEMORY && { storePath: path }),
  }
}

/** Where responses of this crawl are, or would be. A store that ends with the process has none beside it. Throws AVO_USAGE where they are to be kept there. */
export function cachePathFor(options: CrawlOptions, planned: PlannedCrawl, place: Place): string | undefined {
  if (namedStoreOf(options, planned) !== IN_MEMORY) return cachePathOf(fileOf(options, planned, place))
  if (options.config.cache === true)
    throw new AvocetError('AVO_USAGE', `--cache: expected a store in a file, beside which responses are kept, got :memory:`)
  return undefined
}

/** Whether responses of this crawl are kept, so that handlers can run over them. Throws as `cachePathFor` does. */
export function keepsResponses(options: CrawlOptions, planned: PlannedCrawl, place: Place): boolean {
  const path = cachePathFor(options, planned, place)
  return path !== undefined && existsSync(path)
}

/** How `parse` is told of the spider of this crawl, with an ellipsis in place of arguments that may be secrets, by their names. */
export function spiderWords({ targets, configPath, args }: CrawlOptions): readonly string[] {
  const [target] = targets
  const named = target === undefined || URL.canParse(target) ? [] : ['--spider', target]
  return [...named, ...(configPath === undefined ? [] : ['--config', configPath]), ...argumentWords(withoutSecretArguments(args))]
}

/** The arguments with an ellipsis in place of values that may be secrets. */
export function withoutSecretArguments(args: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, isSecretName(name) ? '…' : value]))
}
