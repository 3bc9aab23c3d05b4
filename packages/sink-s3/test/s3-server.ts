// An object store for tests: the part of the S3 API that the sink uses, with real signatures, conditions and rules for parts, in memory and within bounds.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const KEY_ID = 'AKIDEXAMPLE'
export const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'

/** What happens to one request instead: `lose` does it and cuts the connection, `cut` only cuts it. */
export type Fault = 'lose' | 'cut' | 'hang' | 'garbage' | { readonly status: number; readonly code: string }

interface Stored {
  readonly body: Buffer
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

interface Upload {
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
  readonly parts: Map<number, { readonly body: Buffer; readonly etag: string }>
}

interface Answer {
  readonly status: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

interface Asked {
  readonly method: string
  readonly key: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

const MOST_BODY_BYTES = 16 * 1024 * 1024
const MOST_STORED_BYTES = 256 * 1024 * 1024
const LEAST_PART_BYTES = 5 * 1024 * 1024

export class S3Server {
  readonly objects = new Map<string, Stored>()
  readonly uploads = new Map<string, Upload>()
  /** `PUT teas/000001.jsonl`, with `?part=1` and the like. */
  readonly log: string[] = []
  /** Asked before each request. */
  faultOf: (asked: { readonly method: string; readonly number: number; readonly line: string }) => Fault | undefined = () =>
    undefined
  /** What the credentials may not do. */
  readonly forbidden = new Set<string>()
  knowsConditions = true
  token: string | undefined
  #requests = 0
  readonly #server: Server
  readonly #bucket: string

  private constructor(bucket: string) {
    this.#bucket = bucket
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  static async start(bucket = 'harvest'): Promise<S3Server> {
    const server = new S3Server(bucket)
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** From now on it listens to nobody new. */
  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://store')
    const [, bucket = '', ...path] = url.pathname.split('/')
    const key = decodeURIComponent(path.join('/'))
    const part = url.searchParams.get('partNumber')
    const what =
      part === null ? [...url.searchParams.keys()].find((name) => /^(?:uploads|uploadId|list-type)$/.test(name)) : `part=${part}`
    const line = `${request.method} ${key}${what === undefined ? '' : `?${what}`}`
    this.log.push(line)
    const fault = this.faultOf({ method: request.method ?? '', number: ++this.#requests, line })
    if (fault === 'cut') return void request.socket.destroy()
    if (fault === 'hang') return
    const body = await bodyOf(request)
    if (fault === 'garbage') return void response.end('<!doctype html><p>proxy error')
    const problem = typeof fault === 'object' ? fault : this.#problemOf(request, { url, body, bucket, line })
    const asked = { method: request.method ?? '', key, query: url.searchParams, headers: request.headers, body }
    const answer = problem === undefined ? this.#perform(asked) : refusal(problem.status, problem.code)
    if (fault === 'lose') return void request.socket.destroy()
    response.writeHead(answer.status, answer.headers)
    response.end(request.method === 'HEAD' ? undefined : answer.body)
  }

  #problemOf(
    request: IncomingMessage,
    { url, body, bucket, line }: { readonly url: URL; readonly body: Buffer; readonly bucket: string; readonly line: string },
  ): { readonly status: number; readonly code: string } | undefined {
    const signed = signatureProblem(request, url, body)
    if (signed !== undefined) return { status: 403, code: signed }
    if (request.headers['x-amz-security-token'] !== this.token) return { status: 403, code: 'InvalidToken' }
    if (bucket !== this.#bucket) return { status: 404, code: 'NoSuchBucket' }
    if ([...this.forbidden].some((start) => line.startsWith(start))) return { status: 403, code: 'AccessDenied' }
    const stored = [...this.objects.values()].reduce((sum, { body }) => sum + body.length, body.length)
    return stored > MOST_STORED_BYTES ? { status: 507, code: 'InsufficientStorage' } : undefined
  }

  #perform(asked: Asked): Answer {
    const { method, key, query } = asked
    const id = query.get('uploadId')
    if (id !== null) return this.#performUpload(asked, id)
    if (key === '') return query.has('uploads') ? this.#listUploads(query) : this.#list(query)
    if (method === 'POST') return this.#beginUpload(asked)
    if (method === 'PUT') return this.#put(asked, asked.body, { ...asked.headers } as Record<string, string>)
    const object = this.objects.get(key)
    if (method === 'DELETE') {
      this.objects.delete(key)
      return { status: 204 }
    }
    if (object === undefined) return refusal(404, 'NoSuchKey')
    return { status: 200, headers: { etag: object.etag, ...userHeaders(object.headers) }, body: object.body.toString('latin1') }
  }

  #put({ key, headers: asked }: Asked, body: Buffer, headers: Readonly<Record<string, string>>, etag = etagOf(body)): Answer {
    const old = this.objects.get(key)
    const [none, match] = [asked['if-none-match'], asked['if-match']]
    if (!this.knowsConditions && (none ?? match) !== undefined) return refusal(501, 'NotImplemented')
    if (none === '*' && old !== undefined) return refusal(412, 'PreconditionFailed')
    if (match !== undefined && old?.etag !== match) return refusal(old === undefined ? 404 : 412, 'PreconditionFailed')
    this.objects.set(key, { body, etag, headers })
    return { status: 200, headers: { etag } }
  }

  #beginUpload({ key, headers }: Asked): Answer {
    const id = `upload-${this.uploads.size}-${this.#requests}`
    this.uploads.set(id, { key, headers: { ...headers } as Record<string, string>, parts: new Map() })
    return { status: 200, body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>` }
  }

  #performUpload(asked: Asked, id: string): Answer {
    const upload = this.uploads.get(id)
    if (upload?.key !== asked.key) return refusal(404, 'NoSuchUpload')
    if (asked.method === 'DELETE') {
      this.uploads.delete(id)
      return { status: 204 }
    }
    if (asked.method === 'PUT') {
      const etag = etagOf(asked.body)
      upload.parts.set(Number(asked.query.get('partNumber')), { body: asked.body, etag })
      return { status: 200, headers: { etag } }
    }
    const wanted = [...asked.body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)</g)]
    const parts = wanted.map(([, number, etag]) => ({ ...upload.parts.get(Number(number)), wanted: etag }))
    const bodies = parts.map(({ body = Buffer.alloc(0) }) => body)
    if (parts.length === 0 || parts.some(({ etag, wanted }) => etag !== wanted)) return refusal(400, 'InvalidPart')
    const [first = Buffer.alloc(0), ...others] = bodies.slice(0, -1)
    if (bodies.length > 1 && (first.length < LEAST_PART_BYTES || others.some(({ length }) => length !== first.length)))
      return refusal(400, 'EntityTooSmall')
    const etag = `"${createHash('md5').update(bodies.map(etagOf).join('')).digest('hex')}-${parts.length}"`
    const answer = this.#put(asked, Buffer.concat(bodies), upload.headers, etag)
    if (answer.status !== 200) return answer
    this.uploads.delete(id)
    const shown = etag.replaceAll('"', '&quot;')
    return { status: 200, body: `<CompleteMultipartUploadResult><ETag>${shown}</ETag></CompleteMultipartUploadResult>` }
  }

  #list(query: URLSearchParams): Answer {
    const [prefix, after] = [query.get('prefix') ?? '', query.get('continuation-token') ?? query.get('start-after') ?? '']
    const names = [...this.objects.keys()]
      .filter((name) => name.startsWith(prefix) && !name.slice(prefix.length).includes('/') && name > after)
      .sort()
    const page = names.slice(0, 3)
    const more = names.length > 3 ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    const keys = page.map((name) => `<Contents><Key>${encodeURIComponent(name)}</Key></Contents>`).join('')
    return {
      status: 200,
      body: `<ListBucketResult><IsTruncated>${names.length > 3}</IsTruncated>${more}${keys}</ListBucketResult>`,
    }
  }

  #listUploads(query: URLSearchParams): Answer {
    const uploads = [...this.uploads].filter(([, { key }]) => key.startsWith(query.get('prefix') ?? ''))
    const shown = uploads.map(
      ([id, { key }]) => `<Upload><Key>${encodeURIComponent(key)}</Key><UploadId>${id}</UploadId></Upload>`,
    )
    return { status: 200, body: `<ListMultipartUploadsResult>${shown.join('')}</ListMultipartUploadsResult>` }
  }
}

/** AWS Signature Version 4, from its description: what is wrong with that of a request. */
function signatureProblem({ method, headers }: IncomingMessage, url: URL, body: Buffer): string | undefined {
  const field = /^AWS4-HMAC-SHA256 Credential=(.+?)\/(\d{8})\/(.+?)\/s3\/aws4_request, SignedHeaders=(.+?), Signature=(\w{64})$/
  const [, id, day = '', region = '', names = '', signature = ''] = field.exec(headers.authorization ?? '') ?? []
  if (id !== KEY_ID) return 'InvalidAccessKeyId'
  const hash = createHash('sha256').update(body).digest('hex')
  if (headers['x-amz-content-sha256'] !== hash) return 'XAmzContentSHA256Mismatch'
  const mustBeSigned = Object.keys(headers).filter(
    (name) => name === 'host' || name.startsWith('x-amz-') || name.startsWith('if-'),
  )
  if (mustBeSigned.some((name) => !names.split(';').includes(name))) return 'AccessDenied'
  const query = [...url.searchParams].map(([name, value]) => `${escaped(name)}=${escaped(value)}`).sort()
  const path = url.pathname.split('/').map((part) => escaped(decodeURIComponent(part)))
  const lines = names.split(';').map((name) => `${name}:${String(headers[name])}\n`)
  const canonical = [method, path.join('/'), query.join('&'), lines.join(''), names, hash].join('\n')
  const digest = createHash('sha256').update(canonical).digest('hex')
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], `${day}/${region}/s3/aws4_request`, digest].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    `AWS4${SECRET}`,
  )
  const expected = createHmac('sha256', key).update(toSign).digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? undefined : 'SignatureDoesNotMatch'
}

function escaped(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

function etagOf(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`
}

function userHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-amz-meta-')))
}

/** As S3 does it: with the access key in the message, which nobody must print. */
function refusal(status: number, code: string): Answer {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message><AWSAccessKeyId>${KEY_ID}</AWSAccessKeyId></Error>`
  return { status, body }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > MOST_BODY_BYTES) throw new Error('too large for the store of the tests')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
