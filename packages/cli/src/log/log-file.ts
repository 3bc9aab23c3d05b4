// A log file that is appended to, by this process alone, and that others may move away.
//
// Lines wait in memory, a MiB of them at most, and are written together, off the event loop: a slow disk costs lines, and never the crawl. The file is opened
// for appending, and looked at before each write: one that was renamed (logrotate) or removed is opened anew, so nobody has to send a signal; one that was cut
// off (copytruncate) is appended to at its new end. At its largest size it is renamed to PATH.1, PATH.1 to PATH.2, and so on; the last one goes.
// A write that fails is told of once, and tried again with the next lines, which say how many are missing.
import { constants, open, rename, stat, type FileHandle } from 'node:fs/promises'
import { messageOf, type Clock } from '@avocet/core/store'
import { printableJson } from '../output/machines.ts'
import { logRecord } from './log-entry.ts'

/** What waits to be written. */
const MAX_WAITING_CHARACTERS = 2 ** 20
/** Its owner alone reads it, and a pipe without a reader is no reason to wait for one. */
const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants
const FLAGS = O_APPEND | O_CREAT | O_WRONLY | (O_NONBLOCK ?? 0)
const MODE = 0o600

/** How large it may get. */
export interface LogRotation {
  readonly maxBytes: number
  /** Files that are kept beside the one that is written. */
  readonly keep: number
}

/** Where it is, and who is told. */
export interface LogFileParts extends LogRotation {
  /** Absolute. */
  readonly path: string
  readonly clock: Pick<Clock, 'now'>
  /** Is told once that it cannot be written. */
  tell(line: string): void
}

/** The file. Nothing here throws. */
export class LogFile {
  readonly #parts: LogFileParts
  #waiting: string[] = []
  #characters = 0
  #lost = 0
  #handle: FileHandle | undefined
  #writing: Promise<void> | undefined
  #hasTold = false

  constructor(parts: LogFileParts) {
    this.#parts = parts
  }

  /** Adds a line, sooner or later. */
  write(record: object): void {
    const line = lineOf(record)
    if (this.#characters + line.length > MAX_WAITING_CHARACTERS) {
      this.#lost++
      return
    }
    this.#waiting.push(line)
    this.#characters += line.length
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined))
  }

  /** Resolves once everything is written, or is lost. */
  async close(): Promise<void> {
    await this.#writing
    await this.#handle?.close().catch(() => undefined)
    this.#handle = undefined
  }

  async #writeAll(): Promise<void> {
    // Lines of one turn of the event loop are one write.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const lines = this.#waiting
      this.#waiting = []
      this.#characters = 0
      await this.#append(lines)
    }
  }

  async #append(lines: readonly string[]): Promise<void> {
    const { path, clock } = this.#parts
    const counts = { lost: this.#lost }
    const gap = logRecord({ level: 'warn', event: 'log-gap', message: 'lines are missing here', counts }, clock.now())
    const text = (counts.lost === 0 ? '' : lineOf(gap)) + lines.join('')
    try {
      const handle = await this.#opened(Buffer.byteLength(text))
      await handle.appendFile(text)
      this.#lost -= counts.lost
    } catch (error) {
      this.#lost += lines.length
      await this.#handle?.close().catch(() => undefined)
      this.#handle = undefined
      this.#failed(`${path}: the log cannot be written, the crawl goes on without it: ${messageOf(error)}`)
    }
  }

  /** The file at its place, with room for so many bytes. */
  async #opened(bytes: number): Promise<FileHandle> {
    const { path, maxBytes } = this.#parts
    const there = await stat(path).catch(() => undefined)
    if (this.#handle !== undefined) {
      const ours = await this.#handle.stat()
      if (there?.ino !== ours.ino || there.dev !== ours.dev) await this.#leave()
    }
    // A pipe or a device has no size to speak of.
    if (there?.isFile() === true && there.size > 0 && there.size + bytes > maxBytes) await this.#rotate()
    return (this.#handle ??= await open(path, FLAGS, MODE))
  }

  async #leave(): Promise<void> {
    await this.#handle?.close()
    this.#handle = undefined
  }

  async #rotate(): Promise<void> {
    const { path, keep } = this.#parts
    await this.#leave()
    try {
      for (let n = keep - 1; n >= 1; n--) await rename(`${path}.${n}`, `${path}.${n + 1}`).catch(ignoreMissing)
      await rename(path, `${path}.1`)
    } catch (error) {
      this.#failed(`${path}: the log cannot be rotated, and grows: ${messageOf(error)}`)
    }
  }

  #failed(line: string): void {
    if (this.#hasTold) return
    this.#hasTold = true
    this.#parts.tell(line)
  }
}

function lineOf(record: object): string {
  return `${printableJson(JSON.stringify(record))}\n`
}

function ignoreMissing(error: unknown): void {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
  throw error
}
