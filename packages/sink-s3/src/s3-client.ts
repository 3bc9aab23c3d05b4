// The few requests of S3 that the sink makes: signed, each within a time limit, tried once. Trying again is up to whoever hands the items over.
//
// Bodies are signed with their SHA-256, so a store that checks signatures stores nothing that was changed on the way.
import { createHash } from 'node:crypto'
import type { AwsClient } from 'aws4fetch'
import { S3Failure } from './s3-failure.ts'

/** What a client is made with. */
export interface S3ClientOptions {
  readonly bucketUrl: string
  readonly aws: AwsClient
  readonly clock: { now(): number }
  readonly fetch: typeof globalThis.fetch
}

/** What must be there for an object to be written, as header fields: nothing, what was seen there, or whatever is there. */
export type Condition = Readonly<Record<string, string>>

/** One request. */
interface Call {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Name of the object; absent for the bucket. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
  readonly signal: AbortSignal
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A link that passes nothing for so long is dead. 5 MiB in a minute are 0.7 Mbit/s. */
const CALL_MS = 60_000
/** A list of 1,000 names of 1,024 bytes, each character of which may be written as six. */
/** Of 1,000 names each. Behind the mark there are few. */
const MOST_PAGES = 1_000
const MOST_ANSWER_BYTES = 8 * 1024 * 1024

/** What a proxy or a sign-in page answers, with status 200 to anything. */
const HTML = /^\s*<(?:!doctype html|html)\b/i

/** Speaks to one bucket. */
export class S3Client {
  readonly #options: S3ClientOptions

  constructor(options: S3ClientOptions) {
    this.#options = options
  }

  /** Names of the objects right under `prefix`, behind `after`, in order. */
  async list(prefix: string, after: string, signal: AbortSignal): Promise<readonly string[]> {
    const names: string[] = []
    let token: string | undefined
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const query = {
        ...{ 'list-type': '2', delimiter: '/', 'encoding-type': 'url', prefix, 'start-after': after },
        ...(token !== undefined && { 'continuation-token': token }),
      }
      const { text } = await this.#call({ method: 'GET', query, signal })
      expectElement(text, 'ListBucketResult')
      names.push(...textsOf(text, 'Key').map((name) => decoded(name)))
      const next = /<IsTruncated>\s*true/.test(text) ? textsOf(text, 'NextContinuationToken')[0] : undefined
      if (next === undefined || next === token) return names
      token = next
    }
    throw new Error(`expected fewer than ${MOST_PAGES * 1000} objects behind ${after}, got more; choose another prefix`)
  }

  /** What is known of an object; undefined if it is not there. */
  async head(key: string, signal: AbortSignal): Promise<{ readonly etag: string; readonly owner: string | null } | undefined> {
    try {
      const { headers } = await this.#call({ method: 'HEAD', key, signal })
      return { etag: headers.get('etag') ?? '', owner: headers.get('x-amz-meta-avocet') }
    } catch (error) {
      if (error instanceof S3Failure && error.status === 404) return undefined
      throw error
    }
  }

  async put(key: string, body: Uint8Array<ArrayBuffer>, more: Pick<Call, 'headers' | 'signal'>): Promise<void> {
    const { headers } = await this.#call({ method: 'PUT', key, body, ...more })
    if (!headers.has('etag')) throw new Error(`expected an ETag for ${key}, got none`)
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    await this.#call({ method: 'DELETE', key, signal })
  }

  /** Begins an upload in parts. Returns its id. */
  async begin(key: string, more: Pick<Call, 'headers' | 'signal'>): Promise<string> {
    const { text } = await this.#call({ method: 'POST', key, query: { uploads: '' }, ...more })
    const id = textsOf(text, 'UploadId')[0]
    if (id === undefined || id === '') throw new Error(`expected an UploadId for ${key}, got an answer without one`)
    return id
  }

  /** Uploads part `number`, from 1. Returns its ETag. */
  async part(
    upload: { readonly key: string; readonly id: string },
    number: number,
    more: Pick<Call, 'body' | 'signal'>,
  ): Promise<string> {
    const query = { partNumber: String(number), uploadId: upload.id }
    const { headers } = await this.#call({ method: 'PUT', key: upload.key, query, ...more })
    const etag = headers.get('etag')
    if (etag === null || etag === '') throw new Error(`expected an ETag for part ${number} of ${upload.key}, got none`)
    return etag
  }

  /** Makes the object of its parts. */
  async complete(
    upload: { readonly key: string; readonly id: string },
    etags: readonly string[],
    more: Pick<Call, 'headers' | 'signal'>,
  ): Promise<void> {
    const parts = etags.map((etag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${quoted(etag)}</ETag></Part>`)
    const xml = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`
    const body = bytesOf(xml)
    const { text, status } = await this.#call({ method: 'POST', key: upload.key, query: { uploadId: upload.id }, body, ...more })
    // S3 answers 200 before it knows: an error may follow in the body.
    if (!text.includes('<CompleteMultipartUploadResult'))
      throw new S3Failure(`the upload of ${upload.key}`, { status, code: codeIn(text) })
    const count = /-(\d+)"?$/.exec(textsOf(text, 'ETag')[0]?.replaceAll(/&[^;]{1,8};/g, '') ?? '')?.[1]
    if (count !== undefined && Number(count) !== etags.length)
      throw new Error(`expected ${upload.key} to have ${etags.length} parts, got ${count}`)
  }

  /** Throws away an upload and its parts; one that is not there is none. */
  async abort(upload: { readonly key: string; readonly id: string }, signal: AbortSignal): Promise<void> {
    try {
      await this.#call({ method: 'DELETE', key: upload.key, query: { uploadId: upload.id }, signal })
    } catch (error) {
      if (!(error instanceof S3Failure && error.status === 404)) throw error
    }
  }

  /** Ids of unfinished uploads of one object. */
  async uploads(key: string, signal: AbortSignal): Promise<readonly string[]> {
    const query = { uploads: '', prefix: key, 'encoding-type': 'url' }
    const { text } = await this.#call({ method: 'GET', query, signal })
    expectElement(text, 'ListMultipartUploadsResult')
    return [...text.matchAll(/<Upload>([\s\S]*?)<\/Upload>/g)].flatMap(([, upload = '']) => {
      const [name = ''] = textsOf(upload, 'Key')
      return decoded(name) === key ? textsOf(upload, 'UploadId').slice(0, 1) : []
    })
  }

  async #call({ method, key, query, headers, body, signal }: Call): Promise<Answer> {
    const { bucketUrl, aws, clock, fetch } = this.#options
    const url = new URL(bucketUrl + (key === undefined ? '/' : `/${key.split('/').map(encodeURIComponent).join('/')}`))
    // Not by `searchParams`, which writes a space as a plus: signatures are over %20.
    url.search = Object.entries(query ?? {})
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&')
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    const datetime = new Date(clock.now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
    const request = await aws.sign(url.href, {
      method,
      headers: { ...headers, 'x-amz-content-sha256': hash },
      body: body ?? null,
      redirect: 'manual',
      aws: { datetime },
    })
    const what = `${method} ${key ?? 'of the bucket'}`
    const response = await fetch(request, { signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]) }).catch(
      (cause: unknown) => {
        throw new Error(`expected an answer to ${what} from ${url.origin}, got none: ${causeOf(cause)}`)
      },
    )
    const text = await bounded(response)
    if (response.ok && HTML.test(text))
      throw new Error(`expected an answer of S3 to ${what}, got a page of HTML; check the endpoint`)
    if (response.ok) return { status: response.status, headers: response.headers, text }
    const region = response.headers.get('x-amz-bucket-region') ?? undefined
    throw new S3Failure(what, { status: response.status, code: codeIn(text), region })
  }
}

function expectElement(xml: string, name: string): void {
  if (!xml.includes(`<${name}`)) throw new Error(`expected a ${name} from the store, got something else; check the endpoint`)
}

/** What is between the tags of each such element. Linear. */
function textsOf(xml: string, tag: string): string[] {
  return xml
    .split(`<${tag}>`)
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf('<')))
}

function codeIn(xml: string): string {
  const code = textsOf(xml, 'Code')[0] ?? ''
  return /^\w{1,64}$/.test(code) ? code : ''
}

/** Names in lists are percent-encoded on request; a store that does not know that sends them as they are. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}

function quoted(etag: string): string {
  return `"${etag.replaceAll(/[^\w-]/g, '')}"`
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

/** `ECONNREFUSED` rather than `fetch failed`. */
function causeOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  return cause instanceof Error ? cause.name : 'an unknown error'
}

async function bounded(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of response.body ?? []) {
    size += piece.length
    if (size > MOST_ANSWER_BYTES) throw new Error(`expected an answer of at most ${MOST_ANSWER_BYTES} bytes, got a longer one`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
