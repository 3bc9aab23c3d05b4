// The rules of live hosts, parsed once. A cache and no memory: what it holds can be read again from the blobs, and goes when its host goes.
import type { HostView } from '@avocet/core'
import { readKept } from './kept-text.ts'
import type { Robots } from './parse.ts'
import { blobOf, type OriginCopy, type RobotsMemory } from './robots-memory.ts'

interface Parsed {
  readonly fetchedAt: number
  readonly robots: Robots
}

/** Parsed copies, by the memory of their host and their origin. */
export class ParsedCopies {
  readonly #byMemory = new WeakMap<RobotsMemory, Map<string, Parsed>>()

  /** The rules of `origin`, of which `copy` is what is known. */
  of(host: HostView, memory: RobotsMemory, { origin, copy }: OriginCopy): Robots {
    const known = this.#byMemory.get(memory) ?? new Map<string, Parsed>()
    const cached = known.get(origin)
    if (cached?.fetchedAt === copy.fetchedAt) return cached.robots
    // Origins come and go; the memory holds few of them, and so does this.
    for (const name of known.keys()) if (!memory.copies.some((kept) => kept.origin === name)) known.delete(name)
    const robots = readKept(host.blob(blobOf(origin)) ?? '')
    this.#byMemory.set(memory, known.set(origin, { fetchedAt: copy.fetchedAt, robots }))
    return robots
  }
}
