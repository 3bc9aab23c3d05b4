// Whether a backup may be put at a place: where nothing is, or, when it was asked for, where an earlier one is that nobody has open.
import { existsSync, openSync, readSync, closeSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AvocetError } from '@avocet/core'
import { APPLICATION_ID } from '../file/schema.ts'

/** Endings of files that SQLite has beside one of its own. */
export const FILES_BESIDE: readonly string[] = ['-wal', '-shm', '-journal']

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
