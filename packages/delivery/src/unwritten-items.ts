// The items that a sink has not written: read from the store a page at a time, filtered, and kept until they are written.
import type { Json } from '@avocet/core'
import type { Sink, SinkItem, SinkLimits } from '@avocet/core/sink'
import { messageOf, storedJson, type ItemRecord } from '@avocet/core/store'

/** Read at once: small enough that large items do not fill the memory. */
const ITEMS_A_READ = 256

/** Where items come from, and what becomes of one that the filter throws on. */
export interface UnwrittenParts {
  readonly filter: Sink['filter']
  readonly limits: SinkLimits
  read(afterSeq: number, limit: number): Promise<readonly ItemRecord[]>
  /** Keeps it with the reason, before anything behind it is written. */
  setAside(items: readonly CommittedItem[], reasonOf: (item: CommittedItem) => string): Promise<void>
  /** Left to be tried beside the others. */
  isSuspect(seq: number): boolean
}

/** Some of them, in order. */
export interface UnwrittenBatch {
  readonly items: readonly CommittedItem[]
  /** Once they are written, everything up to this number is. */
  readonly itemSeq: number
}

/** The next items of one sink. */
export class UnwrittenItems {
  readonly #parts: UnwrittenParts
  #items: CommittedItem[] = []
  #bytes = 0
  /** Everything up to this number was read. */
  #readUpTo = 0
  #isAtEnd = false

  constructor(parts: UnwrittenParts) {
    this.#parts = parts
  }

  /** Everything up to this number was looked at, and all of it that the sink wants is written or in here. */
  get readUpTo(): number {
    return this.#readUpTo
  }

  /** Whether that was all that there is, when it was last read. */
  get isAtEnd(): boolean {
    return this.#isAtEnd
  }

  get size(): number {
    return this.#items.length
  }

  /** Of their JSON text. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether an item with a lower number is in here. */
  hasBefore(seq: number): boolean {
    const [first] = this.#items
    return first !== undefined && first.seq < seq
  }

  /** Whether there are items behind the next `count`, as far as is known. */
  hasMoreThan(count: number): boolean {
    return this.#items.length > count || !this.#isAtEnd
  }

  /** Begins behind `itemSeq`, with nothing read. */
  reset(itemSeq: number): void {
    this.#items = []
    this.#bytes = 0
    this.#readUpTo = itemSeq
  }

  /** Reads one page, unless a batch is full. True: there may be more to read. */
  async read(): Promise<boolean> {
    const { limits, read } = this.#parts
    this.#isAtEnd = false
    if (this.#items.length > limits.maxItems || this.#bytes > limits.maxBytes) return false
    const records = await read(this.#readUpTo, ITEMS_A_READ)
    const last = records.at(-1)
    this.#isAtEnd = records.length < ITEMS_A_READ
    if (last !== undefined) await this.#take(records, last.seq)
    return !this.#isAtEnd
  }

  /** The first of them, at most `limit`, of at most `maxBytes` unless the first is larger; empty when there are none. */
  first(limit: number): UnwrittenBatch {
    const { maxItems, maxBytes } = this.#parts.limits
    let count = 0
    let bytes = 0
    for (const item of this.#items) {
      bytes += item.bytes
      if (count === Math.min(limit, maxItems) || (count > 0 && bytes > maxBytes)) break
      count++
    }
    const items = this.#items.slice(0, count)
    // While something is suspected, a mark that is at an item says that this item was written.
    const isAll = limit === Infinity && count === this.#items.length
    return { items, itemSeq: isAll ? this.#readUpTo : (items.at(-1)?.seq ?? 0) }
  }

  /** They are written, or set aside, or suspects. */
  without(gone: ReadonlySet<CommittedItem>): void {
    this.#items = this.#items.filter((item) => !gone.has(item))
    this.#bytes = this.#items.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Those that the sink wants. Those that its filter throws on are set aside. */
  async #filtered(items: readonly CommittedItem[]): Promise<readonly CommittedItem[]> {
    const { filter, setAside } = this.#parts
    const thrown = new Map<CommittedItem, unknown>()
    const wanted = items.filter((item) => {
      try {
        return filter === undefined || claimOf(filter(item))
      } catch (error) {
        thrown.set(item, error)
        return false
      }
    })
    if (thrown.size > 0)
      await setAside([...thrown.keys()], (item) => `the filter of the sink threw: ${messageOf(thrown.get(item))}`)
    return wanted
  }

  async #take(records: readonly ItemRecord[], lastSeq: number): Promise<void> {
    const unsuspected = records.filter(({ seq }) => !this.#parts.isSuspect(seq))
    const wanted = await this.#filtered(unsuspected.map((record) => new CommittedItem(record)))
    for (const item of wanted) this.#bytes += item.bytes
    this.#items.push(...wanted)
    this.#readUpTo = lastSeq
  }
}

/** What the filter gave; an answer that comes later is none. */
function claimOf(given: unknown): boolean {
  if (!(given instanceof Promise)) return Boolean(given)
  given.catch(() => {})
  throw new TypeError('expected true or false at once, got a promise; it must not be async')
}

// An item as a sink gets it: parsed at its first use, for most sinks write text.

/** A committed item, or a change. As JSON it is its key, URL and value. */
export class CommittedItem implements SinkItem {
  readonly record: ItemRecord
  readonly key: string
  /** Of its JSON text, as UTF-8. */
  readonly bytes: number
  #value: { readonly json: Json } | undefined

  constructor(record: ItemRecord) {
    this.record = record
    this.bytes = Buffer.byteLength(record.json)
    const { requestId, visit = 0, ordinal, seq } = record
    this.key = ordinal < 0 ? String(seq) : `${requestId}.${visit}.${ordinal}`
  }

  get seq(): number {
    return this.record.seq
  }

  get url(): string {
    return this.record.url
  }

  get json(): string {
    return this.record.json
  }

  get value(): Json {
    const value = (this.#value ??= { json: storedJson(this.json, 'an item') as Json })
    return value.json
  }

  toJSON(): Json {
    return { key: this.key, url: this.url, value: this.value }
  }
}
