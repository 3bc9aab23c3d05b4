// Reads kept responses, also while a crawl goes on writing them.
import { zstdDecompressSync } from 'node:zlib'
import { AvocetError, type Response } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { storeError } from '../file/store-error.ts'
import { CacheFile, type Requested, type CacheRow } from './cache-file.ts'

/** A response as it was when it was fetched. */
export interface KeptResponse {
  /** Of it alone, in its file. */
  readonly id: number
  readonly response: Response
  /** As it was spelled when it was requested: a server may redirect from one spelling of a URL to another. */
  readonly url: string
  /** Epoch ms. */
  readonly fetchedAt: number
}

/** Kept responses, open. */
export interface KeptResponses {
  /** How many there are. */
  readonly count: number
  /** The last response to what was requested; undefined when none is kept. See `Requested` for its header fields. Throws AVO_FRONTIER_… for a damaged file. */
  find(requested: Requested): KeptResponse | undefined
  /** Those that handlers of plugins got, such as sitemaps. */
  documents(): readonly { readonly url: string; readonly handler: string }[]
  close(): void
}

/** More is no body that was kept. */
const MAX_BODY_BYTES = 64 * 2 ** 20

/**
 * Opens the responses that `responseCache` keeps in the file at `path`.
 *
 * @throws AVO_FRONTIER_MISSING where there is none, AVO_FRONTIER_FOREIGN for another file, AVO_FRONTIER_… for one that cannot be read.
 */
export async function openResponses(path: string): Promise<KeptResponses> {
  const using = <Answer>(work: () => Answer): Answer => {
    try {
      return work()
    } catch (error) {
      throw cacheError(error, path)
    }
  }
  const file = await CacheFile.open(path, { readonly: true }).catch((error: unknown) => {
    throw cacheError(error, path)
  })
  return {
    count: using(() => file.count),
    find: (requested) => using(() => found(file.find(requested), requested, path)),
    documents: () => using(() => file.documents()),
    close: () => file.close(),
  }
}

function found(
  row: (CacheRow & { readonly id: number }) | undefined,
  requested: Requested,
  path: string,
): KeptResponse | undefined {
  if (row === undefined) return undefined
  const { status, wire_bytes: wireBytes, fetched_at: fetchedAt } = row
  const response: Response = {
    ...wholeOf(row, path),
    url: requested.url,
    status,
    wireBytes,
    timings: { firstByteMs: 0, bodyMs: 0, reusedSocket: true },
    fetchedAt,
  }
  return { id: row.id, response, url: row.url, fetchedAt }
}

/** What is damaged needs no recovery: it was requested once, and can be again. */
function cacheError(thrown: unknown, path: string): AvocetError {
  const error = storeError(thrown, path)
  const { code } = error
  if (thrown === error || (code !== 'AVO_FRONTIER_CORRUPT' && code !== 'AVO_FRONTIER_FOREIGN')) return error
  const message = `${path}: expected kept responses, got a damaged file (${messageOf(thrown)}); delete it: it holds only what can be requested again`
  return new AvocetError(code, message, { cause: thrown })
}

/** Throws AVO_FRONTIER_CORRUPT where the bytes are not those that were written. */
function wholeOf({ headers, body, url }: CacheRow, path: string): Pick<Response, 'headers' | 'body'> {
  try {
    return {
      headers: JSON.parse(headers) as Response['headers'],
      body: zstdDecompressSync(body, { maxOutputLength: MAX_BODY_BYTES }),
    }
  } catch (error) {
    const message = `${path}: expected the response of ${url} as it was kept, got damaged bytes (${messageOf(error)}); check the disk, and crawl with --cache again`
    throw new AvocetError('AVO_FRONTIER_CORRUPT', message, { cause: error })
  }
}
