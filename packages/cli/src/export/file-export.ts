// Writes items to a file so that it holds each item once, after any number of kills.
//
// The store remembers, for each file, the number of the last item and the byte at which it ends (the mark). A batch is written behind
// the mark, forced to disk, and only then marked. So the file may be ahead of the mark after a kill, never behind it: what is ahead is
// cut off and written again. A file that is behind its mark was changed by somebody else and is written anew. A second mark, `#start`,
// holds the byte at which our part begins: what stood in the file before is kept. Alternative rejected: appending and remembering only
// the item number, which doubles the last batch after a kill. Source: reliability, promise P8 (exactly once by offset).
import { constants, type Stats } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { AvocetError, messageOf, type ExportMark } from '@avocet/core'
import type { ExportSource } from './export-source.ts'
import type { Format } from './format.ts'
import { ITEMS_PER_READ, type ItemExport } from './item-export.ts'
import { lockOutput, type OutputLock } from './output-lock.ts'

/** A header line is read back from at most this much. */
const MAX_BEGINNING_BYTES = 1_048_576
const NEWLINE = 0x0a
/** Of a file that was not there: what was crawled is its owner's until its owner says otherwise. */
const OWNER_ONLY = 0o600

/** Where the items go, and how. */
export interface FileTarget {
  /** Absolute. */
  readonly path: string
  /** The name under which the store keeps the mark. */
  readonly name: string
  /** `overwrite` empties the file the first time, `append` keeps what stood there before. Both go on where they were when resumed. */
  readonly mode: 'append' | 'overwrite'
  readonly format: Format
  /** Whether `format` can go on behind text that is not its own. */
  readonly appendable: boolean
  readonly say: (line: string) => void
}

/**
 * Opens the file, so that an output that cannot be written is found before the crawl begins. Changes nothing in it yet.
 *
 * @throws AVO_OUTPUT_UNWRITABLE, from here and from every method.
 */
export async function openFileExport(target: FileTarget): Promise<ItemExport> {
  const file = await guarded(target, async () => {
    const opened = await open(target.path, constants.O_RDWR | constants.O_CREAT, OWNER_ONLY)
    if ((await opened.stat()).isFile()) return opened
    await opened.close()
    throw new Error('something that is no regular file')
  })
  const lock = await guarded(target, () => lockOutput(target.path)).catch(async (error: unknown) => {
    await file.close()
    throw error
  })
  return new FileExport(target, file, lock)
}

class FileExport implements ItemExport {
  readonly #target: FileTarget
  readonly #file: FileHandle
  readonly #lock: OutputLock
  #source: ExportSource | undefined
  /** Everything up to this item stands before byte `bytes`. */
  #mark: ExportMark = { itemSeq: 0, bytes: 0 }
  /** The first byte of ours. */
  #start = 0

  constructor(target: FileTarget, file: FileHandle, lock: OutputLock) {
    this.#target = target
    this.#file = file
    this.#lock = lock
  }

  async begin(source: ExportSource): Promise<void> {
    this.#source = source
    const { name, say, path } = this.#target
    const mark = await source.exportMark(name)
    const start = await source.exportMark(startName(name))
    await guarded(this.#target, async () => {
      const stats = await this.#file.stat()
      if (mark === undefined) return this.#beginFresh(stats)
      this.#start = start !== undefined && start.bytes <= stats.size ? start.bytes : 0
      if (mark.bytes <= stats.size) return this.#goOn(mark)
      say(`${path} is shorter than it was left: writing it anew from the first item`)
      return this.#restart()
    })
  }

  async catchUp(): Promise<void> {
    if (!this.#source) throw new AvocetError('AVO_INTERNAL', 'expected begin() before catchUp()')
    for (;;) {
      const items = await this.#source.reader.items({ afterSeq: this.#mark.itemSeq, limit: ITEMS_PER_READ })
      const last = items.at(-1)
      if (last === undefined) return
      const texts = items.map(({ json }) => json)
      await guarded(this.#target, async () => {
        const text = this.#target.format.encode(texts, this.#mark.itemSeq === 0)
        if (text === undefined) await this.#restart()
        else await this.#append(text, last.seq)
      })
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
    await this.#lock.release()
  }

  /** A file that this store has never written to. */
  async #beginFresh({ size }: Stats): Promise<void> {
    const { mode, appendable } = this.#target
    if (mode === 'append' && size > 0) {
      if (!appendable)
        throw new Error('a file with something in it, which this format cannot be appended to; use -O to overwrite it, or .jsonl')
      this.#start = size + (await this.#endLine(size))
      await this.#adopt(0, true)
    }
    return this.#restart()
  }

  /** Resumes behind the mark. */
  async #goOn(mark: ExportMark): Promise<void> {
    this.#mark = mark
    await this.#adopt(0, this.#start > 0)
    await this.#file.truncate(mark.bytes)
    const { tail, empty } = this.#target.format
    await this.#write(mark.itemSeq === 0 ? empty : tail, mark.bytes)
  }

  async #restart(): Promise<void> {
    await this.#keep({ itemSeq: 0, bytes: this.#start })
    await this.#file.truncate(this.#start)
    if (this.#start === 0) await this.#write(this.#target.format.empty, 0)
  }

  async #append(text: string, itemSeq: number): Promise<void> {
    const { tail } = this.#target.format
    await this.#write(text + tail, this.#mark.bytes)
    await this.#file.datasync()
    await this.#keep({ itemSeq, bytes: this.#mark.bytes + Buffer.byteLength(text) })
  }

  async #keep(mark: ExportMark): Promise<void> {
    const { name } = this.#target
    if (mark.itemSeq === 0) await this.#source?.markExport(startName(name), { itemSeq: 0, bytes: this.#start })
    await this.#source?.markExport(name, mark)
    this.#mark = mark
  }

  /** A write may be cut short without an error when the disk fills up: the rest then says why. */
  async #write(text: string, position: number): Promise<void> {
    const bytes = Buffer.from(text)
    for (let written = 0; written < bytes.length;) {
      const { bytesWritten } = await this.#file.write(bytes, written, bytes.length - written, position + written)
      written += bytesWritten
    }
  }

  async #adopt(position: number, fixed: boolean): Promise<void> {
    if (!this.#target.format.adopt) return
    const buffer = Buffer.alloc(MAX_BEGINNING_BYTES)
    const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, position)
    this.#target.format.adopt(buffer.toString('utf8', 0, bytesRead), fixed)
  }

  /** Ends the last line of a file that does not; says how many bytes that took. */
  async #endLine(size: number): Promise<0 | 1> {
    const { buffer } = await this.#file.read(Buffer.alloc(1), 0, 1, size - 1)
    if (buffer[0] === NEWLINE) return 0
    await this.#write('\n', size)
    return 1
  }
}

function startName(name: string): string {
  return `${name}#start`
}

async function guarded<Answer>(target: FileTarget, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AvocetError) throw error
    const message = `${target.path}: expected a file that can be written, got ${messageOf(error)}`
    throw new AvocetError('AVO_OUTPUT_UNWRITABLE', message, { cause: error })
  }
}
