// Saves the body of one exchange: pieces go to a part on the disk, hashed on the way, at most 1 MiB of them in memory.
//
// The calls of the fetcher only note what is to be done; one loop does it, in order: the part is made, or what is there of it is hashed again, the pieces are
// written, and at the end the part is synced and renamed. Every 8 MiB it is synced and noted how far it is, so a kill costs at most that. A fault of the
// disk is told by the next `write`, or by `end`.
import type { BodySaver, Failure, FailureCode, ResponseHead, SavedBody } from '@avocet/core/plugin'
import { failure, messageOf } from '@avocet/core/store'
import { createHash } from 'node:crypto'
import { fieldsFor, meaningOf, tooLarge, wrongType, type Held, type Meaning } from './answer.ts'
import type { OpenFile } from './disk.ts'
import { fileType, HEAD_BYTES, isWanted } from './file-types.ts'
import type { FilesFolder, OwnPart, LeftPart } from './files-folder.ts'

/** Pieces that wait for the disk. */
const MOST_WAITING_BYTES = 2 ** 20
const NOTE_EVERY_BYTES = 8 * 2 ** 20
/** Hashed at a time of what is there. */
const SLICE_BYTES = 2 ** 20

/** Of which file, and what is wanted of it. */
export interface SavingWish {
  /** Of the request: names its parts. */
  readonly key: string
  readonly to?: string | undefined
  readonly maxBytes: number
  readonly types?: readonly string[] | undefined
  /** Bytes after which a part is synced and noted. Default 8 MiB. */
  readonly noteEveryBytes?: number
  /** What is there of it. */
  readonly left: LeftPart | undefined
  /** The disk failed. */
  troubled(message: string): void
}

/** A saver. */
export class FileSaver implements BodySaver {
  readonly headers: Readonly<Record<string, string>>
  readonly maxBytes: number
  readonly #folder: FilesFolder
  readonly #wish: SavingWish
  readonly #hash = createHash('sha256')
  #meaning: (Meaning & { readonly kind: 'save' }) | undefined
  #part: (OwnPart & { file?: OpenFile }) | undefined
  #head: Uint8Array = new Uint8Array()
  /** Bytes of the whole that were taken, and those that are written. */
  #taken = 0
  #written = 0
  #noted = 0
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #fault: Failure | undefined
  #roomFor: ((trouble?: Failure) => void) | undefined
  #isEnded = false
  #work: Promise<void> | undefined

  constructor(folder: FilesFolder, wish: SavingWish) {
    this.#folder = folder
    this.#wish = wish
    this.headers = fieldsFor(wish.left?.held)
    this.maxBytes = wish.maxBytes
  }

  accepts(head: ResponseHead): 'save' | 'read' | Failure {
    const meaning = meaningOf(head, this.#wish, this.#wish.left?.held)
    if (meaning.kind === 'save') {
      this.#meaning = meaning
      this.#taken = meaning.from
      this.#written = meaning.from
      this.#noted = meaning.from
      this.#go()
      return 'save'
    }
    if (meaning.kind === 'read') return 'read'
    this.#startOver()
    return meaning.failure
  }

  write(piece: Uint8Array): boolean | Failure {
    if (this.#fault !== undefined) return this.#fault
    const { maxBytes } = this.#wish
    this.#taken += piece.byteLength
    if (this.#taken > maxBytes) return this.#refuse('AVO_BODY_TOO_LARGE', tooLarge(maxBytes, 'more'))
    this.#waiting.push(piece)
    this.#waitingBytes += piece.byteLength
    this.#go()
    return this.#waitingBytes < MOST_WAITING_BYTES
  }

  drained(callback: (trouble?: Failure) => void): void {
    this.#roomFor = callback
    this.#tellRoom()
  }

  end(done: (outcome: SavedBody | Failure) => void): void {
    this.#isEnded = true
    this.#folder.ends(this.#wish.key, () => this.#ended().then(done))
  }

  abort(): void {
    if (this.#isEnded || this.#meaning === undefined) return
    this.#isEnded = true
    this.#folder.ends(this.#wish.key, () => this.#aborted())
  }

  /** What was left is of another version, or not wanted. */
  #startOver(): void {
    const { key, left } = this.#wish
    if (left !== undefined)
      this.#folder.ends(key, () => this.#folder.forget(key).catch((error: unknown) => void this.#failed(error)))
  }

  #go(): void {
    this.#work ??= this.#pump()
      .catch((error: unknown) => void this.#failed(error))
      .finally(() => {
        this.#work = undefined
        // One may have come while the last one was written.
        if (this.#waiting.length > 0 && this.#fault === undefined) this.#go()
        this.#tellRoom()
      })
  }

  async #flushed(): Promise<void> {
    while (this.#work !== undefined) await this.#work
  }

  async #pump(): Promise<void> {
    const file = this.#part?.file ?? (await this.#opened())
    while (this.#fault === undefined) {
      const piece = this.#waiting.shift()
      if (piece === undefined) return
      this.#look(piece)
      if (this.#fault !== undefined) return
      this.#hash.update(piece)
      await file.write(piece, this.#written)
      this.#written += piece.byteLength
      this.#waitingBytes -= piece.byteLength
      if (this.#written - this.#noted >= (this.#wish.noteEveryBytes ?? NOTE_EVERY_BYTES)) await this.#note(file)
      this.#tellRoom()
    }
  }

  /** The file of the part: what is there is hashed, or a new one is made. */
  async #opened(): Promise<OpenFile> {
    const { key, left } = this.#wish
    const from = this.#meaning?.from ?? 0
    if (left !== undefined && from > 0) {
      const taken = await this.#folder.take(left)
      this.#part = taken
      await taken.file.truncate(from)
      await this.#hashAgain(taken.file, from)
      return taken.file
    }
    // Also what a kill left before anything was noted.
    await this.#folder.forget(key)
    const begun = await this.#folder.begin(key)
    this.#part = begun
    return begun.file
  }

  async #hashAgain(file: OpenFile, bytes: number): Promise<void> {
    const slice = new Uint8Array(SLICE_BYTES)
    for (let at = 0; at < bytes;) {
      const count = await file.read(slice.subarray(0, Math.min(SLICE_BYTES, bytes - at)), at)
      if (count === 0) throw new Error(`the part has ${String(at)} bytes, and ${String(bytes)} were noted`)
      if (at === 0) this.#head = Buffer.from(slice.subarray(0, Math.min(count, HEAD_BYTES)))
      this.#hash.update(slice.subarray(0, count))
      at += count
    }
  }

  async #note(file: OpenFile): Promise<void> {
    const held = this.#held()
    if (held === undefined || this.#part === undefined) return
    await file.sync()
    await this.#folder.note(this.#part, held)
    this.#noted = held.bytes
  }

  /** What can be left of what is written. */
  #held(): Held | undefined {
    const version = this.#meaning?.version
    return version === undefined || this.#written < 1 ? undefined : { ...version, bytes: this.#written }
  }

  async #ended(): Promise<SavedBody | Failure> {
    await this.#flushed()
    try {
      const saved = this.#fault ?? (await this.#finished())
      if (!('code' in saved)) return saved
    } catch (error) {
      this.#failed(error)
    }
    await this.#drop()
    return this.#fault ?? failure('AVO_FILE_UNWRITABLE', 'expected the file to be open, and it is not', BODY)
  }

  async #finished(): Promise<SavedBody | Failure> {
    const { to, types } = this.#wish
    const { total, said = '' } = this.#meaning ?? {}
    const part = this.#part
    if (part?.file === undefined) throw new Error('the part is not open')
    if (total !== undefined && total !== this.#written)
      return this.#refuse('AVO_TRUNCATED', `expected a file of ${String(total)} bytes, got ${String(this.#written)}`)
    const wrong = this.#typeProblem()
    if (wrong !== undefined) return this.#refuse('AVO_FILE_TYPE', wrongType(types, wrong))
    await part.file.sync()
    await this.#closeFile()
    const sha256 = this.#hash.digest('hex')
    const path = await this.#folder.finish(part, { to, sha256, ...fileType(this.#head, said) })
    this.#part = undefined
    return { path, sha256, bytes: this.#written }
  }

  async #aborted(): Promise<void> {
    await this.#flushed()
    const held = this.#held()
    if (this.#part === undefined || this.#fault !== undefined || held === undefined) return this.#drop()
    try {
      await this.#part.file?.sync()
      await this.#closeFile()
      await this.#folder.leave(this.#part, held)
    } catch (error) {
      this.#failed(error)
      await this.#drop()
    }
  }

  /** Nothing of it is of use; but after a fault of the disk what was noted is. */
  async #drop(): Promise<void> {
    const part = this.#part
    if (part === undefined) return
    try {
      await this.#closeFile()
      this.#part = undefined
      if (this.#fault?.code === 'AVO_FILE_UNWRITABLE') this.#folder.release(part)
      else await this.#folder.leave(part, undefined)
    } catch (error) {
      this.#failed(error)
    }
  }

  async #closeFile(): Promise<void> {
    const part = this.#part
    if (part?.file === undefined) return
    this.#part = { name: part.name, path: part.path }
    await part.file.close()
  }

  /** Looks at the first bytes for what the file is. */
  #look(piece: Uint8Array): void {
    if (this.#head.byteLength >= HEAD_BYTES) return
    this.#head = Buffer.concat([this.#head, piece.subarray(0, HEAD_BYTES - this.#head.byteLength)])
    const wrong = this.#head.byteLength >= HEAD_BYTES ? this.#typeProblem() : undefined
    if (wrong !== undefined) this.#refuse('AVO_FILE_TYPE', wrongType(this.#wish.types, wrong))
  }

  /** What the file is, where that is not wanted. What the server says was judged at the headers. */
  #typeProblem(): string | undefined {
    const { types } = this.#wish
    if (types === undefined || this.#meaning?.said !== '') return undefined
    const { contentType } = fileType(this.#head, '')
    return isWanted(contentType, types) ? undefined : contentType
  }

  #refuse(code: FailureCode, message: string): Failure {
    this.#fault = failure(code, message, BODY)
    this.#waiting = []
    return this.#fault
  }

  /** The disk failed. */
  #failed(error: unknown): Failure {
    const message = `cannot save a file: ${messageOf(error)}`
    this.#fault ??= failure('AVO_FILE_UNWRITABLE', message, { ...BODY, cause: error })
    this.#waiting = []
    this.#wish.troubled(message)
    return this.#fault
  }

  #tellRoom(): void {
    if (this.#roomFor === undefined || (this.#waitingBytes >= MOST_WAITING_BYTES && this.#fault === undefined)) return
    const callback = this.#roomFor
    this.#roomFor = undefined
    callback(this.#fault)
  }
}

const BODY = { phase: 'body', sent: true } as const
