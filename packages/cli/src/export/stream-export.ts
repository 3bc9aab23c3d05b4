// Prints items to standard output, one JSON text a line, as they are committed.
//
// With -O, all items of the crawl, as a file that is replaced has them. With -o, those that no run has printed before: a mark in the store, under `-`,
// says up to where. A pipe holds what its reader has not taken, and loses it when the reader leaves (`| head`). So the mark stays behind by all that a
// pipe may hold, and catches up at the end of a run that still has its reader. Whether it has one, a write can tell: the newest item is held back for
// the time in which a reader that has enough leaves. Behind the last write, pipe-readers.ts tells, where it can. A signal that ended the run may have ended
// the reader too, read or not: then the mark stays behind. Each item is printed at least once, to a reader that is there when the run ends.
import { fstatSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { AvocetError } from '@avocet/core'
import { sleepUntil, type Clock } from '@avocet/core/store'
import type { Output } from '../options/crawl-options.ts'
import { writeRecords } from '../output/machines.ts'
import { readerHasGone } from '../output/write-to.ts'
import { ITEMS_PER_READ, type ExportSource, type ItemExport } from './item-export.ts'
import { PipeReaders } from './pipe-readers.ts'

/** The name of the mark: the way standard output is written on a command line. */
const TARGET = '-'

/** The most that Linux lets a pipe hold (pipe(7), pipe-max-size): what was written before that much more has been read. */
const MAX_PIPE_BYTES = 1_048_576

/** A reader that needs no more closes the pipe within this. */
const READER_LEAVES_MS = 100

/** Standard output; `fd` where the system has it under a number. */
export type OutputStream = Writable & { readonly fd?: number }

/** Where items are printed. */
interface StreamTarget {
  readonly stream: OutputStream
  /** `append`: only what was not printed before. */
  readonly mode: Output['mode']
  readonly clock: Clock
}

/** An item as the store gives it. */
type StoredItem = Awaited<ReturnType<ExportSource['reader']['items']>>[number]

/** Exports to a stream, which stays open. Throws AVO_OUTPUT_CLOSED from `catchUp` and `finish` when the reader of the stream has gone. */
export class StreamExport implements ItemExport {
  readonly #target: StreamTarget
  /** Of what is printed, so much may not have been read. */
  readonly #maxUnreadBytes: number
  #source: ExportSource | undefined
  #readers: PipeReaders | undefined
  /** Of the last item that was read from the store. */
  #itemSeq = 0
  /** Printed. */
  #bytes = 0
  /** Printed, and perhaps not yet read: the last item of each batch, and where the batch ends. */
  #unread: { readonly itemSeq: number; readonly endsAt: number }[] = []
  #isLetGo = false
  readonly #gone: PromiseWithResolvers<number> = Promise.withResolvers()
  #held: { readonly item: StoredItem; readonly until: number } | undefined

  constructor(target: StreamTarget) {
    this.#target = target
    this.#maxUnreadBytes = keepsWhatItTakes(target.stream) ? 0 : MAX_PIPE_BYTES
  }

  async begin(source: ExportSource): Promise<void> {
    this.#source = source
    const { fd } = this.#target.stream
    if (fd !== undefined) this.#readers = await PipeReaders.of(fd)
    if (this.#target.mode === 'append') this.#itemSeq = (await source.exportMark(TARGET))?.itemSeq ?? 0
  }

  async catchUp(): Promise<void> {
    if (!this.#source) throw new AvocetError('AVO_INTERNAL', 'expected begin() before catchUp()')
    while (!this.#isLetGo) {
      const items = await this.#source.reader.items({ afterSeq: this.#itemSeq, limit: ITEMS_PER_READ })
      const newest = items.at(-1)
      const now = this.#target.clock.now()
      if (newest === undefined) {
        if (this.#held !== undefined && this.#held.until <= now) await this.#printHeld()
        return
      }
      this.#itemSeq = newest.seq
      await this.#printHeld()
      if (this.#maxUnreadBytes === 0) await this.#print(items)
      else {
        this.#held = { item: newest, until: now + READER_LEAVES_MS }
        await this.#print(items.slice(0, -1))
      }
    }
  }

  async finish(interrupted: boolean): Promise<void> {
    if (this.#held !== undefined) await sleepUntil(this.#target.clock, this.#held.until)
    await this.#printHeld()
    if (this.#isLetGo) return
    if (!interrupted && this.#unread.length > 0 && (await this.#readers?.haveGone()) === true) throw readerHasGone()
    await this.#markRead(interrupted ? this.#bytes - this.#maxUnreadBytes : this.#bytes)
  }

  letGo(): void {
    this.#isLetGo = true
    this.#gone.resolve(0)
  }

  async close(): Promise<void> {
    // The stream is the process's.
  }

  async #printHeld(): Promise<void> {
    const held = this.#held
    this.#held = undefined
    if (held !== undefined) await this.#print([held.item])
  }

  async #print(items: readonly StoredItem[]): Promise<void> {
    const last = items.at(-1)
    if (last === undefined || this.#isLetGo) return
    const texts = items.map(({ json }) => json)
    this.#bytes += await Promise.race([writeRecords(this.#target.stream, texts), this.#gone.promise])
    if (this.#isLetGo) return
    this.#unread.push({ itemSeq: last.seq, endsAt: this.#bytes })
    await this.#markRead(this.#bytes - this.#maxUnreadBytes)
  }

  /** Everything before byte `readBytes` was read. */
  async #markRead(readBytes: number): Promise<void> {
    const read = this.#unread.findLast(({ endsAt }) => endsAt <= readBytes)
    if (read === undefined) return
    this.#unread = this.#unread.filter(({ endsAt }) => endsAt > readBytes)
    if (this.#target.mode === 'append') await this.#source?.markExport(TARGET, { itemSeq: read.itemSeq, bytes: 0 })
  }
}

/** A file or a terminal; not a pipe or a socket. */
function keepsWhatItTakes({ fd }: OutputStream): boolean {
  if (fd === undefined) return false
  const entry = fstatSync(fd)
  return entry.isFile() || entry.isCharacterDevice()
}
