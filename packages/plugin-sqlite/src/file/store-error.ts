// Turns what SQLite and the file system throw into errors with a code, a cause and something to do about it.
import { AvocetError } from '@avocet/core'
import { messageOf, type FatalCode } from '@avocet/core/store'

const UNLOCKED = 'no other program to lock the store for long'
const DAMAGED =
  'keep the file; see what is wrong with avocet store verify; return to a backup, or recover what can be read: sqlite3 STORE .recover | sqlite3 NEW'

/** A store whose first page is damaged looks like that, too. */
export const NOT_OURS =
  'give another path, or move the file away; if it was a store, return to a backup, or recover what can be read: sqlite3 STORE .recover | sqlite3 NEW'

/** By the first part of SQLite's own code: `SQLITE_IOERR_WRITE` is an `SQLITE_IOERR`. */
const MEANINGS: readonly (readonly [code: RegExp, as: FatalCode, expected: string, remedy: string])[] = [
  [/^SQLITE_FULL|^ENOSPC|^EDQUOT/, 'AVO_FRONTIER_FULL', 'space for the store', 'free some space: nothing committed is lost'],
  [/^SQLITE_IOERR|^EIO/, 'AVO_FRONTIER_IO', 'a disk that can be read and written', 'check the disk, its quota and connection'],
  [/^SQLITE_(BUSY|LOCKED)/, 'AVO_FRONTIER_BUSY', UNLOCKED, 'if a program that does not crawl here holds it, end that one'],
  [/^SQLITE_NOTADB/, 'AVO_FRONTIER_FOREIGN', 'an Avocet store', NOT_OURS],
  // What is unique is counted by us, and an item that is there is left alone: a page of the index is damaged.
  [/^SQLITE_(CORRUPT|CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID))/, 'AVO_FRONTIER_CORRUPT', 'a sound store', DAMAGED],
  [/^SQLITE_READONLY/, 'AVO_FRONTIER_UNUSABLE', 'a store that can be written', 'check the permissions of file and folder'],
  [/^SQLITE_CANTOPEN/, 'AVO_FRONTIER_UNUSABLE', 'a store that can be opened', 'check the path and its permissions'],
]

/** SQLite's or the system's own code of a thrown value, or ''. */
function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''
}

/** Whether another connection has the lock, so that trying again makes sense. */
export function isBusy(thrown: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(thrown))
}

/** Whether somebody who may write has to roll it back before it can be read. */
export function isHalfWritten(thrown: unknown): boolean {
  return codeOf(thrown) === 'SQLITE_READONLY_ROLLBACK'
}

/** Whether the values of one unit are to blame, and not the store: other units can still be written. */
export function isBadValue(thrown: unknown): boolean {
  const code = codeOf(thrown)
  return code === ''
    ? !(thrown instanceof AvocetError)
    : /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE|ERROR)/.test(code) && !/_(UNIQUE|PRIMARYKEY|ROWID)$/.test(code)
}

/** `thrown` as an AvocetError about the store at `path`. An AvocetError stays as it is. */
export function storeError(thrown: unknown, path: string): AvocetError {
  if (thrown instanceof AvocetError) return thrown
  const code = codeOf(thrown)
  const [, avocetCode, expected, remedy] = MEANINGS.find(([meant]) => meant.test(code)) ?? [
    /^/,
    'AVO_FRONTIER_UNUSABLE' as const,
    'a store that can be read and written',
    'check the disk, the path and its permissions',
  ]
  const came = code === '' ? messageOf(thrown) : `${messageOf(thrown)} (${code})`
  return new AvocetError(avocetCode, `${path}: expected ${expected}, got: ${came}`, { cause: thrown, remedy })
}
