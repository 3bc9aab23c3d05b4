// Where the events of a crawl go that programs read: a file, standard error, or both; in lines of JSON.
import type { WriteStream } from 'node:tty'
import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import type { Clock } from '@avocet/core/store'
import { sendRecord } from '../output/machines.ts'
import { isSaid, logRecord, type LogEntry, type LogLevel } from './log-entry.ts'
import type { LogFile } from './log-file.ts'

/** What is written, and where. */
export interface CrawlLogParts {
  readonly level: LogLevel
  readonly clock: Pick<Clock, 'now'>
  readonly stderr: WriteStream
  /** Whether standard error gets these lines too, in place of lines for people. */
  readonly onStderr: boolean
  readonly file?: LogFile
}

/** The log of one command. */
export class CrawlLog {
  readonly #parts: CrawlLogParts
  /** Standard error as the rest of the command sees it: what is said there is logged. */
  readonly stderr: WriteStream
  /** Where people read. Absent: nowhere, for standard error is a log. */
  readonly screen: WriteStream | undefined

  constructor(parts: CrawlLogParts) {
    this.#parts = parts
    const { stderr, onStderr } = parts
    this.screen = onStderr ? undefined : stderr
    const said = new SaidLines((message) => this.#write({ level: 'info', message }), this.screen)
    // Nobody asks it for more than a stream has: what is drawn goes to the screen.
    this.stderr = said as unknown as WriteStream
  }

  /** Writes it, where its level is wanted. */
  write(entry: LogEntry): void {
    if (isSaid(entry.level, this.#parts.level)) this.#write(entry)
  }

  /** Opens the file. Throws AVO_USAGE where that cannot be done. */
  async begin(): Promise<void> {
    await this.#parts.file?.begin()
  }

  /** Resolves once the file has everything. */
  async close(): Promise<void> {
    await this.#parts.file?.close()
  }

  #write(entry: LogEntry): void {
    const { clock, stderr, onStderr, file } = this.#parts
    const record = logRecord(entry, clock.now())
    file?.write(record)
    if (onStderr) sendRecord(stderr, record)
  }
}

/** In place of standard error. What it passes on is as it came. */
class SaidLines extends Writable {
  readonly #said: (line: string) => void
  readonly #screen: Writable | undefined
  #begun = ''

  constructor(said: (line: string) => void, screen: Writable | undefined) {
    super({ decodeStrings: false })
    this.#said = said
    this.#screen = screen
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const lines = (this.#begun + String(chunk)).split('\n')
    this.#begun = lines.pop() ?? ''
    for (const line of lines) if (line !== '') this.#said(stripVTControlCharacters(line))
    if (this.#screen === undefined) done()
    else this.#screen.write(chunk, () => done())
  }
}
