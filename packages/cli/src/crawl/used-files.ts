// The files and folders that a crawl reads and writes: what was typed, and what follows from its plan. Sinks say where they write in their `options.path`; one
// that says nothing is not known here.
import { resolve } from 'node:path'
import { foundConfig } from '../load/config-file.ts'
import { filesFolderAt } from '../load/option-plugins.ts'
import type { PlannedCrawl } from '../load/plan-crawl.ts'
import { cachePathOf, IN_MEMORY, storePathOf } from '../load/store-path.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import { failedPagesFolder } from '../store/failed-pages.ts'
import { isFar } from '../store-kinds/store-address.ts'
import { COMPANIONS } from '../store-kinds/sqlite-kind.ts'
import { fileOf, namedStoreOf } from './crawl-places.ts'

/** A file, or a folder with all that is in it; `what` as in "got the spider". */
export interface UsedFile {
  readonly what: string
  /** Absolute. `{n}` in its last part: any number. */
  readonly path: string
  readonly isFolder?: boolean
}

/** Those that were typed, whatever the plan is. */
export function typedFiles({ outputs, seedsPath, ui, configPath, targets }: CrawlOptions, folder: string): readonly UsedFile[] {
  const named = (what: string, path: string | undefined): UsedFile[] =>
    path === undefined || path === '-' ? [] : [{ what, path: resolve(folder, path) }]
  return [
    ...outputs.flatMap(({ path }) => named('the output', path)),
    ...outputs.filter(({ path }) => path !== '-').flatMap(({ path }) => named('the lock of an output', `${path}.lock`)),
    ...named('the seeds', seedsPath),
    ...named('the password file', ui?.passwordPath),
    ...named('the configuration', configPath ?? foundConfig(folder)),
    ...targets.filter((target) => !URL.canParse(target)).flatMap((target) => named('the spider', target)),
  ]
}

/** Those of the plan: its store and what is beside that, its sinks, its files. */
export function plannedFiles(options: CrawlOptions, planned: PlannedCrawl, folder: string): readonly UsedFile[] {
  const { path, config } = planned
  const store = storePathOf(config.spider.name, folder, namedStoreOf(options, planned))
  const local = fileOf(options, planned, { folder })
  return [
    ...(path === undefined ? [] : [{ what: 'the spider', path }]),
    ...(store === IN_MEMORY || isFar(store) ? [] : withCompanions('the store', store)),
    ...withCompanions('kept responses', cachePathOf(local)),
    { what: 'the folder of failed pages', path: failedPagesFolder(local), isFolder: true },
    { what: 'the folder of saved files', path: filesFolderAt(local), isFolder: true },
    ...pluginFolders(config, folder),
    ...sinkFiles(config, folder),
  ]
}

function withCompanions(what: string, file: string): UsedFile[] {
  return ['', ...COMPANIONS].map((ending) => ({ what, path: `${file}${ending}` }))
}

function pluginFolders({ plugins }: PlannedCrawl['config'], folder: string): UsedFile[] {
  const saved = plugins.find(({ name }) => name === 'files')?.options?.['folder']
  return typeof saved === 'string' ? [{ what: 'the folder of saved files', path: resolve(folder, saved), isFolder: true }] : []
}

function sinkFiles({ sinks = [] }: PlannedCrawl['config'], folder: string): UsedFile[] {
  const paths = sinks.flatMap(({ options }) => (typeof options?.['path'] === 'string' ? [resolve(folder, options['path'])] : []))
  return paths.flatMap((path) => [
    { what: 'the file of a sink', path },
    { what: 'the lock of a sink', path: `${path}.lock` },
  ])
}
