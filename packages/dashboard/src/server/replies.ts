// What the server answers with: every answer has the header fields that keep a hostile text from being more than a text.
import { readFile } from 'node:fs/promises'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { AvocetError } from '@avocet/core'

/** Nothing but our own files is loaded, and nothing in a page runs or leads elsewhere. */
const POLICY: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const ALWAYS: OutgoingHttpHeaders = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
}

/** Answers, and ends. */
export function reply(answer: ServerResponse, status: number, body: ReplyBody = {}): void {
  const { type = 'text/plain; charset=utf-8', content = '', headers = {} } = body
  answer.writeHead(status, { ...ALWAYS, 'content-type': type, 'content-length': Buffer.byteLength(content), ...headers })
  answer.end(content)
}

/** What an answer has in it. */
export interface ReplyBody {
  readonly type?: string
  readonly content?: string | Uint8Array
  readonly headers?: OutgoingHttpHeaders
}

/** Answers with a JSON text. */
export function replyJson(answer: ServerResponse, status: number, value: unknown): void {
  reply(answer, status, { type: 'application/json; charset=utf-8', content: JSON.stringify(value) })
}

/** Answers with a page that is a file of its own, which is saved under `name` and brings its own policy. */
export function replyFile(answer: ServerResponse, content: string, name: string): void {
  const safe = name.replace(/[^A-Za-z0-9.-]/g, '_').slice(0, 100)
  const headers = { 'content-disposition': `attachment; filename="${safe}"` }
  reply(answer, 200, { type: 'text/html; charset=utf-8', content, headers })
}

/** Begins a stream of events. */
export function beginStream(answer: ServerResponse): void {
  answer.writeHead(200, { ...ALWAYS, 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
  answer.flushHeaders()
}

// The files of the page, made from `page/` when the package is built, read once.

/** A file as it is answered with. */
export interface BundledFile {
  readonly type: string
  readonly content: Uint8Array
}

/** Found from the sources and from what is built. */
const FOLDER = new URL('../../dist/bundle/', import.meta.url)

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'login.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'login.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
}

/** By name. Throws AVO_INTERNAL where the package was not built. */
export async function pageFiles(): Promise<ReadonlyMap<string, BundledFile>> {
  try {
    const all = Object.entries(TYPES).map(async ([name, type]): Promise<[string, BundledFile]> => [
      name,
      { type, content: await readFile(new URL(name, FOLDER)) },
    ])
    return new Map(await Promise.all(all))
  } catch (error) {
    const what = `expected the files of the page in ${FOLDER.pathname}, found none; run npm ci in the clone, or install avocet again`
    throw new AvocetError('AVO_INTERNAL', what, { cause: error })
  }
}
