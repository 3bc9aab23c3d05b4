// One object while it is written: in one request if it is small, else in parts. It exists when it is complete, never before.
//
// Parts are of one size, as R2 wants it, and at most one and the batch are in memory.
import type { Condition, S3Client } from './s3-client.ts'
import { S3Failure } from './s3-failure.ts'
import { createGzip, type Gzip } from 'node:zlib'

/** S3 takes parts of 5 MiB to 5 GiB, at most 10,000 of an object. */
const PART_BYTES = 5 * 1024 * 1024
const MOST_PARTS = 10_000

/** What an object is made with. */
export interface ObjectOptions {
  readonly client: S3Client
  readonly key: string
  /** Says whose it is, and what is in it. */
  readonly headers: Readonly<Record<string, string>>
  readonly gzip: boolean
  /** What is known to be there: it is replaced only if it is that. Empty: something without an ETag. */
  readonly etag: string | undefined
}

/** Writes one object. After a failure it is good for nothing but `discard`. */
export class ObjectWriter {
  readonly #options: ObjectOptions
  readonly #compression: Compression
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #upload: { readonly key: string; readonly id: string } | undefined
  readonly #etags: string[] = []

  constructor(options: ObjectOptions) {
    this.#options = options
    this.#compression = new Compression(options.gzip)
  }

  /** Bytes that it has so far, as it will be stored. */
  get size(): number {
    return this.#etags.length * PART_BYTES + this.#waitingBytes
  }

  async write(text: string, signal: AbortSignal): Promise<void> {
    this.#take(await this.#compression.add(Buffer.from(text)))
    while (this.#waitingBytes >= PART_BYTES && this.#etags.length < MOST_PARTS - 1) await this.#sendPart(PART_BYTES, signal)
  }

  /** Makes the object. */
  async finish(signal: AbortSignal): Promise<void> {
    const { client, key, headers, etag } = this.#options
    this.#take(await this.#compression.end())
    const condition = conditionOf(etag)
    if (this.#upload === undefined) {
      const body = this.#cut(this.#waitingBytes)
      await withCondition(condition, (condition) => client.put(key, body, { headers: { ...headers, ...condition }, signal }))
      return
    }
    const upload = this.#upload
    if (this.#waitingBytes > 0) await this.#sendPart(this.#waitingBytes, signal)
    await withCondition(condition, (headers) => client.complete(upload, this.#etags, { headers, signal }))
    this.#upload = undefined
  }

  /** Throws away the parts, as well as it can: those that are left are found when the sink opens. */
  async discard(signal: AbortSignal): Promise<void> {
    this.#compression.discard()
    if (this.#upload !== undefined) await this.#options.client.abort(this.#upload, signal).catch(() => {})
  }

  async #sendPart(bytes: number, signal: AbortSignal): Promise<void> {
    const { client, key, headers } = this.#options
    this.#upload ??= { key, id: await client.begin(key, { headers, signal }) }
    this.#etags.push(await client.part(this.#upload, this.#etags.length + 1, { body: this.#cut(bytes), signal }))
  }

  #take(pieces: readonly Buffer[]): void {
    for (const piece of pieces) {
      this.#waiting.push(piece)
      this.#waitingBytes += piece.length
    }
  }

  /** The first `bytes` of what waits. */
  #cut(bytes: number): Uint8Array<ArrayBuffer> {
    const all = Buffer.concat(this.#waiting)
    const rest = all.subarray(bytes)
    this.#waiting = rest.length > 0 ? [rest] : []
    this.#waitingBytes = rest.length
    return new Uint8Array(all.subarray(0, bytes))
  }
}

function conditionOf(etag: string | undefined): Condition {
  if (etag === undefined) return { 'if-none-match': '*' }
  return etag === '' ? {} : { 'if-match': etag }
}

/** Some compatible stores know no conditions, and say so. */
async function withCondition(
  condition: Condition,
  send: (headers: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  try {
    await send(condition)
  } catch (error) {
    if (!isUnknown(error) || Object.keys(condition).length === 0) throw error
    await send({})
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof S3Failure && (error.status === 501 || error.code === 'NotImplemented')
}

/** Takes bytes, gives bytes. */
class Compression {
  readonly #gzip: Gzip | undefined
  #ready: Buffer[] = []

  constructor(isCompressed: boolean) {
    this.#gzip = isCompressed ? createGzip() : undefined
    this.#gzip?.on('data', (bytes: Buffer) => this.#ready.push(bytes))
  }

  /** What comes out when `bytes` go in: with gzip perhaps nothing yet. */
  async add(bytes: Buffer): Promise<readonly Buffer[]> {
    const gzip = this.#gzip
    if (gzip === undefined) return [bytes]
    await new Promise<void>((resolve, reject) => {
      gzip.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
    return this.#taken()
  }

  /** The rest. */
  async end(): Promise<readonly Buffer[]> {
    const gzip = this.#gzip
    if (gzip === undefined) return []
    await new Promise<void>((resolve, reject) => {
      gzip.once('end', resolve).once('error', reject).end()
    })
    return this.#taken()
  }

  /** Frees its memory before its end. */
  discard(): void {
    this.#gzip?.destroy()
  }

  #taken(): readonly Buffer[] {
    const ready = this.#ready
    this.#ready = []
    return ready
  }
}
