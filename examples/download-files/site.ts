// The site: pages of teas, their photos, and a large manual that comes slowly. It knows ranges, as file servers do.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** Of teas; every second one has the same photo. */
const TEAS = 12
const MIB = 2 ** 20
const PIECE_BYTES = MIB

/** A file of the site. */
export interface SiteFile {
  readonly type: string
  readonly body: Buffer
}

/** All files, by path. */
export const FILES: ReadonlyMap<string, SiteFile> = new Map([
  ...Array.from({ length: TEAS }, (_, n): [string, SiteFile] => [
    `/photos/${n}.php`,
    { type: 'image/jpeg', body: photo(n % 2 === 0 ? 0 : n) },
  ]),
  [
    '/manual.pdf',
    { type: 'application/pdf', body: Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(24 * MIB, 'Let it brew. ')]) },
  ],
])

/** A site that is open. */
export interface OpenSite {
  readonly origin: string
  /** `Range` of each request for the manual; empty: all of it. */
  readonly ranges: readonly string[]
  close(): Promise<void>
}

/** Opens it. `onSent` gets how many bytes of the manual were sent. Port 0 = any. */
export async function openSite({
  port = 0,
  onSent = () => {},
}: { readonly port?: number; readonly onSent?: (bytes: number) => void } = {}): Promise<OpenSite> {
  const ranges: string[] = []
  const server = createServer((request, response) => {
    const file = FILES.get(request.url ?? '')
    if (request.url === '/manual.pdf') ranges.push(request.headers.range ?? '')
    if (file === undefined) pageAnswer(request, response)
    else void fileAnswer({ request, response, file, onSent: request.url === '/manual.pdf' ? onSent : () => {} })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    ranges,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function photo(n: number): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(200_000 + n, `tea ${n}`)])
}

function pageAnswer({ url = '/' }: IncomingMessage, response: ServerResponse): void {
  const n = Number(/^\/tea\/(\d+)$/.exec(url)?.[1] ?? Number.NaN)
  response.setHeader('content-type', 'text/html')
  if (url === '/') {
    response.end(Array.from({ length: TEAS }, (_, tea) => `<a class="tea" href="/tea/${tea}">Tea ${tea}</a>`).join(' '))
  } else if (n < TEAS) {
    response.end(`<h1>Tea ${n}</h1> <img class="photo" src="/photos/${n}.php"> <a class="manual" href="/manual.pdf">Manual</a>`)
  } else response.writeHead(404).end()
}

interface FileRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly file: SiteFile
  readonly onSent: (bytes: number) => void
}

async function fileAnswer({ request, response, file: { type, body }, onSent }: FileRequest): Promise<void> {
  const etag = `"${String(body.byteLength)}"`
  const from = request.headers['if-range'] === etag ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0
  const range = from === 0 ? {} : { 'content-range': `bytes ${from}-${body.byteLength - 1}/${body.byteLength}` }
  response.writeHead(from === 0 ? 200 : 206, { 'content-type': type, 'content-length': body.byteLength - from, etag, ...range })
  const closed = once(response, 'close')
  for (let at = from; at < body.byteLength && !response.destroyed; at += PIECE_BYTES) {
    // What waits here is not sent: a client on a busy machine may be far behind.
    if (!response.write(body.subarray(at, at + PIECE_BYTES))) await Promise.race([once(response, 'drain'), closed])
    onSent(Math.min(body.byteLength, at + PIECE_BYTES))
    await pause(5)
  }
  response.end()
}

if (import.meta.main) {
  const { origin } = await openSite({ port: Number(process.argv[2] ?? 8046) })
  console.log(`The site is open: ${origin}/`)
}
