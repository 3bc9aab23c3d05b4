// The stream from the crawl: keeps the parts of the view as they are now, and says what is wanted. Reconnects by itself.
import type { HostLine, HostSort } from '../picture.ts'
import { FIRST_WISH, isSameView, keptUnder, type FileContent, type ViewWish } from '../view-wish.ts'
import { browserNow, laterOn, onNextFrame } from './clock.ts'
import { addressOf } from './route.ts'

/** What is known now. */
export interface StreamState {
  readonly parts: ReadonlyMap<string, unknown>
  /** `over`: the crawl has ended, and so has its page. `file`: it is a file. */
  readonly state: 'connecting' | 'open' | 'lost' | 'over' | 'file'
  /** By how much the crawl's clock is ahead of the browser's, ms. */
  readonly aheadMs: number
}

interface Frame {
  readonly wish: number
  readonly set: Readonly<Record<string, unknown>>
  readonly gone: readonly string[]
}

const RETRY_MS = 1_000

/** One for the page. */
export class PageStream {
  #parts = new Map<string, unknown>()
  #state: StreamState['state'] = 'connecting'
  #aheadMs = 0
  #wish: ViewWish = FIRST_WISH
  #number = 0
  /** Number of the first wish of this view: frames of older ones are of another view. */
  #viewSince = 0
  #client: string | undefined
  readonly #changed: () => void

  /** `changed`: called before a frame is drawn, if anything came. */
  constructor(changed: () => void) {
    this.#changed = onNextFrame(changed)
  }

  get received(): StreamState {
    return { parts: this.#parts, state: this.#state, aheadMs: this.#aheadMs }
  }

  /** Connects, and goes on doing so. */
  open(): void {
    const source = new EventSource('/events')
    source.addEventListener('hello', (event) => {
      const { client } = JSON.parse(event.data as string) as { readonly client: string }
      this.#client = client
      this.#viewSince = this.#number + 1
      this.#become('open')
      this.#say()
    })
    source.addEventListener('frame', (event) => this.#take(JSON.parse(event.data as string) as Frame))
    source.addEventListener('over', () => {
      source.close()
      this.#become('over')
    })
    source.addEventListener('error', () => {
      this.#client = undefined
      source.close()
      if (this.#state === 'over') return
      this.#become('lost')
      laterOn(RETRY_MS, () => this.open())
    })
  }

  /** What is wanted from now on. */
  wants(wish: ViewWish): void {
    if (JSON.stringify(wish) === JSON.stringify(this.#wish)) return
    if (!isSameView(wish, this.#wish)) {
      this.#viewSince = this.#number + 1
      this.#keepHead(wish.crawl === this.#wish.crawl)
    }
    this.#wish = wish
    this.#say()
  }

  /** What is said of the whole crawl goes on being true in its other views. */
  #keepHead(isSameCrawl: boolean): void {
    const kept = isSameCrawl ? ['head', 'at', 'offers'] : []
    this.#parts = new Map([...this.#parts].filter(([name]) => kept.includes(name)))
    this.#changed()
  }

  #say(): void {
    this.#number++
    const client = this.#client
    if (client === undefined) return
    void post('/wish', { client, number: this.#number, wish: this.#wish }).catch(() => undefined)
  }

  #take({ wish, set, gone }: Frame): void {
    if (wish < this.#viewSince) return
    const parts = new Map(this.#parts)
    // What could not be read anew is shown as it was.
    for (const name of 'trouble' in set ? [] : gone) parts.delete(name)
    for (const [name, part] of Object.entries(set)) parts.set(name, part)
    this.#parts = parts
    const at = set['at']
    if (typeof at === 'number') this.#aheadMs = at - browserNow()
    this.#changed()
  }

  #become(state: StreamState['state']): void {
    this.#state = state
    this.#changed()
  }
}

/** Sends JSON to our own server. */
export function post(path: string, body: unknown): Promise<Response> {
  return fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}

// What a file has of a crawl, in place of a stream from one: the parts of each view, as they were when the file was written.

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
