// Keeps HTTP/2 sessions, one to an origin while it has room for all streams, and remembers where HTTP/1.1 is better.
//
// node:http2 and not the client of undici: that one repeats requests by itself, where no plugin sees it, fixes the limits of a session (header fields, frames,
// memory) and is a layer more over the same module. Which version is spoken the server decides by ALPN, connection by connection.
//
// What is remembered is a preference with an end, in RAM: a minute of HTTP/1.1 after the first break, doubled by each one that follows without an answer in
// between; an hour where the server chose it. A process that starts anew loses one request of a host to it, which is repeated.
import type { Clock } from '@avocet/core/store'
import { mayBeSentTwice } from '../dispatch.ts'
import { Http2Session, type Http2Place, type SessionKeeper } from './http2-session.ts'
import { Http2Stream } from './http2-stream.ts'

const MINUTE_MS = 60_000
const CHOSEN_MS = 60 * MINUTE_MS
const MAX_BROKEN_MS = 24 * 60 * MINUTE_MS
/** Origins with a preference: some 2 MB. */
const MAX_PREFERENCES = 10_000

interface Preference {
  readonly version: 1 | 2
  readonly until: number
  readonly breaks: number
}

/** How sessions are made. */
export interface Http2Options {
  readonly clock: Clock
  readonly maxIdle: number
  readonly keepAliveMs: number
}

/** All sessions of a fetcher. */
export class Http2Sessions implements SessionKeeper {
  readonly clock: Clock
  readonly #options: Http2Options
  readonly #all = new Set<Http2Session>()
  readonly #byKey = new Map<string, Http2Session[]>()
  /** In the order in which they became idle, with what ends them. */
  readonly #idle = new Map<Http2Session, Disposable>()
  readonly #preferences = new Map<string, Preference>()
  /** Of those that end a connection after so many streams: more would be refused. */
  readonly #spans = new Map<string, number>()

  constructor(options: Http2Options) {
    this.#options = options
    this.clock = options.clock
  }

  get counts(): { readonly open: number; readonly busy: number } {
    return { open: this.#all.size, busy: this.#all.size - this.#idle.size }
  }

  /** A stream to wait on; undefined where HTTP/1.1 is to be spoken. What may not be repeated gets a connection that cannot have ended. */
  stream(place: Http2Place, method: string): Http2Stream | undefined {
    if (this.#preferenceOf(place.key)?.version === 1) return undefined
    const known = mayBeSentTwice(method) ? this.#byKey.get(place.key)?.find(({ hasRoom }) => hasRoom) : undefined
    return new Http2Stream(known ?? this.#start(place))
  }

  retireIdle(key?: string): void {
    for (const session of this.#idle.keys()) if (key === undefined || session.key === key) session.leave()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((session) => new Promise<void>((resolve) => session.destroy(resolve))))
  }

  chose(key: string, version: 1 | 2): void {
    this.#prefer(key, { version, until: this.#now + CHOSEN_MS, breaks: 0 })
  }

  broke(key: string): boolean {
    const known = this.#preferences.get(key)
    // Streams of one session break together.
    if (known !== undefined && known.until > this.#now) return known.version === 1
    const breaks = (known?.breaks ?? 0) + 1
    const ms = Math.min(MINUTE_MS * 2 ** (breaks - 1), MAX_BROKEN_MS)
    this.#prefer(key, { version: 1, until: this.#now + ms, breaks })
    return true
  }

  works(key: string): void {
    if (this.#preferences.size > 0 && this.#preferenceOf(key) === undefined) this.#preferences.delete(key)
  }

  spanOf(key: string): number {
    return this.#spans.get(key) ?? Infinity
  }

  spans(key: string, streams: number): void {
    this.#spans.delete(key)
    if (streams < Infinity && this.#spans.size < MAX_PREFERENCES) this.#spans.set(key, streams)
  }

  turned(session: Http2Session): void {
    this.#wake(session)
    if (session.isBusy) return
    const end = this.clock.at(this.clock.now() + this.#options.keepAliveMs, () => session.leave())
    this.#idle.set(session, end)
    if (this.#idle.size <= this.#options.maxIdle) return
    for (const longestIdle of this.#idle.keys()) return longestIdle.leave()
  }

  left(session: Http2Session, closed: boolean): void {
    this.#wake(session)
    const siblings = this.#byKey.get(session.key)?.filter((other) => other !== session) ?? []
    if (siblings.length === 0) this.#byKey.delete(session.key)
    else this.#byKey.set(session.key, siblings)
    if (closed) this.#all.delete(session)
  }

  #start(place: Http2Place): Http2Session {
    const session = new Http2Session(place, this)
    this.#all.add(session)
    this.#byKey.set(place.key, [...(this.#byKey.get(place.key) ?? []), session])
    return session
  }

  #wake(session: Http2Session): void {
    this.#idle.get(session)?.[Symbol.dispose]()
    this.#idle.delete(session)
  }

  #preferenceOf(key: string): Preference | undefined {
    const known = this.#preferences.get(key)
    return known !== undefined && known.until > this.#now ? known : undefined
  }

  #prefer(key: string, preference: Preference): void {
    this.#preferences.delete(key)
    this.#preferences.set(key, preference)
    if (this.#preferences.size <= MAX_PREFERENCES) return
    for (const oldest of this.#preferences.keys()) return void this.#preferences.delete(oldest)
  }

  get #now(): number {
    return this.#options.clock.monotonic()
  }
}
