// What the server answers with: every answer has the header fields that keep a hostile text from being more than a text.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

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
