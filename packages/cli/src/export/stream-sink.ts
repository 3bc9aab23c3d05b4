// Prints items to standard output, one JSON text a line, as they are committed.
//
// With -O, all items of the crawl, as a file that is replaced has them. With -o, those that no run has printed before: a mark in the store, under `-`,
// says up to where. A pipe holds what its reader has not taken, and loses it when the reader leaves (`| head`). So the mark stays behind by all that a
// pipe may hold, and catches up at the end of a run that still has its reader. Whether it has one, a write can tell: the newest item is held back for
// the time in which a reader that has enough leaves. One that leaves behind the last write is taken to have read all: nothing tells of it. A signal that
// ended the run may have ended the reader too, read or not: then the mark stays behind.
import { fstatSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { AvocetError } from '@avocet/core'
import type { Sink, SinkBatch, SinkItem, SinkLimits, SinkMark, SinkSession, Written } from '@avocet/core/sink'
import { sleepUntil, type Clock } from '@avocet/core/store'
import type { Output } from '@avocet/project/options'
import { writeRecords } from '@avocet/project/place'

/** The name of the mark: the way standard output is written on a command line. */
const APPENDED = '-'
const REPLACED = '-O -'

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
  /** It goes on with what another process of the same run has printed, also where all is to be printed. */
  readonly resumes?: boolean
  readonly clock: Clock
  /** Called once when nothing can be printed any more: AVO_OUTPUT_CLOSED when the reader of the stream has gone. */
  readonly failed: (error: unknown) => void
}

/** An item that is held back. */
interface Held {
  readonly item: SinkItem
  readonly until: number
  readonly timer: Disposable
}

/** A stream as a sink. It stays open. */
export class StreamSink implements Sink {
  readonly name: string
  /** A reader may take as long as it likes. */
  readonly limits: Partial<SinkLimits> = { timeoutMs: Infinity }
  readonly #target: StreamTarget
  /** Of what is printed, so much may not have been read. */
  readonly #maxUnreadBytes: number
  #session: SinkSession | undefined
  /** Printed. */
  #bytes = 0
  /** Up to this item everything is printed, and read. */
  #readUpTo = 0
  /** Printed, and perhaps not yet read: the last item of each batch, and where the batch ends. */
  #unread: { readonly itemSeq: number; readonly endsAt: number }[] = []
  #isLetGo = false
  /** Why nothing can be printed any more. */
  #failure: { readonly error: unknown } | undefined
  readonly #gone: PromiseWithResolvers<number> = Promise.withResolvers()
  #held: Held | undefined
  /** What is being printed. */
  #printing: Promise<void> = Promise.resolve()

  constructor(target: StreamTarget) {
    this.#target = target
    this.name = target.mode === 'append' ? APPENDED : REPLACED
    this.#maxUnreadBytes = keepsWhatItTakes(target.stream) ? 0 : MAX_PIPE_BYTES
  }

  async open(session: SinkSession): Promise<SinkMark> {
    this.#session = session
    session.signal.addEventListener('abort', () => this.#letGo())
    const { mode, resumes = false } = this.#target
    this.#readUpTo = mode === 'append' || resumes ? (session.mark?.itemSeq ?? 0) : 0
    return this.#mark
  }

  async write({ items, signal }: SinkBatch): Promise<Written> {
    const letGo = (): void => this.#letGo()
    signal.addEventListener('abort', letGo)
    try {
      await this.#printHeld()
      const newest = items.at(-1)
      if (this.#maxUnreadBytes === 0 || newest === undefined) await this.#print(items)
      else {
        await this.#print(items.slice(0, -1))
        this.#hold(newest)
      }
      return { mark: this.#mark }
    } finally {
      signal.removeEventListener('abort', letGo)
    }
  }

  async finish({ interrupted }: { readonly interrupted: boolean }): Promise<Written> {
    if (this.#held !== undefined) await sleepUntil(this.#target.clock, this.#held.until)
    await this.#printHeld()
    await this.#printing
    if (this.#failure !== undefined) throw this.#failure.error
    this.#markRead(interrupted ? this.#bytes - this.#maxUnreadBytes : this.#bytes)
    return { mark: this.#mark }
  }

  close(): void {
    // The stream is the process's.
    this.#letGo()
  }

  get #mark(): SinkMark {
    return { itemSeq: this.#readUpTo }
  }

  /** Waits for no reader any more: nothing more is printed. */
  #letGo(): void {
    this.#isLetGo = true
    this.#held?.timer[Symbol.dispose]()
    this.#gone.resolve(0)
  }

  /** Until the next batch comes, or a reader that has enough would have left. */
  #hold(item: SinkItem): void {
    const { clock } = this.#target
    const until = clock.now() + READER_LEAVES_MS
    const timer = clock.at(until, () => {
      this.#printHeld()
        .then(() => this.#session?.keep(this.#mark))
        .catch(() => undefined)
    })
    this.#held = { item, until, timer }
  }

  async #printHeld(): Promise<void> {
    const held = this.#held
    this.#held = undefined
    held?.timer[Symbol.dispose]()
    if (held !== undefined) await this.#print([held.item])
  }

  /** One batch after the other. */
  #print(items: readonly SinkItem[]): Promise<void> {
    const printing = this.#printing.then(() => this.#printNow(items))
    this.#printing = printing.catch(() => undefined)
    return printing
  }

  async #printNow(items: readonly SinkItem[]): Promise<void> {
    const last = items.at(-1)
    if (last === undefined || this.#isLetGo) return
    const texts = items.map(({ json }) => json)
    try {
      this.#bytes += await Promise.race([writeRecords(this.#target.stream, texts), this.#gone.promise])
    } catch (error) {
      throw this.#failed(error)
    }
    if (this.#isLetGo) return
    this.#unread.push({ itemSeq: last.seq, endsAt: this.#bytes })
    this.#markRead(this.#bytes - this.#maxUnreadBytes)
  }

  #failed<Thrown>(error: Thrown | AvocetError): Thrown | AvocetError {
    this.#isLetGo = true
    this.#failure ??= { error }
    this.#target.failed(error)
    return error
  }

  /** Everything before byte `readBytes` was read. */
  #markRead(readBytes: number): void {
    const read = this.#unread.findLast(({ endsAt }) => endsAt <= readBytes)
    if (read === undefined) return
    this.#unread = this.#unread.filter(({ endsAt }) => endsAt > readBytes)
    this.#readUpTo = Math.max(this.#readUpTo, read.itemSeq)
  }
}

/** A file or a terminal; not a pipe or a socket. */
function keepsWhatItTakes({ fd }: OutputStream): boolean {
  if (fd === undefined) return false
  const entry = fstatSync(fd)
  return entry.isFile() || entry.isCharacterDevice()
}
