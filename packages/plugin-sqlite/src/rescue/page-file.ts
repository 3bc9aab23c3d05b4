// The pages of a database that is not opened: read from its file, and from its write-ahead log where that has a newer copy. Nothing is ever written.
import { closeSync, fstatSync, openSync, readSync, realpathSync, statSync, type BigIntStats } from 'node:fs'
import { AvocetError } from '@avocet/core'
import { walFrames, type WalFrames } from './wal-frames.ts'

/** Every store is made with pages of this size; where the file's header says otherwise, the header is damaged. */
export const PAGE_BYTES = 4_096

/** One open file of pages. */
export class PageFile {
  readonly #path: string
  /** Of the log: beside the file itself where the path is a symbolic link. */
  readonly #walPath: string
  readonly #file: number
  readonly #wal: number | undefined
  readonly #frames: WalFrames
  readonly #before: string
  /** Pages that there are, readable or not. */
  readonly count: number
  /** Bytes of the file and of its log. */
  readonly bytes: number

  /** Throws what the file system does. */
  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'r')
    this.#walPath = `${realpathSync(path)}-wal`
    this.#wal = openThere(this.#walPath)
    this.#before = this.#state()
    this.#frames = this.#wal === undefined ? { offsets: new Map(), pages: 0, damaged: 0 } : walFrames(this.#wal, PAGE_BYTES)
    const { size } = fstatSync(this.#file)
    // The file may be longer than the database (a checkpoint shortens it last), or shorter: then pages are missing, unless the log has them.
    this.count = Math.max(Math.ceil(size / PAGE_BYTES), this.#frames.pages)
    this.bytes = size + (this.#wal === undefined ? 0 : fstatSync(this.#wal).size)
  }

  /** Pages of the log that cannot be read, though later ones can. */
  get damagedInLog(): number {
    return this.#frames.damaged
  }

  /** Page `number`, counted from 1; zeros where nothing can be read. */
  page(number: number): Buffer {
    const page = Buffer.alloc(PAGE_BYTES)
    const inWal = this.#frames.offsets.get(number)
    try {
      if (inWal !== undefined && this.#wal !== undefined) readSync(this.#wal, page, 0, PAGE_BYTES, inWal)
      else readSync(this.#file, page, 0, PAGE_BYTES, (number - 1) * PAGE_BYTES)
    } catch (error) {
      // A sector that the disk does not give back costs its page.
      if (!(error instanceof Error && 'code' in error && error.code === 'EIO')) throw error
      page.fill(0)
    }
    return page
  }

  /** Throws AVO_FRONTIER_BUSY when somebody has written to it since it was opened. */
  assertUnchanged(): void {
    if (this.#state() === this.#before) return
    throw new AvocetError(
      'AVO_FRONTIER_BUSY',
      `${this.#path}: expected a store that nobody writes to, got one that changed meanwhile; stop the crawl, then rescue it`,
    )
  }

  close(): void {
    closeSync(this.#file)
    if (this.#wal !== undefined) closeSync(this.#wal)
  }

  #state(): string {
    return [this.#path, this.#walPath].map((path) => stamp(statSync(path, { bigint: true, throwIfNoEntry: false }))).join()
  }
}

function stamp(stats: BigIntStats | undefined): string {
  return stats === undefined ? 'none' : `${stats.ino}:${stats.size}:${stats.mtimeNs}`
}

function openThere(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
