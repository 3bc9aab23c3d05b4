// Writes items to a file so that it holds each item once, after any number of kills, and after any change that others make to it.
//
// The store remembers, for each file, the number of the last item and the byte at which it ends (the mark). A batch is written behind
// the mark, forced to disk, and only then marked. So the file may be ahead of the mark after a kill, never behind it: what is ahead is
// cut off and written again. A file that is behind its mark was changed by somebody else and is written anew. A second mark, `#start`,
// holds where our part of this file begins: the byte, for its earlier content is kept, and the item, which is not the crawl's first once the
// file before this one was moved away. Before anything is written, and once a round, the file is looked at: one that was moved away keeps its items
// and the next go to a new file, one that was removed or cut is written again. Alternative rejected: appending and remembering only
// the item number, which doubles the last batch after a kill. Source: reliability, promise P8 (exactly once by offset).
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import type { Format } from './format.ts'
import { ITEMS_PER_READ, START_ENDING, type ExportMark, type ExportSource, type ItemExport } from './item-export.ts'
import { OutputFile } from './output-file.ts'
import { lockOutput, type OutputLock } from './output-lock.ts'

const BEGINNING: ExportMark = { itemSeq: 0, bytes: 0 }

/** Where the items go, and how. */
export interface FileTarget {
  /** Absolute. */
  readonly path: string
  /** The name under which the store keeps the mark. */
  readonly name: string
  /** `overwrite` empties the file the first time, `append` keeps its earlier content. Resumed, both continue where they were. */
  readonly mode: 'append' | 'overwrite'
  readonly format: Format
  /** Whether `format` can append to text that is not its own. */
  readonly appendable: boolean
  readonly say: (line: string) => void
}

/**
 * Opens the file, so that an output that cannot be written is found before the crawl begins. Changes nothing in it yet.
 *
 * @throws AVO_OUTPUT_UNWRITABLE, from here and from every method.
 */
export async function openFileExport(target: FileTarget): Promise<ItemExport> {
  const file = await guarded(target, () => OutputFile.open(target.path))
  const lock = await guarded(target, () => lockOutput(target.path)).catch(async (error: unknown) => {
    await file.close()
    throw error
  })
  return new FileExport(target, file, lock)
}

class FileExport implements ItemExport {
  readonly #target: FileTarget
  readonly #file: OutputFile
  readonly #lock: OutputLock
  #source: ExportSource | undefined
  /** Everything up to this item is before byte `bytes`. */
  #mark: ExportMark = BEGINNING
  /** Everything up to this item is in other files; the rest begins at byte `bytes` of this one. */
  #start: ExportMark = BEGINNING

  constructor(target: FileTarget, file: OutputFile, lock: OutputLock) {
    this.#target = target
    this.#file = file
    this.#lock = lock
  }

  async begin(source: ExportSource): Promise<void> {
    this.#source = source
    const mark = await source.exportMark(this.#target.name)
    const start = await source.exportMark(startName(this.#target.name))
    await guarded(this.#target, async () => {
      if (mark === undefined) return this.#beginFresh()
      this.#start = start ?? BEGINNING
      return mark.bytes <= this.#file.endBytes ? this.#goOn(mark) : this.#repair()
    })
  }

  async catchUp(): Promise<void> {
    if (!this.#source) throw new AvocetError('AVO_INTERNAL', 'expected begin() before catchUp()')
    for (;;) {
      await guarded(this.#target, () => this.#lookAfter())
      const items = await this.#source.reader.items({ afterSeq: this.#mark.itemSeq, limit: ITEMS_PER_READ })
      const last = items.at(-1)
      if (last === undefined) return
      const texts = items.map(({ json }) => json)
      await guarded(this.#target, async () => {
        const text = this.#target.format.encode(texts, this.#isAtStart)
        if (text === undefined) await this.#restart()
        else await this.#append(text, last.seq)
      })
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
    await this.#lock.release()
  }

  /** Whether this file has no item yet. */
  get #isAtStart(): boolean {
    return this.#mark.itemSeq === this.#start.itemSeq
  }

  /** A file that this store has never written to. */
  async #beginFresh(): Promise<void> {
    if (this.#target.mode === 'append') return this.#beginBehind(0)
    return this.#restart()
  }

  /** Begins with the item after `itemSeq`, behind the content of the file. */
  async #beginBehind(itemSeq: number): Promise<void> {
    if (this.#file.endBytes > 0 && !this.#target.appendable)
      throw new Error('a file with content, which this format cannot append to; use -O to overwrite it, or a .jsonl file')
    await this.#file.endLine()
    this.#start = { itemSeq, bytes: this.#file.endBytes }
    await this.#adopt()
    return this.#restart()
  }

  /** Resumes behind the mark. */
  async #goOn(mark: ExportMark): Promise<void> {
    this.#mark = mark
    // What is cut off whole says nothing of what comes, such as its columns.
    if (mark.bytes > 0) await this.#adopt()
    await this.#file.cut(mark.bytes)
    const { tail, empty } = this.#target.format
    await this.#file.write(this.#isAtStart ? empty : tail, mark.bytes)
  }

  /** Makes good what others did to the file since the last look, and says so. */
  async #lookAfter(): Promise<void> {
    const { path, say } = this.#target
    const left = this.#file.endBytes
    const change = await this.#file.change()
    if (change === undefined) return
    if (change === 'cut') return this.#repair()
    if (change === 'grown') {
      say(`${path} was written to by another process: what follows the last item is cut off`)
      return this.#file.cut(left)
    }
    say(
      `${path} was ${change === 'moved' ? 'moved away: continuing in a new file' : 'removed: writing it again from the first item'}`,
    )
    await this.#file.reopen()
    return this.#beginBehind(change === 'moved' ? this.#mark.itemSeq : this.#start.itemSeq)
  }

  /** Writes a file again that was cut; its content before our part stays if that is whole. */
  async #repair(): Promise<void> {
    const { path, say } = this.#target
    say(`${path} is shorter than before: writing it again from the first item`)
    if (!(await this.#file.holds(this.#start.bytes))) this.#start = { ...this.#start, bytes: 0 }
    await this.#file.cut(this.#start.bytes)
    await this.#adopt()
    return this.#restart()
  }

  async #restart(): Promise<void> {
    await this.#source?.markExport(startName(this.#target.name), this.#start)
    await this.#keep(this.#start)
    await this.#file.cut(this.#start.bytes)
    if (this.#start.bytes === 0) await this.#file.write(this.#target.format.empty, 0)
  }

  async #append(text: string, itemSeq: number): Promise<void> {
    await this.#file.write(text + this.#target.format.tail, this.#mark.bytes)
    if (!(await this.#file.holds(this.#mark.bytes))) return this.#repair()
    await this.#file.sync()
    await this.#keep({ itemSeq, bytes: this.#mark.bytes + Buffer.byteLength(text) })
  }

  async #keep(mark: ExportMark): Promise<void> {
    await this.#source?.markExport(this.#target.name, mark)
    this.#mark = mark
  }

  /** Tells the format what it appends to: our items, another program's text, or nothing. */
  async #adopt(): Promise<void> {
    const { format } = this.#target
    if (format.adopt) format.adopt(await this.#file.beginning(), this.#start.bytes > 0)
  }
}

function startName(name: string): string {
  return name + START_ENDING
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
