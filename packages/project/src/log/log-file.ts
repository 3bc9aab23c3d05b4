// A log file that is appended to, by this process alone, and that others may move away.
//
// Lines wait in memory, a MiB of them at most, and are written together, off the event loop: a slow disk costs lines, and never the crawl. The file is opened
// for appending, and looked at before each write: one that was renamed (logrotate) or removed is opened anew, so nobody has to send a signal; one that
// was cut off (copytruncate) is appended to at its new end. At its largest size it is renamed to PATH.1,
// PATH.1 to PATH.2, and so on; the last one goes.
// A write that fails is told of once an outage, and tried again with the next lines, which begin a line of their own, and say how many are missing.
import { constants, open, rename, stat, type FileHandle } from 'node:fs/promises'
import { AvocetError } from '@avocet/core'
import { messageOf, type Clock } from '@avocet/core/store'
import { printableJson } from '../output/machines.ts'
import { logRecord } from './log-entry.ts'

/** What waits to be written. */
const MAX_WAITING_CHARACTERS = 2 ** 20
/** Its owner alone reads it, and a pipe without a reader is no reason to wait for one. */
const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants
const FLAGS = O_APPEND | O_CREAT | O_WRONLY | (O_NONBLOCK ?? 0)
const MODE = 0o600
const NEWLINE = 0x0a

/** Of the log of a crawl: 60 MiB in all, in files of which `keep` lie beside the one that is written. */
export const ROTATION: Pick<LogFileParts, 'maxBytes' | 'keep'> = { maxBytes: 10 * 2 ** 20, keep: 5 }

/** Where it is, how large it may get, and who is told. */
interface LogFileParts {
  /** Absolute. */
  readonly path: string
  readonly maxBytes: number
  /** Files that are kept beside the one that is written. */
  readonly keep: number
  readonly clock: Pick<Clock, 'now'>
  /** Is told once that it cannot be written, and again when it could be meanwhile. */
  tell(line: string): void
}

/** The file. Nothing but its beginning throws. */
export class LogFile {
  readonly #parts: LogFileParts
  #waiting: string[] = []
  #characters = 0
  #lost = 0
  #handle: FileHandle | undefined
  #writing: Promise<void> | undefined
  /** Whether it ends within a line. */
  #isCut = false
  #isOut = false
  #isTooLarge = false

  constructor(parts: LogFileParts) {
    this.#parts = parts
  }

  /** Opens it. Throws AVO_USAGE where it cannot be opened. */
  async begin(): Promise<void> {
    this.#handle = await open(this.#parts.path, FLAGS, MODE).catch((error: unknown) => {
      const message = `--log-file: expected a file that can be written, got ${messageOf(error)}; give another path, or make its folder`
      throw new AvocetError('AVO_USAGE', message, { cause: error })
    })
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
    this.#start()
  }

  #start(): void {
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
    const lost = this.#lost
    const gap = { level: 'warn', event: 'log-gap', message: 'lines are missing here', counts: { lost } } as const
    const text = Buffer.from((lost === 0 ? '' : lineOf(logRecord(gap, this.#parts.clock.now()))) + lines.join(''))
    let done = 0
    try {
      const handle = await this.#opened(text.length)
      if (this.#isCut) await endLine(handle)
      this.#isCut = false
      while (done < text.length) done += (await handle.write(text, done)).bytesWritten
      this.#isOut = false
    } catch (error) {
      this.#isCut ||= done > 0 && text[done - 1] !== NEWLINE
      await this.#handle?.close().catch(() => undefined)
      this.#handle = undefined
      this.#failed(error)
    }
    const whole = text.toString('utf8', 0, done).split('\n').length - 1
    const isGapTold = lost > 0 && whole > 0
    this.#lost += lines.length - whole + (isGapTold ? 1 - lost : 0)
  }

  #failed(error: unknown): void {
    const { path, tell } = this.#parts
    if (!this.#isOut) tell(`${path}: the log cannot be written, the crawl goes on without it: ${messageOf(error)}`)
    this.#isOut = true
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
      this.#isTooLarge = false
    } catch (error) {
      if (!this.#isTooLarge) this.#parts.tell(`${path}: the log cannot be rotated, and grows: ${messageOf(error)}`)
      this.#isTooLarge = true
    }
  }
}

/** Where it has been cut off meanwhile, there is no line to end. */
async function endLine(handle: FileHandle): Promise<void> {
  const there = await handle.stat()
  if (!there.isFile() || there.size > 0) await handle.write('\n')
}

function lineOf(record: object): string {
  return `${printableJson(JSON.stringify(record))}\n`
}

function ignoreMissing(error: unknown): void {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
  throw error
}
