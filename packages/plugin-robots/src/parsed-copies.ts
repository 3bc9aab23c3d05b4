// The rules of live hosts, parsed once. A cache and no memory: what it holds can be read again from the blobs.
//
// It is capped by bytes, not by number: a robots.txt may hold 46,000 rules, all of which count (RFC 9309 §2.5), and there may be hundreds of hosts. What
// was used longest ago goes first. What would push out all others is not parsed at all: `isAllowedByKept` decides by its text.
import type { HostView } from '@avocet/core/plugin'
import { isAllowed } from './is-allowed.ts'
import { isAllowedByKept, readKept } from './kept-text.ts'
import type { Robots } from './parse.ts'
import { blobOf, type OriginCopy, type RobotsMemory } from './robots-memory.ts'

/** What all of them may take. A usual file takes some 5 KB, so this is for 10,000 hosts at once. */
const MAX_PARSED_BYTES = 64 * 2 ** 20
/** Characters of a kept text from which it is not parsed: some 3,000 rules. */
const LARGE_TEXT = 64 * 2 ** 10
/** What a rule takes beside its text, measured. */
const BYTES_A_RULE = 120
/** What a copy takes however small it is. */
const BYTES_A_COPY = 1_024

interface Parsed {
  readonly fetchedAt: number
  readonly robots: Robots
  readonly bytes: number
  readonly memory: WeakRef<RobotsMemory>
  readonly origin: string
}

/** Parsed copies, by the memory of their host and their origin. */
export class ParsedCopies {
  readonly #byMemory = new WeakMap<RobotsMemory, Map<string, Parsed>>()
  /** Used longest ago first. */
  readonly #all = new Set<Parsed>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number = MAX_PARSED_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** Estimated size of all that is kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether `agent` may request `url`, of whose origin `place` is what is known. */
  allows(
    host: HostView,
    memory: RobotsMemory,
    { place, agent, url }: { readonly place: OriginCopy; readonly agent: string; readonly url: string },
  ): boolean {
    const text = host.blob(blobOf(place.origin)) ?? ''
    if (text.length > LARGE_TEXT) return isAllowedByKept(text, url)
    return isAllowed(this.of(host, memory, place), agent, url)
  }

  /** The rules of `origin`, of which `copy` is what is known. */
  of(host: HostView, memory: RobotsMemory, { origin, copy }: OriginCopy): Robots {
    const known = this.#byMemory.get(memory)
    const cached = known?.get(origin)
    if (cached?.fetchedAt === copy.fetchedAt) {
      this.#all.delete(cached)
      this.#all.add(cached)
      return cached.robots
    }
    // Origins come and go; the memory holds few of them, and so does this.
    for (const [name, parsed] of known ?? []) {
      if (name === origin || !memory.copies.some((kept) => kept.origin === name)) this.#forget(parsed)
    }
    const text = host.blob(blobOf(origin)) ?? ''
    const robots = readKept(text)
    this.#keep({ fetchedAt: copy.fetchedAt, robots, bytes: bytesOf(text, robots), memory: new WeakRef(memory), origin }, memory)
    return robots
  }

  #keep(parsed: Parsed, memory: RobotsMemory): void {
    const known = this.#byMemory.get(memory) ?? new Map<string, Parsed>()
    this.#byMemory.set(memory, known.set(parsed.origin, parsed))
    this.#all.add(parsed)
    this.#bytes += parsed.bytes
    for (const oldest of this.#all) {
      if (this.#bytes <= this.#maxBytes || oldest === parsed) break
      this.#forget(oldest)
    }
  }

  #forget(parsed: Parsed): void {
    if (!this.#all.delete(parsed)) return
    this.#bytes -= parsed.bytes
    const memory = parsed.memory.deref()
    if (memory !== undefined) this.#byMemory.get(memory)?.delete(parsed.origin)
  }
}

function bytesOf(text: string, { groups }: Robots): number {
  const rules = groups.reduce((sum, group) => sum + group.rules.length, 0)
  return BYTES_A_COPY + text.length + rules * BYTES_A_RULE
}
