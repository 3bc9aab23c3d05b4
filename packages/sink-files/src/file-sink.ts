// Writes items to a file so that it holds each item once, after any number of kills, and after any change that others make to it.
//
// The mark in the store has the number of the last item, the byte at which it ends, and the `start`, where our part of this file begins: the byte, for its
// earlier content is kept, and the item, which is not the crawl's first once the file before this one was moved away. A batch is written behind the mark,
// forced to disk, and only then marked. So the file may be ahead of the mark after a kill, never behind it: what is ahead is cut off and written again. A file
// that is behind its mark was changed by somebody else and is written anew. Before anything is written, and at the end, the file is looked at: one that was
// moved away keeps its items and the next go to a new file, one that was removed or cut is written again. Between two runs it may become any other file, so
// its end is known again by a hash (`hashOf`), and what this store did not write is never cut off, unless `overwrite` says so. It waits for a full disk.
// Alternative rejected: appending and remembering only the item number, which doubles the last batch after a kill.
import { AvocetError } from '@avocet/core'
import { SinkDown, SinkElsewhere } from '@avocet/core/sink'
import type { Sink, SinkBatch, SinkLimits, SinkMark, SinkSession, Written } from '@avocet/core/sink'
import { messageOf } from '@avocet/core/store'
import { fileMark, fileState, hashOf, OutputFile, type FileEnd, type FilePlace, type FileState } from './output-file.ts'
import type { Format } from './format.ts'
import { lockOutput, type OutputLock } from './output-lock.ts'

const BEGINNING: FilePlace = { itemSeq: 0, bytes: 0 }
const CUT = 'is shorter than before'
const GROWN = 'was written to by others'

/** Where the items go, and how. */
export interface FileTarget {
  /** Absolute. */
  readonly path: string
  /** The name under which the store keeps the mark. */
  readonly name: string
  /** What becomes of content that is not of this store: it is replaced, or kept in front of the items. Absent: it is refused. */
  readonly mode?: 'append' | 'overwrite' | undefined
  readonly format: Format
  /** Whether `format` can append to text that is not its own. */
  readonly appendable: boolean
  readonly say: (line: string) => void
}

/** An output file as a sink. Throws AVO_OUTPUT_UNWRITABLE from `prepare` and `open`. */
export class FileSink implements Sink {
  /** A batch costs a sync of the file, one of its mark, and looks at what others did to the file. */
  static readonly LIMITS: Partial<SinkLimits> = { maxItems: 1_024 }
  readonly name: string
  readonly limits: Partial<SinkLimits> = FileSink.LIMITS
  readonly #target: FileTarget
  #opened: { readonly file: OutputFile; readonly lock: OutputLock } | undefined
  #session: SinkSession | undefined
  /** Everything up to this item is before byte `bytes`. */
  #mark: FilePlace = BEGINNING
  /** Everything up to this item is in other files; the rest begins at byte `bytes` of this one. */
  #start: FilePlace = BEGINNING
  /** How the file ends at the mark. */
  #end: FileEnd | undefined

  constructor(target: FileTarget) {
    this.name = target.name
    this.#target = target
  }

  /**
   * Opens the file, so that one that cannot be written is found before the crawl begins. Changes nothing in it yet. `crawl`: as `lockOutput` has it. Throws
   * SinkElsewhere where another process of that crawl may have the file.
   */
  async prepare(crawl?: string): Promise<void> {
    const { path } = this.#target
    if (this.#opened !== undefined) return
    const file = await this.#guarded(() => OutputFile.open(path))
    const lock = await this.#guarded(() => lockOutput(path, crawl)).catch(async (error: unknown) => {
      await file.close()
      throw error
    })
    this.#opened = { file, lock }
  }

  async open(session: SinkSession): Promise<SinkMark> {
    this.#session = session
    await this.prepare(session.crawl.id || undefined)
    const kept = fileState(session.mark)
    await this.#guarded(() => (kept === undefined ? this.#beginFresh() : this.#resume(kept))).catch(async (error: unknown) => {
      await this.close()
      throw error
    })
    return this.#asMark
  }

  async write({ items, mark: { itemSeq } }: Pick<SinkBatch<unknown>, 'items' | 'mark'>): Promise<Written> {
    const texts = items.map(({ json }) => json)
    return this.#orDown(async () => {
      await this.#begun()
      if (await this.#lookAfter()) return { rewind: this.#asMark }
      const text = this.#target.format.encode(texts, this.#mark.bytes === this.#start.bytes)
      if (text !== undefined && (await this.#append(text, itemSeq))) return { mark: this.#asMark }
      if (text === undefined) await this.#restart()
      return { rewind: this.#asMark }
    })
  }

  async finish(): Promise<Written> {
    return this.#orDown(async () => {
      if (await this.#lookAfter()) return { rewind: this.#asMark }
      this.#end &&= { ...this.#end, isWhole: true }
      return { mark: this.#asMark }
    })
  }

  async close(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    await opened?.file.close()
    await opened?.lock.release()
  }

  get #file(): OutputFile {
    if (this.#opened === undefined) throw new AvocetError('AVO_INTERNAL', 'expected an open output, got one that is closed')
    return this.#opened.file
  }

  get #asMark(): SinkMark {
    return fileMark({ mark: this.#mark, start: this.#start, ...(this.#end && { end: this.#end }) })
  }

  /** The store knows that something is being written, before it is: what a kill leaves behind the mark is ours then. */
  async #begun(): Promise<void> {
    if (this.#end?.isWhole !== true) return
    this.#end = { ...this.#end, isWhole: false }
    await this.#session?.keep(this.#asMark)
  }

  /** A file that this store has never written to. */
  async #beginFresh(): Promise<void> {
    const { mode } = this.#target
    this.#start = BEGINNING
    if (mode === 'append') return this.#beginBehind(0)
    if (mode === undefined && this.#file.endBytes > 0) throw this.#notOurs('another crawl or program wrote')
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

  /** Resumes behind the mark, unless others have changed the file since. */
  async #resume({ mark, start, end }: FileState): Promise<void> {
    this.#start = start
    const { path, say, mode, format, appendable } = this.#target
    const change = await this.#changeSince(mark, end)
    if (change === undefined && end !== undefined && end.format !== format.name)
      return this.#repair(`was written as ${end.format} before, and not as ${format.name}`)
    if (change === undefined) return this.#goOn(mark)
    // Where nothing is behind our beginning, nothing can be lost.
    if (mode === 'overwrite' || this.#file.endBytes <= start.bytes) {
      if (change !== GROWN) return this.#repair(change)
      say(`${path} ${GROWN}: what follows the last item is cut off`)
      return this.#goOn(mark)
    }
    // What is left of a file that was cut may be ours. Items would be there twice.
    if (mode === undefined || !appendable || change === CUT) throw this.#notOurs(change)
    if (change === GROWN) return this.#beginBehind(mark.itemSeq)
    say(`${path} ${change}: ${this.#again('its items again behind what it has,')}`)
    return this.#beginBehind(start.itemSeq)
  }

  /** What others did to the file since the last run, in words. */
  async #changeSince(mark: FilePlace, end: FileEnd | undefined): Promise<string | undefined> {
    const { endBytes } = this.#file
    if (mark.bytes > endBytes) return CUT
    if (end === undefined) return undefined
    if (end.hash !== (await this.#hashAt(mark.bytes))) return 'was changed by others'
    const isGrown =
      end.isWhole && end.format === this.#target.format.name && endBytes > mark.bytes + Buffer.byteLength(this.#ending(mark))
    return isGrown ? GROWN : undefined
  }

  /** What follows `mark` in a file that is whole. */
  #ending(mark: FilePlace): string {
    const { tail, empty } = this.#target.format
    return mark.bytes === this.#start.bytes ? empty : tail
  }

  /** Resumes behind the mark. */
  async #goOn(mark: FilePlace): Promise<void> {
    await this.#moveTo(mark)
    // What is cut off whole says nothing of what comes, such as its columns.
    if (mark.bytes > 0) await this.#adopt()
    await this.#file.cut(mark.bytes)
    await this.#file.write(this.#ending(mark), mark.bytes)
  }

  /** Makes good what others did to the file since the last look, and says so. True: items are to be written again. */
  async #lookAfter(): Promise<boolean> {
    const { path, say } = this.#target
    const left = this.#file.endBytes
    const change = await this.#file.change()
    if (change === undefined) return false
    if (change === 'cut') {
      await this.#repair()
      return true
    }
    if (change === 'grown') {
      say(`${path} was written to by another process: what follows the last item is cut off`)
      await this.#file.cut(left)
      return false
    }
    const what = change === 'moved' ? 'moved away: continuing in a new file' : `removed: ${this.#again()}`
    say(`${path} was ${what}`)
    await this.#file.reopen()
    await this.#beginBehind(change === 'moved' ? this.#mark.itemSeq : this.#start.itemSeq)
    return change === 'removed'
  }

  /** Empties a file to be written again, and says what is wrong with it; its content before our part stays if that is whole. */
  async #repair(what: string = CUT): Promise<void> {
    const { path, say } = this.#target
    say(`${path} ${what}: ${this.#again()}`)
    if (!(await this.#file.holds(this.#start.bytes))) this.#start = { ...this.#start, bytes: 0 }
    await this.#file.cut(this.#start.bytes)
    await this.#adopt()
    return this.#restart()
  }

  /** From which item on it is written again, in words. */
  #again(what = 'it again'): string {
    const { itemSeq } = this.#start
    if (itemSeq === 0) return `writing ${what} from the first item`
    return `writing ${what} from item ${itemSeq + 1} on, with which this file began; the items before are in the one that was moved away`
  }

  /** From the start, marked before anything is cut off. */
  async #restart(): Promise<void> {
    await this.#moveTo(this.#start)
    await this.#session?.keep(this.#asMark)
    await this.#file.cut(this.#start.bytes)
    if (this.#start.bytes === 0) await this.#file.write(this.#target.format.empty, 0)
  }

  /** False: others cut it meanwhile, and items are to be written again. */
  async #append(text: string, itemSeq: number): Promise<boolean> {
    await this.#file.write(text + this.#target.format.tail, this.#mark.bytes)
    if (!(await this.#file.holds(this.#mark.bytes))) {
      await this.#repair()
      return false
    }
    await this.#file.sync()
    await this.#moveTo({ itemSeq, bytes: this.#file.endBytes - Buffer.byteLength(this.#target.format.tail) })
    return true
  }

  async #moveTo(mark: FilePlace): Promise<void> {
    this.#end = { bytes: mark.bytes, hash: await this.#hashAt(mark.bytes), format: this.#target.format.name, isWhole: false }
    this.#mark = mark
  }

  async #hashAt(bytes: number): Promise<string> {
    return hashOf(await this.#file.lastBytes(bytes))
  }

  /** Tells the format what it appends to: our items, another program's text, or nothing. */
  async #adopt(): Promise<void> {
    this.#target.format.adopt?.(await this.#file.beginning(), this.#start.bytes > 0)
  }

  async #guarded<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof AvocetError || error instanceof SinkElsewhere) throw error
      const advice = (error as Partial<NodeJS.ErrnoException>).code === 'ENOENT' ? '; make its folder' : ''
      const message = `${this.#target.path}: expected a file that can be written, got ${messageOf(error)}${advice}`
      throw new AvocetError('AVO_OUTPUT_UNWRITABLE', message, { cause: error })
    }
  }

  #notOurs(what: string): AvocetError {
    const { path, mode } = this.#target
    return new AvocetError(
      'AVO_OUTPUT_UNWRITABLE',
      `${path}: expected a new file, or one as this crawl left it, got one that ${what}; move it away, name another file, or have it replaced with ${mode === undefined ? '' : '-O FILE or '}mode: 'overwrite'`,
    )
  }

  /** No item is at fault. A store that cannot be used is not ours to judge. */
  async #orDown<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await this.#guarded(work)
    } catch (error) {
      if (error instanceof AvocetError && error.code !== 'AVO_OUTPUT_UNWRITABLE') throw error
      throw new SinkDown(messageOf(error), { cause: error })
    }
  }
}
