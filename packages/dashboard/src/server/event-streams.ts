// All open pages: gives each its turn, four times a second and only while there is one.
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { messageOf, type Clock } from '@avocet/core/store'
import type { CrawlShelf } from '../crawl-source.ts'
import { FIRST_WISH, isSameView, type ViewWish } from '../view-wish.ts'
import { beginStream, reply } from './replies.ts'
import { viewParts, type ViewParts } from './view-parts.ts'

/** 4 Hz: smooth to the eye. */
const TURN_MS = 250

/** Pages that are open at once. Each costs the crawl what its view costs. */
const MAX_CLIENTS = 8

/** What is shown, and by whose time. */
interface Shown {
  readonly shelf: CrawlShelf
  readonly clock: Clock
}

/** The streams of one server. */
export class EventStreams {
  readonly #shown: Shown
  readonly #clients = new Map<string, EventClient>()
  #timer: Disposable | undefined
  #isClosed = false

  constructor(shown: Shown) {
    this.#shown = shown
  }

  /** Begins one; 503 where there are too many. */
  open(answer: ServerResponse): void {
    if (this.#isClosed || this.#clients.size >= MAX_CLIENTS)
      return reply(answer, 503, { content: `at most ${MAX_CLIENTS} pages at once`, headers: { 'retry-after': '10' } })
    const client = new EventClient(randomUUID(), answer)
    this.#clients.set(client.id, client)
    answer.on('close', () => this.#clients.delete(client.id))
    answer.on('error', () => this.#clients.delete(client.id))
    this.#plan()
  }

  /** A page says what it wants to see. Returns false where there is no such page. */
  wishes(id: unknown, wish: ViewWish, number: unknown): boolean {
    const client = typeof id === 'string' ? this.#clients.get(id) : undefined
    client?.wishes(wish, typeof number === 'number' ? number : 0)
    // At once: who clicks does not want to wait for the next turn.
    if (client !== undefined) void this.#turnOf(client)
    return client !== undefined
  }

  /** Gives each its turn. */
  turn(): void {
    for (const client of this.#clients.values()) void this.#turnOf(client)
  }

  /** Ends all of them. */
  close(): void {
    this.#isClosed = true
    this.#timer?.[Symbol.dispose]()
    for (const client of this.#clients.values()) client.end()
  }

  #plan(): void {
    if (this.#timer !== undefined || this.#clients.size === 0 || this.#isClosed) return
    const { clock } = this.#shown
    this.#timer = clock.at(clock.now() + TURN_MS, () => {
      this.#timer = undefined
      this.turn()
      this.#plan()
    })
  }

  async #turnOf(client: EventClient): Promise<void> {
    await client.turn(this.#shown.clock.now(), (wish) => this.#look(wish))
  }

  /** A view that cannot be shown must cost neither the crawl nor the other views. */
  async #look(wish: ViewWish): Promise<ViewParts> {
    try {
      return await viewParts(this.#shown.shelf, wish)
    } catch (error) {
      return { trouble: messageOf(error) }
    }
  }
}

// One open page: sends it what changed since it was last sent something, at its own pace.
//
// Nothing is queued for a slow reader. While the socket's buffer is full its turns are skipped, and the next frame is worked out against what was last sent, so
// that it has everything that changed meanwhile: one frame at most is in the buffer, whatever happens.

/** A reader that takes nothing for so long has gone. */
const MAX_BLOCKED_MS = 60_000

/** Proxies close what says nothing; a comment costs two bytes. */
const QUIET_MS = 15_000

/** A reader of events. */
export class EventClient {
  readonly id: string
  readonly #answer: ServerResponse
  /** JSON by name of part, as it was sent. */
  #sent = new Map<string, string>()
  #wish: ViewWish = FIRST_WISH
  /** Counts wishes, so that the page can tell a frame that is of an old one. */
  #wishNumber = 0
  #isBusy = false
  #blockedSince: number | undefined
  #saidAt = 0
  #skipped = 0

  constructor(id: string, answer: ServerResponse) {
    this.id = id
    this.#answer = answer
    beginStream(answer)
    answer.on('drain', () => (this.#blockedSince = undefined))
    this.#say('hello', { client: id })
  }

  /** Turns that were skipped because the reader was slow. */
  get skipped(): number {
    return this.#skipped
  }

  /** What it wants to see from now on; `number` comes back with what is sent for it. */
  wishes(wish: ViewWish, number: number): void {
    // Two requests may overtake each other on their way.
    if (number < this.#wishNumber) return
    if (!isSameView(wish, this.#wish)) this.#sent.clear()
    this.#wish = wish
    this.#wishNumber = number
  }

  /** Sends what changed. Returns once it was worked out. `now`: epoch ms. */
  async turn(now: number, look: (wish: ViewWish) => Promise<ViewParts>): Promise<void> {
    if (this.#blockedSince !== undefined) {
      this.#skipped++
      if (now - this.#blockedSince > MAX_BLOCKED_MS) this.#answer.destroy()
    }
    if (this.#isBusy || this.#blockedSince !== undefined || this.#answer.destroyed) return
    this.#isBusy = true
    const number = this.#wishNumber
    try {
      const parts = await look(this.#wish)
      if (number === this.#wishNumber && !this.#answer.writableEnded) this.#send(now, parts)
    } finally {
      this.#isBusy = false
    }
  }

  /** Says that the crawl has ended, and closes. */
  end(): void {
    if (this.#answer.writableEnded) return
    this.#say('over', {})
    this.#answer.end()
  }

  #send(now: number, parts: ViewParts): void {
    const set: Record<string, unknown> = {}
    const sent = new Map<string, string>()
    for (const [name, part] of Object.entries(parts)) {
      const json = JSON.stringify(part) ?? 'null'
      sent.set(name, json)
      if (this.#sent.get(name) !== json) set[name] = part
    }
    const gone = [...this.#sent.keys()].filter((name) => !sent.has(name))
    this.#sent = sent
    const isNews = gone.length > 0 || Object.keys(set).some((name) => name !== 'at')
    if (!isNews && now - this.#saidAt < QUIET_MS) return
    this.#saidAt = now
    if (!this.#say('frame', { wish: this.#wishNumber, set, gone })) this.#blockedSince = now
  }

  /** JSON has no line ends, so that an event is one line. Returns whether the reader takes more. */
  #say(event: string, data: object): boolean {
    return this.#answer.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }
}
