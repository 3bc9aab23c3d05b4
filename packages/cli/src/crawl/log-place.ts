// Whether the log file of a crawl is a file of its own: what it is appended to, and what its rotation renames, is nothing that the crawl reads or writes.
import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { foundConfig } from '../load/config-file.ts'
import type { PlannedCrawl } from '../load/plan-crawl.ts'
import { besideStore, cachePathOf, IN_MEMORY, nameFrom, storePathOf } from '../load/store-path.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import type { Place } from '../place.ts'
import { isFar } from '../store-kinds/store-address.ts'
import { COMPANIONS } from '../store-kinds/sqlite-kind.ts'
import { printable } from '../text/printable.ts'
import { fileOf, namedStoreOf } from './crawl-places.ts'

const SQLITE_HEAD = 'SQLite format 3\0'

/** A file of the crawl; `what` as in "got the spider". */
interface UsedFile {
  readonly what: string
  readonly path: string
}

/**
 * Throws AVO_USAGE for a log file that the crawl uses, also by another name of it, or that becomes one of them when it is rotated. Without a plan, of a crawl
 * that cannot begin, its store is unknown: then nothing that may be a store is written to.
 */
export function checkLogPlace(options: CrawlOptions, planned: PlannedCrawl | undefined, place: Pick<Place, 'folder'>): void {
  const file = options.log?.file
  if (file === undefined) return
  const { folder } = place
  const path = resolve(folder, file.path)
  if (planned === undefined && mayBeStore(path)) throw refused(`${printable(nameFrom(folder, path))}, which may be a store`)
  const used = [...typedFiles(options, folder), ...(planned === undefined ? [] : plannedFiles(options, planned, folder))]
  for (const { what, path: other } of used) {
    const got = (name: string): string => `${what} ${printable(nameFrom(folder, other))}${name}`
    if (isSame(path, other)) throw refused(got(''))
    const number = rotatedTo(path, other)
    if (number !== undefined && number <= file.keep) throw refused(got(`, which older lines would replace`))
  }
}

function refused(got: string): AvocetError {
  return new AvocetError('AVO_USAGE', `--log-file: expected a file of its own, got ${got}; give another path`)
}

function typedFiles({ outputs, seedsPath, ui, configPath, targets }: CrawlOptions, folder: string): UsedFile[] {
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

function plannedFiles(options: CrawlOptions, planned: PlannedCrawl, folder: string): UsedFile[] {
  const { path, config } = planned
  const named = namedStoreOf(options, planned)
  const store = storePathOf(config.spider.name, folder, named)
  const local = fileOf(options, planned, { folder })
  const withCompanions = (what: string, file: string): UsedFile[] =>
    ['', ...COMPANIONS].map((ending) => ({ what, path: `${file}${ending}` }))
  return [
    ...(path === undefined ? [] : [{ what: 'the spider', path }]),
    ...(store === IN_MEMORY || isFar(store) ? [] : withCompanions('the store', store)),
    ...withCompanions('kept responses', cachePathOf(local)),
    ...['.before', '.again', '.again-copy'].flatMap((ending) =>
      withCompanions('what --again works on', besideStore(local, ending)),
    ),
  ]
}

/** By its name, or by how it begins (sqlite.org/fileformat2.html). */
function mayBeStore(path: string): boolean {
  if (/\.(db|cache|before|again)(-\w+)?$/.test(path) || COMPANIONS.some((ending) => path.endsWith(ending))) return true
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(SQLITE_HEAD.length)
    readSync(file, head, 0, head.length, 0)
    return head.toString('latin1') === SQLITE_HEAD
  } finally {
    closeSync(file)
  }
}

/** By any of their names. */
function isSame(path: string, other: string): boolean {
  if (realOf(path) === realOf(other)) return true
  const [a, b] = [path, other].map((each) => statSync(each, { throwIfNoEntry: false, bigint: true }))
  return a !== undefined && a.isFile() && a.ino === b?.ino && a.dev === b.dev
}

/** The number that `other` has behind the name of the log, if it has one. A rename changes names, so a link is looked at by its own. */
function rotatedTo(path: string, other: string): number | undefined {
  const log = `${entryOf(path)}.`
  const name = [entryOf(other), realOf(other)].find((each) => each.startsWith(log) && /^[1-9]\d*$/.test(each.slice(log.length)))
  return name === undefined ? undefined : Number(name.slice(log.length))
}

/** Where a name is, also of nothing yet. */
function entryOf(path: string): string {
  return join(realFolder(dirname(path)), basename(path))
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return entryOf(path)
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
