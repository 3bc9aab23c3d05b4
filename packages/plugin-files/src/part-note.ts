// What is noted beside a part, so that another run can resume it: of which version it is, and how much of it is safely on the disk.
//
// A note is replaced as a whole, by a rename, and only after the bytes that it counts are synced. What is beyond them is cut off when the part is resumed.
import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { isRunning } from '@avocet/core/store'
import type { Held } from './answer.ts'
import type { Disk } from './disk.ts'

const FORMAT = 1
const MOST_CHARACTERS = 2_000
const NOTE_ENDING = '.json'
const NEW_ENDING = '.new'

/** Where the note of the part at `path` is. */
export function notePath(path: string): string {
  return `${path}${NOTE_ENDING}`
}

/** The name of a part, of the file `name` that is it, its note, or a note that was not finished. */
export function partOfFile(name: string): string {
  const note = name.endsWith(NEW_ENDING) ? name.slice(0, -NEW_ENDING.length) : name
  return note.endsWith(NOTE_ENDING) ? note.slice(0, -NOTE_ENDING.length) : note
}

/** Writes the note of the part at `path`. */
export async function writeNote(disk: Disk, path: string, held: Held): Promise<void> {
  const next = `${notePath(path)}${NEW_ENDING}`
  await disk.remove(next)
  const file = await disk.create(next)
  try {
    await file.write(Buffer.from(JSON.stringify({ format: FORMAT, ...held })), 0)
  } finally {
    await file.close()
  }
  await disk.rename(next, notePath(path))
}

/** What the note of the part at `path` says; undefined where it says nothing that can be relied on. */
export async function readNote(disk: Disk, path: string): Promise<Held | undefined> {
  const text = await disk.readText(notePath(path), MOST_CHARACTERS)
  try {
    return heldIn(JSON.parse(text ?? ''))
  } catch {
    return undefined
  }
}

/** Removes the part at `path` and its note: the part first, for a part without a note is never resumed. */
export async function removePart(disk: Disk, path: string): Promise<void> {
  await disk.remove(path)
  await disk.remove(`${notePath(path)}${NEW_ENDING}`)
  await disk.remove(notePath(path))
}

function heldIn(note: unknown): Held | undefined {
  const { format, bytes, total, etag, lastModified } = note as Readonly<Record<string, unknown>>
  if (format !== FORMAT || !isSize(bytes) || bytes === 0) return undefined
  if (total !== undefined && !isSize(total)) return undefined
  if (typeof etag !== 'string' && typeof lastModified !== 'string') return undefined
  return {
    bytes,
    ...(total !== undefined && { total }),
    ...(typeof etag === 'string' && { etag }),
    ...(typeof lastModified === 'string' && { lastModified }),
  }
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

// Names of parts: whose file it is, and who is writing it. A rename takes a part over, so of two processes only one gets it.
//
// `KEY.MACHINE-PID-TOKEN`, and beside it its note (part-note.ts). A part of a process of this machine that is gone was left by it. Of other machines (a
// shared folder, a container that was made again) nobody knows, but one that was not touched for an hour is not being written: a body that comes slower
// than that was given up long ago.

const NAME = /^([\da-f]{32})\.([\da-f]{8}-\d{1,10})-([\da-f]{8})$/
const TOKEN_BYTES = 4

/** Of a part that another machine writes. */
const UNTOUCHED_MS = 3_600_000

/** A part, as its name says. */
export interface PartName {
  readonly name: string
  /** Of the request. */
  readonly key: string
  /** Who is writing it, or was. */
  readonly owner: string
  readonly token: string
}

/** What `name` says; undefined: it is no part. */
export function readPartName(name: string): PartName | undefined {
  const [, key, owner, token] = NAME.exec(name) ?? []
  return key === undefined || owner === undefined || token === undefined ? undefined : { name, key, owner, token }
}

/** A new name, for a part that this process writes. */
export function newPartName(key: string): PartName {
  const owner = `${thisMachine()}-${String(process.pid)}`
  const token = randomBytes(TOKEN_BYTES).toString('hex')
  return { name: `${key}.${owner}-${token}`, key, owner, token }
}

/** Whether nobody writes it. `mine`: tokens of what this process writes; `untouchedMs`: since it was written last. */
export function isAbandoned({ owner, token }: PartName, mine: ReadonlySet<string>, untouchedMs: number): boolean {
  const [machine, pid] = owner.split('-')
  if (machine !== thisMachine()) return untouchedMs >= UNTOUCHED_MS
  return Number(pid) === process.pid ? !mine.has(token) : !isRunning(Number(pid))
}

function thisMachine(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
}
