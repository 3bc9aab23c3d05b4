// A fetcher that sends nothing: it answers with the files of a folder, laid out as `wget --recursive` leaves them: `folder/shop.example/teas/green.html`.
import { readFileSync } from 'node:fs'
import { extname, join, resolve, sep } from 'node:path'
import type { Response } from 'avocet'
import type { BodySaver, Failure, ResponseHead } from '@avocet/core/plugin'
import type { Fetcher, FetchReceiver, Outbound } from '@avocet/core/store'

const NOTHING = new Uint8Array()
/** What a file is, by the end of its name. Pages of shops often have names without one. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.gif': 'image/gif',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml',
}

/** Answers each URL with its file in `folder`, and with 404 where there is none. */
export function mirror(folder: string): Fetcher {
  let busy = 0
  return {
    fetch(outbound, receiver) {
      const exchange = new MirrorExchange(outbound, receiver, () => busy--)
      busy++
      // Nothing may be told before fetch() has returned.
      queueMicrotask(() => exchange.run(folder))
      return () => exchange.abort()
    },
    connections: () => ({ open: busy, busy }),
    close: async () => {},
  }
}

/** One request, which ends once: with `done`, with `failed`, or in silence where the crawl aborts it. */
class MirrorExchange {
  readonly #outbound: Outbound
  readonly #receiver: FetchReceiver
  readonly #ended: () => void
  #isOver = false

  constructor(outbound: Outbound, receiver: FetchReceiver, ended: () => void) {
    this.#outbound = outbound
    this.#receiver = receiver
    this.#ended = ended
  }

  abort(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#ended()
  }

  run(folder: string): void {
    if (this.#isOver) return
    const { url, method, keepBytes, save } = this.#outbound
    this.#receiver.sent()
    if (this.#isOver) return
    const file = bodyOf(folder, url)
    const status = file === undefined ? 404 : 200
    const body = method === 'HEAD' || file === undefined ? NOTHING : file.subarray(0, keepBytes)
    const type = TYPES[extname(new URL(url).pathname)] ?? 'text/html; charset=utf-8'
    const head = { status, headers: { 'content-type': type, 'content-length': String(file?.byteLength ?? 0) } }
    const word = status === 200 && save !== undefined ? save.accepts(head) : 'read'
    const wish = this.#receiver.headers(head)
    if (this.#isOver) return
    if (typeof word !== 'string') return this.#failed(word)
    if (save !== undefined && word === 'save') return this.#save(save, head, body)
    this.#done(head, { body: wish === 'read' ? body : NOTHING, wireBytes: wish === 'read' ? body.byteLength : 0 })
  }

  /** A file is written in one piece: there is no server that would have to wait while the saver has no room. */
  #save(saver: BodySaver, head: ResponseHead, body: Uint8Array): void {
    const trouble = saver.write(body)
    if (typeof trouble !== 'boolean') {
      saver.abort()
      return this.#failed(trouble)
    }
    saver.end((saved) => {
      if ('code' in saved) this.#failed(saved)
      else this.#done(head, { body: NOTHING, wireBytes: body.byteLength, saved })
    })
  }

  #done(head: ResponseHead, came: Pick<Response, 'body' | 'wireBytes' | 'saved'>): void {
    if (this.#isOver) return
    this.abort()
    const timings = { firstByteMs: 0, bodyMs: 0, reusedSocket: true }
    this.#receiver.done({ url: this.#outbound.url, ...head, ...came, timings })
  }

  #failed(failure: Failure): void {
    if (this.#isOver) return
    this.abort()
    this.#receiver.failed({ ...failure, sent: true, phase: 'body' })
  }
}

/** The file of a URL; undefined where there is none. What leads out of the folder has none. */
function bodyOf(folder: string, url: string): Buffer | undefined {
  const { host, pathname, search } = new URL(url)
  const root = resolve(folder, host)
  try {
    const path = join(root, decodeURIComponent(pathname) + search)
    if (path !== root && !path.startsWith(root + sep)) return undefined
    return readFileSync(pathname.endsWith('/') ? join(path, 'index.html') : path)
  } catch {
    return undefined
  }
}
