// The file in which a backup is made, before it gets its name. What a killed backup left goes with the next one to the place, a day later.
import { closeSync, existsSync, lstatSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AvocetError } from '@avocet/core'
import { APPLICATION_ID } from '../file/schema.ts'

/** Nobody writes any more to a file that is older. */
const STALE_MS = 24 * 3_600_000
/** What backups in one folder differ in. */
const MOMENT = /-\d{8}T\d{6}Z(?=\.db$)/

/** That of this process, for a backup at `to`: two may make copies at one place, and the last of them is there. */
export function partFile(to: string): string {
  return `${to}.part-${process.pid}`
}

/** Removes it, and what SQLite has beside it. */
export function removeBackupPart(part: string): void {
  for (const companion of ['', ...FILES_BESIDE]) rmSync(part + companion, { force: true })
}

/** Removes old ones, at `to` and of the other moments of the same store. `now`: epoch ms. */
export function removeStaleParts(to: string, now: number): void {
  const folder = dirname(to)
  for (const name of readdirSync(folder)) {
    const target = /^(.+)\.part-\d+(?:-wal|-shm|-journal)?$/.exec(name)?.[1]
    if (target?.replace(MOMENT, '') !== basename(to).replace(MOMENT, '')) continue
    const path = join(folder, name)
    const there = lstatSync(path, { throwIfNoEntry: false })
    if (there?.isFile() === true && now - there.mtimeMs > STALE_MS) rmSync(path, { force: true })
  }
}

// Whether a backup may be put at a place: where nothing is, or, when it was asked for, where an earlier one is that nobody has open.

/** Endings of files that SQLite has beside one of its own. */
const FILES_BESIDE: readonly string[] = ['-wal', '-shm', '-journal']

/** Where the header of a file has its application id (sqlite.org/fileformat2.html §1.3). */
const APPLICATION_ID_AT = 68

/** Throws AVO_FRONTIER_UNUSABLE where it may not. `path`: of the store. */
export function assertReplaceable(path: string, to: string, overwrite: boolean): void {
  const refusal = folderMissing(dirname(to)) ?? taken(path, to, overwrite)
  if (refusal !== undefined) throw new AvocetError('AVO_FRONTIER_UNUSABLE', refusal)
}

function folderMissing(folder: string): string | undefined {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return undefined
  const got = existsSync(folder) ? 'a file' : 'nothing'
  return `${folder}: expected the folder of the backup to exist, got ${got}; make it, or give another path`
}

function taken(path: string, to: string, overwrite: boolean): string | undefined {
  const there = statSync(to, { throwIfNoEntry: false })
  const store = statSync(path)
  if (there?.dev === store.dev && there.ino === store.ino)
    return `${to}: expected a place for the backup, got the store itself; give another path`
  // What SQLite would read as the rest of a file that is put beside it.
  const rest = FILES_BESIDE.map((companion) => to + companion).find((each) => existsSync(each))
  if (rest !== undefined)
    return `${rest}: expected no file of a store beside the backup, got one; it is in use, give another path`
  if (there === undefined) return undefined
  if (!there.isFile()) return `${to}: expected a place for the backup, got something that is no file; give another path`
  if (!overwrite) return `${to}: expected nothing at the path of the backup, got a file; give another path, or --overwrite`
  if (there.size > 0 && !isStore(to))
    return `${to}: expected an earlier backup to overwrite, got a file of another kind; give another path`
  return undefined
}

function isStore(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(APPLICATION_ID_AT + 4)
    readSync(file, head, 0, head.length, 0)
    return head.readInt32BE(APPLICATION_ID_AT) === APPLICATION_ID
  } finally {
    closeSync(file)
  }
}
