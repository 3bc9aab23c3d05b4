// All open pages: gives each its turn, four times a second and only while there is one.
import type { ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import { messageOf, type Clock } from '@avocet/core/store'
import type { CrawlShelf } from '../crawl-source.ts'
import type { ViewWish } from '../view-wish.ts'
import { EventClient } from './event-client.ts'
import { reply } from './replies.ts'
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
