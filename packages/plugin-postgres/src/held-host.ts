// What this process holds of one host: which of its requests are handed out, and its memory. In RAM only; a crash forgets it, and everything that was handed
// out is simply waiting. The memory is here because small parts are written together: to write one, the others must be known.
import type { Leased, MemoryParts } from '@avocet/core/store'
import { storedWord } from './names/word-ids.ts'
import { packed, SMALL_PART_CHARS } from './schema/packed-memory.ts'

/** A request that is handed out. */
export interface HandedOut {
  readonly rank: number
  readonly fingerprint: Leased['fingerprint']
  /** Never tried, and no dead run to its name: if it is done, that is one row and no questions. */
  readonly isPlain: boolean
}

/** A row of `host_memory` to be written. */
export interface MemoryRow {
  readonly host: number
  readonly part: string
  readonly json: string
}

/** A host that this process has leased. */
export class LeasedHost {
  readonly id: number
  readonly key: string
  readonly origin: string
  readonly epoch: number
  /** Its last holder died holding it. */
  readonly isTakenOver: boolean
  /** Outcome not committed yet, by id. */
  readonly out: Map<number, HandedOut> = new Map()
  /** Put back during this lease: a repeated commit of theirs is harmless. */
  readonly returned: Set<number> = new Set()
  readonly #small: Record<string, string> = {}
  readonly #big: Record<string, string> = {}

  constructor(
    { id, key, origin, epoch, isTakenOver }: Pick<LeasedHost, 'id' | 'key' | 'origin' | 'epoch' | 'isTakenOver'>,
    memory: MemoryParts,
  ) {
    this.isTakenOver = isTakenOver
    this.id = id
    this.key = key
    this.origin = origin
    this.epoch = epoch
    this.remember(memory)
  }

  get memory(): MemoryParts {
    return { ...this.#small, ...this.#big }
  }

  /** Rows with these parts, as they are to be written. Nothing changes here until `remember`, once they are. */
  rowsWith(parts: MemoryParts): MemoryRow[] {
    const small = { ...this.#small }
    const rows: MemoryRow[] = []
    let isSmallChanged = false
    for (const [part, json] of Object.entries(parts)) {
      if (this.#isBig(part, json)) {
        rows.push({ host: this.id, part: storedWord(part), json: packed({ [part]: json }) })
        isSmallChanged ||= part in small
        delete small[part]
      } else {
        small[part] = json
        isSmallChanged = true
      }
    }
    if (isSmallChanged) rows.push({ host: this.id, part: '', json: packed(small) })
    return rows
  }

  remember(parts: MemoryParts): void {
    for (const [part, json] of Object.entries(parts)) {
      if (this.#isBig(part, json)) {
        delete this.#small[part]
        this.#big[part] = json
      } else this.#small[part] = json
    }
  }

  /** One that was large once keeps its row. */
  #isBig(part: string, json: string): boolean {
    return part !== '' && (part in this.#big || json.length > SMALL_PART_CHARS)
  }
}

// Ids and origins of hosts by key, as far as they are at hand: links go to few hosts, again and again. Neither ever changes in a
// store.

/** How many are kept. */
const MAX_KEPT = 16_384

/** A host of the store. */
export interface NamedHost {
  readonly id: number
  /** Of the first URL that was met: other URLs of this host are stored whole. */
  readonly origin: string
}

/** Hosts that this process has met. */
export class HostNames {
  readonly #hosts = new Map<string, NamedHost>()

  get(key: string): NamedHost | undefined {
    return this.#hosts.get(key)
  }

  set(key: string, host: NamedHost): void {
    if (this.#hosts.size >= MAX_KEPT) this.#hosts.clear()
    this.#hosts.set(key, host)
  }

  clear(): void {
    this.#hosts.clear()
  }
}
