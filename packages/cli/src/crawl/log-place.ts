// Whether the log file of a crawl is a file of its own: what it is appended to, and what its rotation renames, is nothing that the crawl reads or writes.
//
// Names that differ in upper and lower case only, or in how an accent is written, are taken for one name everywhere: on the disks of macOS and Windows
// they are, and nobody needs both.
import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { AvocetError } from '@avocet/core'
import type { PlannedCrawl } from '../load/plan-crawl.ts'
import { nameFrom } from '../load/store-path.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import type { Place } from '../place.ts'
import { COMPANIONS } from '../store-kinds/sqlite-kind.ts'
import { printable } from '../text/printable.ts'
import { plannedFiles, typedFiles } from './used-files.ts'

/** How each line of a log begins (log-entry.ts). */
const LOG_HEAD = '{"time":"'

/**
 * Throws AVO_USAGE for a log file that the crawl uses, also by another name of it, or that becomes one of them when it is rotated. Without a plan, of a crawl
 * that cannot begin, its store and its sinks are unknown: then nothing is written to that may be a store, nor to a file that is no log.
 */
export function checkLogPlace(options: CrawlOptions, planned: PlannedCrawl | undefined, place: Pick<Place, 'folder'>): void {
  const file = options.log?.file
  if (file === undefined) return
  const { folder } = place
  const path = resolve(folder, file.path)
  if (planned === undefined && mayBeAnother(path))
    throw refused(`${printable(nameFrom(folder, path))}, which may be another file of it`)
  const used = [...typedFiles(options, folder), ...(planned === undefined ? [] : plannedFiles(options, planned, folder))]
  for (const { what, path: other, isFolder = false } of used) {
    const got = (name: string): string => `${what} ${printable(nameFrom(folder, other))}${name}`
    if (isSame(path, other) || isNumbered(path, other)) throw refused(got(''))
    if (isFolder && isInside(path, other)) throw refused(`a file in ${got('')}`)
    const number = rotatedTo(path, other)
    if (number !== undefined && number <= file.keep) throw refused(got(`, which older lines would replace`))
  }
}

function refused(got: string): AvocetError {
  return new AvocetError('AVO_USAGE', `--log-file: expected a file of its own, got ${got}; give another path`)
}

/** By its name, or by how it begins. */
function mayBeAnother(path: string): boolean {
  if (/\.(db|cache|before|again)(-\w+)?$/.test(path) || COMPANIONS.some((ending) => path.endsWith(ending))) return true
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(LOG_HEAD.length)
    const bytes = readSync(file, head, 0, head.length, 0)
    return bytes > 0 && head.toString('latin1') !== LOG_HEAD
  } finally {
    closeSync(file)
  }
}

/** By any of their names. */
function isSame(path: string, other: string): boolean {
  if (folded(realOf(path)) === folded(realOf(other))) return true
  const [a, b] = [path, other].map((each) => statSync(each, { throwIfNoEntry: false, bigint: true }))
  return a !== undefined && a.isFile() && a.ino === b?.ino && a.dev === b.dev
}

function isInside(path: string, folder: string): boolean {
  return [entryOf(path), realOf(path)].some((each) => folded(each).startsWith(folded(`${realOf(folder)}${sep}`)))
}

/** Whether the name of the log is one of those that `{n}` stands for. */
function isNumbered(path: string, other: string): boolean {
  const [before = '', after] = folded(entryOf(other)).split('{n}')
  const name = folded(entryOf(path))
  if (after === undefined || !name.startsWith(before) || !name.endsWith(after)) return false
  return /^\d+$/.test(name.slice(before.length, name.length - after.length))
}

/** As disks have it that do not tell case from case. */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

/** The number that `other` has behind the name of the log, if it has one. A rename changes names, so a link is looked at by its own. */
function rotatedTo(path: string, other: string): number | undefined {
  const log = folded(`${entryOf(path)}.`)
  const names = [entryOf(other), realOf(other)].map(folded)
  const name = names.find((each) => each.startsWith(log) && /^[1-9]\d*$/.test(each.slice(log.length)))
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

/** Of a folder that is not there yet, the part that is. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    const parent = dirname(folder)
    return parent === folder ? folder : join(realFolder(parent), basename(folder))
  }
}
