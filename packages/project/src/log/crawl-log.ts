// The log of a crawl that programs read: standard error, in lines of JSON.
import type { WriteStream } from 'node:tty'
import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import type { Clock } from '@avocet/core/store'
import { sendRecord } from '../output/machines.ts'
import { isSaid, logRecord, type LogEntry, type LogLevel } from './log-entry.ts'

/** What is written, and where. */
export interface CrawlLogParts {
  readonly level: LogLevel
  readonly clock: Pick<Clock, 'now'>
  readonly stderr: WriteStream
}

/** The log of one command. */
export class CrawlLog {
  readonly #parts: CrawlLogParts
  /** Standard error as the rest of the command sees it: what is said there is logged. */
  readonly stderr: WriteStream

  constructor(parts: CrawlLogParts) {
    this.#parts = parts
    const said = new SaidLines((message) => this.#write({ level: 'info', message }))
    // Nobody asks it for more than a stream has: nothing is drawn.
    this.stderr = said as unknown as WriteStream
  }

  /** Writes it, where its level is wanted. */
  write(entry: LogEntry): void {
    if (isSaid(entry.level, this.#parts.level)) this.#write(entry)
  }

  #write(entry: LogEntry): void {
    const { clock, stderr } = this.#parts
    sendRecord(stderr, logRecord(entry, clock.now()))
  }
}

/** In place of standard error. */
class SaidLines extends Writable {
  readonly #said: (line: string) => void
  #begun = ''

  constructor(said: (line: string) => void) {
    super({ decodeStrings: false })
    this.#said = said
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    const lines = (this.#begun + String(chunk)).split('\n')
    this.#begun = lines.pop() ?? ''
    for (const line of lines) if (line !== '') this.#said(stripVTControlCharacters(line))
    done()
  }
}
