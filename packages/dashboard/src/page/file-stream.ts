// What a file has of a crawl, in place of a stream from one: the parts of each view, as they were when the file was written.
import type { HostLine, HostSort } from '../picture.ts'
import { FIRST_WISH, keptUnder, type FileContent, type ViewWish } from '../view-wish.ts'
import { browserNow, onNextFrame } from './clock.ts'
import type { StreamState } from './page-stream.ts'
import { addressOf } from './route.ts'

/** How rows are ordered; by trouble is how they are in the file. */
const ORDER: Readonly<Partial<Record<HostSort, (a: HostLine, b: HostLine) => number>>> = {
  name: (a, b) => (a.hostKey < b.hostKey ? -1 : 1),
  waiting: (a, b) => b.waiting - a.waiting,
  done: (a, b) => b.done - a.done,
  failed: (a, b) => b.failed - a.failed,
  retried: (a, b) => b.retried - a.retried,
}

type Parts = Readonly<Record<string, unknown>>
type Table = Readonly<{ total: number; indexed: number; keys: readonly string[] }>

/** One for the page. */
export class FileStream {
  readonly #packed: string
  readonly #changed: () => void
  #content: FileContent | undefined
  #wish: ViewWish = FIRST_WISH

  constructor(packed: string, changed: () => void) {
    this.#packed = packed
    this.#changed = onNextFrame(changed)
  }

  /** Its clock stands still. */
  get received(): StreamState {
    const { at = browserNow() } = this.#content ?? {}
    return { parts: new Map(Object.entries(this.#parts())), state: 'file', aheadMs: at - browserNow() }
  }

  /** Unpacks it. */
  open(): void {
    void this.#unpack()
  }

  wants(wish: ViewWish): void {
    this.#wish = wish
    this.#changed()
  }

  async #unpack(): Promise<void> {
    const bytes = Uint8Array.from(atob(this.#packed), (character) => character.charCodeAt(0))
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
    this.#content = (await new Response(stream).json()) as FileContent
    const { first } = this.#content
    if (this.#wish.view === 'crawls') location.hash = addressOf(first)
    this.#changed()
  }

  #parts(): Parts {
    if (this.#content === undefined) return {}
    const { views, first } = this.#content
    const parts = views[keptUnder({ ...this.#wish, key: this.#wish.view === 'hosts' ? '' : this.#wish.key })]
    if (parts === undefined) {
      const { head, at, offers } = views[keptUnder(first)] ?? {}
      return { head, at, offers, missing: 'file' }
    }
    return this.#wish.view === 'hosts' ? this.#table(parts) : parts
  }

  #table(parts: Parts): Parts {
    const { search, state, sort, from, count } = this.#wish
    const { keys, ...table } = parts['hosts'] as Table
    const rows = keys.map((key) => parts[`row ${key}`] as HostLine)
    const found = rows.filter((row) => row.hostKey.includes(search.toLowerCase()) && (state === 'all' || row.state === state))
    const order = ORDER[sort]
    const sorted = order === undefined ? found : found.toSorted(order)
    const begin = Math.min(from, Math.max(0, sorted.length - count))
    const shown = sorted.slice(begin, begin + count).map(({ hostKey }) => hostKey)
    return { ...parts, hosts: { ...table, matching: sorted.length, from: begin, keys: shown } }
  }
}
