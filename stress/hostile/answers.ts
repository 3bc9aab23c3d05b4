// The words that rows of the table are written in: answers of so many bytes, waits, floods and drips.
import type { HostileAnswer, HostileRequest } from './hostile-row.ts'
import type { Line } from './line.ts'

/** Head of a page, up to the fields that say how long it is. */
export const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n'
/** The same, with a body in chunks to follow. */
export const CHUNKED: string = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`
/** What is asked of a server that has no such page. */
export const RAW_NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'

/** A page of about 300 bytes, with these links. */
export function html(title: string, ...hrefs: readonly string[]): string {
  const links = hrefs.map((href) => `<a href="${href}">${href.slice(0, 40)}</a>\n`).join('')
  return `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1><p>A page like others.</p>\n${links}</body></html>\n`
}

/** A whole answer, with its length. Text is taken as UTF-8. */
export function whole(body: string | Uint8Array, fields = '', status = '200 OK'): Buffer {
  const bytes = Buffer.from(body as string)
  const type = /^content-type:/im.test(fields) ? '' : 'Content-Type: text/html; charset=utf-8\r\n'
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${type}Content-Length: ${String(bytes.length)}\r\n${fields}\r\n`, 'latin1'),
    bytes,
  ])
}

/** Answers with these bytes, then closes the connection, keeps it, or resets it. */
export function says(bytes: string | Uint8Array, then: 'end' | 'keep' | 'reset' = 'end'): HostileAnswer {
  return (_asked, line) => {
    if (then === 'end') return line.end(bytes)
    line.write(bytes)
    // Later, so that the answer leaves before the reset, which would overtake it.
    if (then === 'reset') line.after(30, () => line.reset())
  }
}

/** Answers with what `body` makes of the request, keeping the connection. Made anew for each request. */
export function serves(body: (asked: HostileRequest) => string | Uint8Array, fields = ''): HostileAnswer {
  return (asked, line) => void line.write(whole(body(asked), fields))
}

/** Answers once, by what costs memory to make: it is made for the first request, and kept. */
export function servesBytes(make: () => Uint8Array): HostileAnswer {
  let made: Uint8Array | undefined
  return (_asked, line) => {
    made ??= make()
    line.write(made)
  }
}

/** Answers with a page whose body is in a content coding. */
export function coded(coding: string, make: () => Uint8Array): HostileAnswer {
  return servesBytes(() => whole(make(), `Content-Encoding: ${coding}\r\n`))
}

/** Answers with a status and nothing else. */
export function status(line: string, fields = ''): HostileAnswer {
  return says(whole('', fields, line), 'keep')
}

/** Redirects to what `to` says. */
export function redirects(to: (asked: HostileRequest) => string, code = '302 Found'): HostileAnswer {
  return (asked, line) => void line.write(whole('', `Location: ${to(asked)}\r\n`, code))
}

/** Says `first`, then `piece` for as long as the client reads. */
export function floods(first: string, piece: string | Uint8Array, times?: number): HostileAnswer {
  return (_asked, line) => {
    line.write(first)
    line.flood(piece, times)
  }
}

/** Says `first`, then `piece` every so many ms, for ever. */
export function drips(first: string, piece: string | Uint8Array, everyMs: number): HostileAnswer {
  return (_asked, line) => {
    line.write(first)
    line.every(everyMs, () => void line.write(piece))
  }
}

/** Waits before another answer. */
export function after(ms: number, answer: HostileAnswer): HostileAnswer {
  return (asked, line) => line.after(ms, () => answer(asked, line))
}

/** The first request gets one answer, all others the other. */
export function firstThen(first: HostileAnswer, others: HostileAnswer): HostileAnswer {
  return (asked, line) => (asked.nth === 1 ? first : others)(asked, line)
}

/** A small site: its first page links to `/1` and on, which are all there. */
export function site(pages: number): HostileAnswer {
  const hrefs = Array.from({ length: pages }, (_, n) => `/${String(n + 1)}`)
  return serves(({ path }) => (path === '/' ? html('First', ...hrefs) : html(`Page ${path.slice(1)}`)))
}

/** Paths of the pages of such a site. */
export function sitePaths(pages: number): readonly string[] {
  return ['/', ...Array.from({ length: pages }, (_, n) => `/${String(n + 1)}`)]
}

/** Says something when it is connected to, and to whatever is asked. */
export function greets(bytes: string | Uint8Array): { readonly accept: (line: Line) => void } {
  return { accept: (line) => void line.write(bytes) }
}

/** Text of so many bytes that gzip makes 127 times smaller: less than what shows a bomb. */
export function longText(bytes: number): Buffer {
  const parts: string[] = []
  for (let length = 0, n = 0; length < bytes; n++) {
    const part = `<p>${((n * 2_654_435_761) % 4_294_967_296).toString(36)} text</p>\n`.repeat(60)
    parts.push(part)
    length += part.length
  }
  return Buffer.from(parts.join('')).subarray(0, bytes)
}
