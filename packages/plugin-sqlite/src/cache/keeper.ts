// Compresses responses off the event loop and writes them in batches. It may lose any of them, and says how many; it never makes the crawl wait.
import { constants, zstdCompress } from 'node:zlib'
import type { Response } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { isBusy } from '../file/store-error.ts'
import { keyOf, type CacheFile, type Requested, type CacheRow } from './cache-file.ts'

/** A response and what was requested. */
export interface Offered {
  readonly requested: Requested
  readonly response: Pick<Response, 'status' | 'headers' | 'body' | 'wireBytes'>
  readonly handler: string
  /** Links between the nearest seed and the page. */
  readonly depth: number
  /** Epoch ms: the moment that the store has of this visit. */
  readonly fetchedAt: number
  /** Epoch ms. */
  readonly now: number
}

/** How it goes about it. */
interface KeeperSettings {
  readonly file: CacheFile
  readonly maxBytes: number
  problem(message: string): void
}

/** A larger body would block the event loop as it is written. */
const MAX_BODY_BYTES = 8 * 2 ** 20
/** Bodies that are being compressed or wait to be written. */
const MAX_PENDING_BYTES = 32 * 2 ** 20
/** A batch is written when it has so many rows or bytes, or when its first row has waited so long and another one comes. */
const BATCH_ROWS = 100
const BATCH_BYTES = 2 ** 20
const BATCH_MS = 1_000

/** A body that was changed on the disk must not be taken for the page. */
const CHECKED = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }

/** Keeps them. */
export class Keeper {
  readonly #settings: KeeperSettings
  #rows: CacheRow[] = []
  #rowBytes = 0
  #since = 0
  /** Of bodies as they came. */
  #pendingBytes = 0
  readonly #compressing = new Set<Promise<void>>()
  #tooMany = 0
  #noRoom = 0
  #tooLarge = 0
  #notSearched = 0
  #saidBound = false
  #isBroken = false

  constructor(settings: KeeperSettings) {
    this.#settings = settings
  }

  /** Whether a body can be kept now; counts it as lost if not. */
  hasRoomFor({ byteLength }: Uint8Array): boolean {
    if (this.#isBroken) return false
    if (byteLength > MAX_BODY_BYTES) this.#tooLarge++
    else if (this.#pendingBytes + byteLength > MAX_PENDING_BYTES) this.#tooMany++
    else return true
    return false
  }

  /** Counts a response that may hold secrets, and is not offered. */
  withhold(): void {
    this.#notSearched++
  }

  /** Keeps it, if there is room for it; returns at once. */
  offer(offered: Offered): void {
    if (this.#isBroken) return
    this.#compress(offered, offered.response.body.byteLength)
    if (this.#rows.length > 0 && offered.now - this.#since >= BATCH_MS) this.#write()
  }

  /** Writes what waits, and says what was lost. */
  async close(): Promise<void> {
    await Promise.all(this.#compressing)
    this.#write()
    this.#tell(this.#tooMany, 'more came than could be written')
    this.#tell(this.#noRoom, 'larger than all that may be kept')
    this.#tell(this.#notSearched, 'in UTF-16, or with too many secrets to look for')
    this.#tell(this.#tooLarge, `larger than ${MAX_BODY_BYTES / 2 ** 20} MiB`)
    this.#settings.file.close()
  }

  #tell(count: number, why: string): void {
    const what = count === 1 ? '1 response was' : `${count} responses were`
    if (count > 0) this.#settings.problem(`${what} not kept: ${why}`)
  }

  #compress(offered: Offered, bytes: number): void {
    this.#pendingBytes += bytes
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    this.#compressing.add(ended)
    zstdCompress(offered.response.body, CHECKED, (error, body) => {
      if (error) this.#break(error)
      else this.#add(offered, body)
      this.#pendingBytes -= bytes
      this.#compressing.delete(ended)
      resolve()
    })
  }

  #add({ requested, response, handler, depth, fetchedAt, now }: Offered, body: Uint8Array): void {
    const { status, headers, wireBytes } = response
    if (this.#rows.length === 0) this.#since = now
    const fields = { key: keyOf(requested), url: requested.url, status, headers: JSON.stringify(headers) }
    this.#rows.push({ ...fields, body, handler, depth, wire_bytes: wireBytes, fetched_at: Math.round(fetchedAt) })
    this.#rowBytes += body.byteLength
    if (this.#rows.length >= BATCH_ROWS || this.#rowBytes >= BATCH_BYTES) this.#write()
  }

  #write(): void {
    const { file, maxBytes, problem } = this.#settings
    const rows = this.#rows
    if (rows.length === 0 || this.#isBroken) return
    this.#rows = []
    this.#rowBytes = 0
    try {
      const { dropped, refused } = file.insert(rows, maxBytes)
      this.#noRoom += refused
      if (dropped === 0 || this.#saidBound) return
      this.#saidBound = true
      problem(
        `the kept responses take ${Math.round(maxBytes / 2 ** 20)} MiB: pages farthest from the seeds are dropped first; cache: { maxBytes } in the configuration keeps more`,
      )
    } catch (error) {
      // Another process is writing: these are lost, and the next may not be.
      if (isBusy(error)) this.#tooMany += rows.length
      else this.#break(error)
    }
  }

  /** For a full disk or a damaged file there is no use in trying on. */
  #break(error: unknown): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#settings.problem(`responses are not kept any more in this run: ${messageOf(error)}`)
  }
}
