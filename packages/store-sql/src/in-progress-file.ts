// Which pages of a process are in progress: a small file beside the store, written before a handler begins.
//
// It must survive the death of the process, not a power cut: a plain write without fsync does, and costs 2 µs where a transaction costs a
// millisecond. What is in flight on the network is not in it: only the work of this process on a page can kill the process, and marking
// requests in flight would blame the pages that a `kill -9` from outside happens to interrupt.
//
// Its name can be guessed. So it is made, never opened: what is in its place, above all a symbolic link, is removed first, and nobody's file
// is written through it. It is read only if it is of this user or of root: anybody else could put one in its place, and accuse pages of a crash.
import { closeSync, constants, fstatSync, openSync, readSync, rmSync, writeSync, type Stats } from 'node:fs'

/** Pages at once, at most; more are not marked. */
const MAX_IDS = 1_000
const ID_BYTES = 8
const MAX_BYTES = ID_BYTES * (1 + MAX_IDS)
/** Like the store itself. */
const OWNER_ONLY = 0o600
const ROOT = 0
/** Windows has the first alone: what is undefined counts as 0. */
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** The file of one process. */
export class InProgressFile {
  readonly #path: string | undefined
  #file: number | undefined
  readonly #bytes: Buffer = Buffer.alloc(MAX_BYTES)

  /** `path` of the store; `:memory:` has no such file, for nothing of it survives. */
  constructor(path: string, process: number) {
    this.#path = path === ':memory:' ? undefined : pathOf(path, process)
  }

  /** Writes down `ids`, in one call: the count, then each id. */
  write(ids: readonly number[]): void {
    if (this.#path === undefined) return
    const count = Math.min(ids.length, MAX_IDS)
    this.#bytes.writeDoubleLE(count, 0)
    for (let n = 0; n < count; n++) this.#bytes.writeDoubleLE(ids[n] ?? 0, ID_BYTES * (1 + n))
    try {
      this.#file ??= made(this.#path)
      writeSync(this.#file, this.#bytes, 0, ID_BYTES * (1 + count), 0)
    } catch {
      // A full disk is the next commit's to tell. All that is lost here is a suspicion.
    }
  }

  /** Begins it anew: another process took this one for dead, and the file away. */
  renew(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** Ends it: this process had nothing in progress when it left. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    if (this.#path !== undefined) drop(this.#path)
  }
}

/** What the dead `process` had in progress. */
export function inProgressOf(path: string, process: number): readonly number[] {
  const bytes = readOwn(pathOf(path, process))
  const whole = Math.floor(bytes.length / ID_BYTES) - 1
  const count = whole < 0 ? 0 : Math.min(bytes.readDoubleLE(0), whole)
  return Array.from({ length: count }, (_, n) => bytes.readDoubleLE(ID_BYTES * (1 + n)))
}

/** Forgets what a dead process had in progress. */
export function dropInProgress(path: string, process: number): void {
  drop(pathOf(path, process))
}

/** One that cannot be removed stays, and means nothing any more: no other process is given its number. The store has been written, and must not fail for it. */
function drop(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // A disk that is in trouble is the next commit's to tell.
  }
}

/** A new file, in place of what is there. */
function made(path: string): number {
  rmSync(path, { force: true })
  return openSync(path, 'wx', OWNER_ONLY)
}

/** At most `MAX_BYTES` of a regular file of this user; nothing of anything else. */
function readOwn(path: string): Buffer {
  const bytes = Buffer.alloc(MAX_BYTES)
  try {
    // Without O_NONBLOCK a pipe at its place would wait for a writer.
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      return bytes.subarray(0, isTrusted(fstatSync(file)) ? readSync(file, bytes, 0, MAX_BYTES, 0) : 0)
    } finally {
      closeSync(file)
    }
  } catch {
    return bytes.subarray(0, 0)
  }
}

/** Windows has no users of files. */
function isTrusted(file: Stats): boolean {
  const user = process.geteuid?.()
  return file.isFile() && (user === undefined || file.uid === user || file.uid === ROOT)
}

function pathOf(path: string, process: number): string {
  return `${path}-in-progress-${process}`
}
