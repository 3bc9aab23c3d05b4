// The file behind an output: written at places of our choosing, and looked at for what others did to it.
//
// Others are free to remove it, to move it away (log rotation), to cut it (`copytruncate`) or to write to it at any moment. A write to a file that was removed
// is lost, and one behind its end leaves a hole of NULs, both without an error: so its inode and size are compared with what we left, and after each write the
// byte before it, for it may have been cut between the look and the write. No text of ours ends with NUL.
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import type { SinkMark } from '@avocet/core/sink'

/** A header line is read back from at most this much. */
const MAX_BEGINNING_BYTES = 1_048_576

/** By so much of its end a file is known again. */
const END_BYTES = 256
const NEWLINE = 0x0a
const NUL = 0x00

/** Of a file that was not there: what was crawled is its owner's until its owner says otherwise. */
const OWNER_ONLY = 0o600

/** What others did to it. */
export type FileChange = 'moved' | 'removed' | 'cut' | 'grown'

/** One open output file. */
export class OutputFile {
  readonly #path: string
  #handle: FileHandle
  /** Where it ends, as far as we know. */
  #endBytes: number

  private constructor(path: string, handle: FileHandle, endBytes: number) {
    this.#path = path
    this.#handle = handle
    this.#endBytes = endBytes
  }

  /** Opens the file at `path`, made when there is none, and changes nothing in it. Throws what the system does, and for what is no regular file. */
  static async open(path: string): Promise<OutputFile> {
    const { handle, endBytes } = await opened(path)
    return new OutputFile(path, handle, endBytes)
  }

  /** Bytes up to its end, as we left or found it. */
  get endBytes(): number {
    return this.#endBytes
  }

  /** What others did to it since we last wrote to it. */
  async change(): Promise<FileChange | undefined> {
    const [ours, there] = await Promise.all([this.#handle.stat(), stat(this.#path).catch(nothing)])
    if (there?.ino !== ours.ino || there.dev !== ours.dev) return ours.nlink > 0 ? 'moved' : 'removed'
    if (ours.size === this.#endBytes) return undefined
    return ours.size < this.#endBytes ? 'cut' : 'grown'
  }

  /** Leaves this file for the one that is now at its path, made when there is none. */
  async reopen(): Promise<void> {
    const { handle, endBytes } = await opened(this.#path)
    await this.#handle.close()
    this.#handle = handle
    this.#endBytes = endBytes
  }

  /** Writes `text` at `position`, and makes it the end. */
  async write(text: string, position: number): Promise<void> {
    const bytes = Buffer.from(text)
    // A write may be cut short without an error when the disk fills up: the rest then says why.
    for (let written = 0; written < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(bytes, written, bytes.length - written, position + written)
      written += bytesWritten
    }
    this.#endBytes = position + bytes.length
  }

  /** Whether its first `bytes` are there, and not a hole that a write behind the end of a cut file has left. */
  async holds(bytes: number): Promise<boolean> {
    if (bytes === 0) return true
    const last = await this.#byteAt(bytes - 1)
    return last !== undefined && last !== NUL
  }

  /** Cuts it off behind `bytes`. */
  async cut(bytes: number): Promise<void> {
    await this.#handle.truncate(bytes)
    this.#endBytes = bytes
  }

  /** Ends its last line, if that has no end. */
  async endLine(): Promise<void> {
    if (this.#endBytes > 0 && (await this.#byteAt(this.#endBytes - 1)) !== NEWLINE) await this.write('\n', this.#endBytes)
  }

  /** Text at its beginning: enough for a header. */
  async beginning(): Promise<string> {
    const buffer = Buffer.alloc(MAX_BEGINNING_BYTES)
    const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, 0)
    return buffer.toString('utf8', 0, bytesRead)
  }

  /** The last of its first `bytes`. */
  async lastBytes(bytes: number): Promise<Uint8Array> {
    const length = Math.min(bytes, END_BYTES)
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, bytes - length)
    return buffer.subarray(0, bytesRead)
  }

  /** What was written survives a power cut from here on. */
  async sync(): Promise<void> {
    await this.#handle.datasync()
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }

  async #byteAt(position: number): Promise<number | undefined> {
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(1), 0, 1, position)
    return bytesRead === 1 ? buffer[0] : undefined
  }
}

async function opened(path: string): Promise<{ handle: FileHandle; endBytes: number }> {
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT, OWNER_ONLY)
  const stats = await handle.stat()
  if (stats.isFile()) return { handle, endBytes: stats.size }
  await handle.close()
  throw new Error('something that is not a regular file')
}

function nothing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}

// What the mark of a file keeps beside the number of the last item: where the file ends, where our part of it begins, and how the end is known again.
//
// The end says what the last bytes were, so that a file that others changed or replaced between two runs is not cut in the middle of a line; in which format
// it was written; and whether the run has ended behind it: then what follows is not of a batch that a kill interrupted, but of somebody else.

/** A place in the items, and in the file. */
export interface FilePlace {
  readonly itemSeq: number
  readonly bytes: number
}

/** The end of the file, as it was marked. */
export interface FileEnd {
  /** Where that was: of a mark that was moved it says nothing. */
  readonly bytes: number
  readonly hash: string
  readonly format: string
  /** Nothing was being written. */
  readonly isWhole: boolean
}

/** What is kept. */
export interface FileState {
  /** Everything up to this item is before byte `bytes`. */
  readonly mark: FilePlace
  /** Everything up to this item is in other files; the rest begins at byte `bytes` of this one. */
  readonly start: FilePlace
  /** Absent where it says nothing of the mark. */
  readonly end?: FileEnd
}

/** As the store keeps it. */
export function fileMark({ mark: { itemSeq, bytes }, start, end }: FileState): SinkMark {
  return { itemSeq, state: { bytes, start: { ...start }, ...(end && { end: { ...end } }) } }
}

/** As it was kept; undefined: nothing was. */
export function fileState(mark: SinkMark | undefined): FileState | undefined {
  if (mark === undefined) return undefined
  const { start, end } = fieldsOf(mark.state) as { readonly [field in 'start' | 'end']?: unknown }
  const { itemSeq = 0 } = fieldsOf(start) as Partial<FilePlace>
  const bytes = bytesOf(mark.state)
  const known = fieldsOf(end) as Partial<FileEnd>
  return {
    mark: { itemSeq: mark.itemSeq, bytes },
    start: { itemSeq, bytes: bytesOf(start) },
    ...(known.bytes === bytes && { end: known as FileEnd }),
  }
}

/** Of the last bytes. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
}

function bytesOf(state: unknown): number {
  return (fieldsOf(state) as Partial<FilePlace>).bytes ?? 0
}

function fieldsOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
