// The bucket of an open sink: what is there already, and the object that is being written.
//
// The name of the next object follows from the mark. An object of this sink that the mark does not know was written just before a crash: its items come again
// under the same name, and replace it. Writes are conditional: an object is made only where none is, and replaced only as it was seen. So a request that was
// given up, and arrives late, changes nothing.
import { createHash } from 'node:crypto'
import { AvocetError, type Json } from '@avocet/core'
import type { SinkItem, SinkSession } from '@avocet/core/sink'
import { guardedCell, jsonLine, type PartWriting } from '@avocet/delivery/files'
import { ObjectWriter } from './object-writer.ts'
import type { S3Rules } from './options.ts'
import type { S3Client } from './s3-client.ts'
import { S3Failure } from './s3-failure.ts'

/** Names of objects sort by number up to here. */
const DIGITS = 6
/** Text is handed to gzip in pieces of this size. */
const PIECE_CHARACTERS = 256 * 1024
/** Throwing away parts while the sink closes. */
const DISCARD_MS = 10_000

/** What a sink has open. */
export class OpenBucket implements PartWriting {
  readonly what = 'an object in S3'
  readonly everyMs: number
  readonly #client: S3Client
  readonly #rules: S3Rules
  readonly #session: SinkSession
  readonly #owner: string
  #number: number
  /** ETag of the object that has the next name already. */
  #etag: string | undefined
  #object: ObjectWriter | undefined

  constructor(client: S3Client, rules: S3Rules, { name, session }: { readonly name: string; readonly session: SinkSession }) {
    this.#client = client
    this.#rules = rules
    this.#session = session
    this.#owner = createHash('sha256')
      .update(JSON.stringify([session.crawl.id, name]))
      .digest('hex')
      .slice(0, 32)
    this.#number = nextNumber(session.mark?.state)
    this.everyMs = rules.everyMs
  }

  /** Checks that objects can be read and written, and removes what an earlier run left unfinished or the mark does not know. */
  async prepare(): Promise<void> {
    const { signal } = this.#session
    const next = this.#keyOf(this.#number)
    // Before the objects: an upload that is completed meanwhile is seen there.
    await this.#abortUploads(next)
    const names = await this.#client.list(this.#rules.prefix, this.#number === 1 ? '' : this.#keyOf(this.#number - 1), signal)
    for (const key of names.filter((name) => this.#isUnmarked(name))) {
      const head = await this.#client.head(key, signal)
      if (head !== undefined && head.owner !== this.#owner) throw this.#inTheWay(key)
      if (key === next) this.#etag = head?.etag
      else if (head !== undefined) await this.#client.remove(key, signal)
    }
    // Asks for the right to write, and leaves nothing.
    const id = await this.#client.begin(next, { headers: this.#headers(), signal })
    await this.#client.abort({ key: next, id }, signal)
  }

  async write(items: readonly SinkItem<unknown>[], signal: AbortSignal): Promise<number> {
    const { columns, gzip } = this.#rules
    let text = ''
    if (this.#object === undefined) {
      const key = this.#keyOf(this.#number)
      this.#object = new ObjectWriter({ client: this.#client, key, headers: this.#headers(), gzip, etag: this.#etag })
      text = firstLine(columns)
    }
    for (const item of items) {
      text += lineOf(item, columns)
      if (text.length < PIECE_CHARACTERS) continue
      await this.#object.write(text, signal)
      text = ''
    }
    await this.#object.write(text, signal)
    return items.length
  }

  isFull(): boolean {
    return (this.#object?.size ?? 0) >= this.#rules.maxBytes
  }

  async complete(signal: AbortSignal): Promise<Json> {
    await this.#object?.finish(signal)
    this.#object = undefined
    this.#etag = undefined
    this.#number++
    return { next: this.#number }
  }

  async discard(): Promise<void> {
    await this.#object?.discard(AbortSignal.timeout(DISCARD_MS))
    this.#object = undefined
  }

  async #abortUploads(key: string): Promise<void> {
    const { signal } = this.#session
    try {
      for (const id of await this.#client.uploads(key, signal)) await this.#client.abort({ key, id }, signal)
    } catch (error) {
      // They only take up space: who may not list them can have a lifecycle rule remove them.
      if (!(error instanceof S3Failure && (error.status === 403 || error.status === 501))) throw error
    }
  }

  /** An object from the next number on, finished by nobody who said so to the store. */
  #isUnmarked(name: string): boolean {
    const { prefix, extension } = this.#rules
    if (!name.startsWith(prefix) || !name.endsWith(extension)) return false
    const digits = name.slice(prefix.length, name.length - extension.length)
    return /^\d{6,15}$/.test(digits) && Number(digits) >= this.#number
  }

  #keyOf(number: number): string {
    return this.#rules.prefix + String(number).padStart(DIGITS, '0') + this.#rules.extension
  }

  #headers(): Readonly<Record<string, string>> {
    const type = this.#rules.columns === undefined ? 'application/x-ndjson' : 'text/csv; charset=utf-8'
    return { 'x-amz-meta-avocet': this.#owner, 'content-type': this.#rules.gzip ? 'application/gzip' : type }
  }

  #inTheWay(key: string): AvocetError {
    return new AvocetError(
      'AVO_OUTPUT_UNWRITABLE',
      `expected ${key} in bucket ${this.#rules.bucket} to be free for this crawl, got an object of another crawl or another sink; ` +
        'move it away, or choose another prefix',
    )
  }
}

function nextNumber(state: Json | undefined): number {
  if (state === undefined) return 1
  const [[name, next] = [], ...others] = typeof state === 'object' && state !== null ? Object.entries(state) : []
  if (name === 'next' && others.length === 0 && typeof next === 'number' && Number.isSafeInteger(next) && next > 0) return next
  throw new AvocetError(
    'AVO_OUTPUT_UNWRITABLE',
    'expected the mark of an S3 sink, got that of another kind of sink with the same name; give this one a name of its own',
  )
}

/** The first line of an object; empty for JSON Lines. */
export function firstLine(columns: readonly string[] | undefined): string {
  return columns === undefined ? '' : csvLine(columns.map(guardedCell))
}

/** One item. Of CSV, what is neither text nor number nor flag is JSON; what is not there is empty. */
export function lineOf(
  { json, value }: Pick<SinkItem<unknown>, 'json' | 'value'>,
  columns: readonly string[] | undefined,
): string {
  if (columns === undefined) return jsonLine(json)
  const fields = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, Json>>) : {}
  return csvLine(columns.map((name) => (Object.hasOwn(fields, name) ? cellText(fields[name] ?? null) : '')))
}

function cellText(value: Json): string {
  if (value === null) return ''
  return typeof value === 'string' ? guardedCell(value) : JSON.stringify(value)
}

function csvLine(cells: readonly string[]): string {
  // A blank line is no record to most readers.
  if (cells.length === 1 && cells[0] === '') return '""\n'
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`
}
