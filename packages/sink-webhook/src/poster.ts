// Sends requests, and knows what their answers mean.
//
// No redirect is followed: a POST that goes elsewhere than the user said would take items and credentials along.
import { retryAfterAt } from '@avocet/core/plugin'
import { SinkDown } from '@avocet/core/sink'
import type { Receiver } from './options.ts'

export { signed, webhookReceiver } from './options.ts'

/** An answer that is not 2xx, or none after the request was sent. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly status: number | undefined

  /** The message has no secrets, and there is no cause, which could have them. */
  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

/** What is read of an answer: enough for its first words. The rest is not waited for. */
const MAX_ANSWER_BYTES = 16_384

/** Characters of an answer that a message quotes. */
const MAX_WORDS = 200
const TOO_LARGE = 413

/**
 * Answers that say nothing of the items: the URL, the credentials or the server are to be put right first. A 500 is not among them, because many servers
 * give it for an item that they did not expect.
 */
const NO_ITEMS_FAULT: ReadonlySet<number> = new Set([401, 402, 403, 404, 405, 407, 408, 410, 425, 429, 502, 503, 504])

/** Nobody was there to see the items. A connection that breaks off later may have broken off because of one. */
const NOT_REACHED: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
])

/** The body of the request, with its own header fields. */
interface Message {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** What a request has of its surroundings. */
interface Surroundings {
  readonly signal: AbortSignal
  readonly clock: { now(): number }
}

/** Sends requests to one receiver, one at a time. */
export class Poster<Item> {
  readonly #receiver: Receiver<Item>
  /** The body of the last answer, of which nothing is needed. */
  #leftover: AbortController | undefined

  constructor(receiver: Receiver<Item>) {
    this.#receiver = receiver
  }

  /** Resolves when the receiver has answered 2xx. Throws a SinkDown, or a WebhookError. */
  async post({ body, headers }: Message, { signal, clock }: Surroundings): Promise<void> {
    const response = await this.#asked({
      method: 'POST',
      headers: {
        ...Object.fromEntries(this.#receiver.headers),
        ...headers,
        'content-type': 'application/json',
        'user-agent': 'avocet',
      },
      body,
      signal,
    })
    if (response.ok) return
    const retryAt = retryAfterAt(Object.fromEntries(response.headers), clock.now())
    const problem = problemOf(response, await beginningOf(response), this.#receiver)
    if (response.status === TOO_LARGE) throw new WebhookError(problem, TOO_LARGE)
    if (retryAt !== undefined) throw new SinkDown(problem, { retryAt })
    if (NO_ITEMS_FAULT.has(response.status) || isRedirected(response)) throw new SinkDown(problem)
    throw new WebhookError(problem, response.status)
  }

  /** Whether anybody answers there, whatever the answer is. Throws like `post`. */
  async knock(signal: AbortSignal): Promise<void> {
    await this.#asked({ method: 'HEAD', headers: { 'user-agent': 'avocet' }, signal })
  }

  /** Lets go of an answer that has not ended. */
  close(): void {
    this.#leftover?.abort()
  }

  /**
   * The items are written when the head of a good answer is there. Its body is read meanwhile, because only then can the connection be used again, but nobody
   * waits for it: it may never end. It is cut off when the next request begins.
   */
  async #asked(request: RequestInit & { readonly signal: AbortSignal }): Promise<Response> {
    this.#leftover?.abort()
    const leftover = (this.#leftover = new AbortController())
    try {
      const signal = AbortSignal.any([request.signal, leftover.signal])
      const response = await fetch(this.#receiver.url, { ...request, signal, redirect: 'manual' })
      if (response.ok) void beginningOf(response)
      return response
    } catch (error) {
      const problem = `expected an answer of ${this.#receiver.url.origin}, got: ${withoutSecrets(reasonIn(error), this.#receiver)}`
      throw NOT_REACHED.has(codeIn(error)) ? new SinkDown(problem) : new WebhookError(problem)
    }
  }
}

function isRedirected({ status }: Response): boolean {
  return status >= 300 && status < 400
}

/** A connection can be used again only if the body has been read. */
async function beginningOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const part of response.body ?? []) {
      parts.push(part)
      bytes += part.byteLength
      if (bytes >= MAX_ANSWER_BYTES) break
    }
  } catch {
    // The status has said what counts; a body that breaks off changes nothing.
  }
  return Buffer.concat(parts).toString('utf8', 0, MAX_ANSWER_BYTES)
}

function problemOf<Item>(response: Response, said: string, receiver: Receiver<Item>): string {
  const { status } = response
  const words = withoutSecrets(said, receiver)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS)
  const advice = isRedirected(response) ? '; redirects are not followed, so use the URL that it leads to' : ''
  return `expected 2xx of ${receiver.url.origin}, got ${String(status)}${advice}${words === '' ? '' : `: ${words}`}`
}

function withoutSecrets<Item>(text: string, { secrets }: Receiver<Item>): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '__secret__'), text)
}

/** `fetch failed` says nothing; its causes do. */
function reasonIn(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return thrown.errors.map(reasonIn).join(', ')
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.cause === undefined ? thrown.message : reasonIn(thrown.cause)
}

/** The code of the innermost cause; empty if it has none. */
function codeIn(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return codeIn(thrown.errors[0])
  if (!(thrown instanceof Error)) return ''
  if (thrown.cause !== undefined) return codeIn(thrown.cause)
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''
}
