// Rows of kept responses.

/** A response as it is in the file. */
export interface CacheRow {
  readonly key: Uint8Array
  readonly url: string
  readonly status: number
  /** JSON. */
  readonly headers: string
  /** Compressed with zstd. */
  readonly body: Uint8Array
  readonly wire_bytes: number
  /** Epoch ms. */
  readonly fetched_at: number
  /** That got it last. */
  readonly handler: string
  /** Links between the nearest seed and the page. */
  readonly depth: number
}

/** Of a row, beside what it holds. */
const ROW_BYTES = 100

/** Bytes that it takes in the file. */
export function sizeOf({ body, headers, url, handler }: CacheRow): number {
  return body.byteLength + headers.length + url.length + handler.length + ROW_BYTES
}
