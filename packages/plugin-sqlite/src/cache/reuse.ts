// Answers requests from kept responses by the rules of HTTP: looks up what is kept, asks the rules, and notes what each exchange was asked with.
//
// Values of fields that may say who asks are noted as digests under a key of this process: in the file they are good for nothing, and another run requests what
// was requested with them.
import { createHmac, hash, randomBytes } from 'node:crypto'
import { zstdDecompressSync } from 'node:zlib'
import type { Exchange, OutgoingRequest } from '@avocet/core/plugin'
import type { Response } from '@avocet/core'
import { isSecretName } from '@avocet/plugin-secrets/names'
import type { CacheFile } from './cache-file.ts'
import type { CacheRow, Confirmed } from './cache-row.ts'
import { confirmedBy, isConditionMet, reusableOf, reuseFor, type DigestOf, type Reusable } from './http-rules.ts'

/** More is no body that was kept. */
const MAX_BODY_BYTES = 64 * 2 ** 20
/** Hexadecimal digits of a digest. */
const DIGITS = 32

/** Chooses what a request is answered with. */
type Choose = Parameters<OutgoingRequest['reuse']>[0]

/** What is known of an exchange that was asked. */
interface Asked {
  readonly sent: Readonly<Record<string, string>>
  readonly row: CacheRow | undefined
}

/** Of one run. */
export class Reuses {
  readonly #file: Pick<CacheFile, 'find'>
  readonly #asked = new WeakMap<object, Asked>()
  readonly #digest: DigestOf

  constructor(file: Pick<CacheFile, 'find'>) {
    this.#file = file
    const key = randomBytes(16)
    this.#digest = (field, value) => {
      if (value.includes('__secret__')) return undefined
      if (!isSecretName(field)) return hash('sha256', value, 'hex').slice(0, DIGITS)
      return createHmac('sha256', key).update(value).digest('hex').slice(0, DIGITS)
    }
  }

  /** What is kept for a request that is about to be sent with `sent`. */
  choose({ exchange, now }: Pick<OutgoingRequest, 'exchange' | 'now'>, sent: Asked['sent']): ReturnType<Choose> {
    const { request } = exchange
    this.#asked.set(exchange, { sent, row: undefined })
    const row = this.#rowOf(exchange)
    const noted = row && notedIn(row)
    if (row === undefined || noted === undefined) return undefined
    const verdict = reuseFor(noted, { request, sent }, { now, digest: this.#digest })
    if (verdict === 'other') return undefined
    this.#asked.set(exchange, { sent, row })
    const whole = wholeOf(row)
    if (whole === undefined) return undefined
    if (verdict === 'stale') return { kind: 'revalidate', headers: whole.headers, kept: () => wholeOf(row) ?? whole }
    const timings = { firstByteMs: 0, bodyMs: 0, reusedSocket: true }
    const response: Response = { ...whole, url: request.url, wireBytes: row.wire_bytes, timings, fetchedAt: row.fetched_at }
    if (request.earlier === undefined || !isConditionMet(whole.headers, sent)) return { kind: 'serve', response }
    const { fetchedAt: _at, ...unchanged } = response
    return { kind: 'serve', response: { ...unchanged, status: 304, body: new Uint8Array(), wireBytes: 0 } }
  }

  /** What is kept with a response of which nothing was left out, so that it may answer later requests; null for one that may not. */
  noteOf(exchange: Exchange, response: Response, at: number): string | null {
    const asked = this.#asked.get(exchange)
    const noted = asked && reusableOf({ request: exchange.request, sent: asked.sent }, response, { at, digest: this.#digest })
    return noted === undefined ? null : JSON.stringify(noted)
  }

  /** What a 304 to the crawl's own conditions says of the kept response. Undefined where none was found, or another one was meant. */
  confirmed(exchange: Exchange, response: Response, at: number): Confirmed | undefined {
    const { row, sent = {} } = this.#asked.get(exchange) ?? {}
    const noted = row && notedIn(row)
    if (row === undefined || noted === undefined || !isConditionMet(wholeOf(row)?.headers ?? {}, sent)) return undefined
    const confirmed = confirmedBy(noted, response, at)
    return { key: row.key, fetchedAt: row.fetched_at, reuse: confirmed === undefined ? null : JSON.stringify(confirmed) }
  }

  /** The kept response that was found for an exchange: it answers no more, for another one came that is not kept. */
  outdated(exchange: Exchange): Confirmed | undefined {
    const row = this.#asked.get(exchange)?.row
    return row && { key: row.key, fetchedAt: row.fetched_at, reuse: null }
  }

  /** A file that is busy or damaged answers nothing. Another spelling of the URL may be answered with a redirect. */
  #rowOf({ request }: Exchange): CacheRow | undefined {
    try {
      const row = this.#file.find(request)
      return row?.url === request.url ? row : undefined
    } catch {
      return undefined
    }
  }
}

function notedIn({ reuse }: CacheRow): Reusable | undefined {
  try {
    return reuse ? (JSON.parse(reuse) as Reusable) : undefined
  } catch {
    return undefined
  }
}

/** Undefined of a damaged one: it is requested. */
function wholeOf({ status, headers, body }: CacheRow): Pick<Response, 'status' | 'headers' | 'body'> | undefined {
  try {
    const whole = zstdDecompressSync(body, { maxOutputLength: MAX_BODY_BYTES })
    return { status, headers: JSON.parse(headers) as Response['headers'], body: whole }
  } catch {
    return undefined
  }
}
