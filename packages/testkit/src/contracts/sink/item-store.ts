// A store with items to deliver, and deliveries from it on virtual time.
import type { Sink } from '@avocet/core/sink'
import type { Frontier, ItemRecord, SinkReject } from '@avocet/core/store'
import { Delivery, type SinkRejects } from '@avocet/delivery'
import type { VirtualClock } from '@avocet/simulator'
import { memoryFrontier } from '@avocet/store-memory'
import { leaseOne, newRequest, SPEC, unitOf } from '../frontier/story.ts'
import type { Death } from './failing-sinks.ts'

/** Items of a crawl of the contract: `n` counts them from 1. */
export interface ContractItem {
  readonly n: number
  readonly name: string
}

/** A store, with as many items as it is told. */
export class ItemStore {
  readonly frontier: Frontier
  readonly rejected: SinkReject[] = []
  readonly problems: string[] = []
  failed: unknown
  readonly #deliveries: Delivery[] = []
  #pages = 0
  #items = 0

  private constructor(frontier: Frontier) {
    this.frontier = frontier
  }

  static async with(items: number, frontier: Frontier = memoryFrontier()): Promise<ItemStore> {
    await frontier.open(SPEC, 0)
    const store = new ItemStore(frontier)
    await store.commit(items)
    return store
  }

  /** A page with so many items is committed, and deliveries hear of it. */
  async commit(count: number): Promise<void> {
    if (count === 0) return
    await this.frontier.add([newRequest(`shop.test/page-${++this.#pages}`)])
    const lease = await leaseOne(this.frontier)
    const items = Array.from({ length: count }, () => {
      const item: ContractItem = { n: ++this.#items, name: `thing ${this.#items}` }
      return { json: JSON.stringify(item) }
    })
    await this.frontier.commit([unitOf(lease, lease.requests[0], { items })])
    await this.frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    for (const delivery of this.#deliveries) delivery.committed(count, 30 * count)
  }

  /** A delivery to `sink`, as a process that may die has it. */
  delivery(sink: Sink, clock: VirtualClock, death?: Death): Delivery {
    const { frontier } = this
    const alive = <Answer>(call: () => Promise<Answer>): Promise<Answer> =>
      death?.isDead === true ? new Promise<never>(() => {}) : call()
    const delivery = new Delivery({
      sink,
      store: {
        reader: frontier.reader,
        sinks: {
          get: (name) => alive(() => frontier.sinks.get(name)),
          claim: (name) => alive(() => frontier.sinks.claim(name)),
          free: (name) => alive(() => frontier.sinks.free(name)),
          keep: async (record) => {
            await death?.at('mark')
            const kept = await alive(() => frontier.sinks.keep(record))
            await death?.at('marked')
            return kept
          },
        },
      },
      rejects: this.#rejects(alive),
      clock,
      crawl: { name: 'contract', id: 'c0ffee' },
      isShared: frontier.sharing !== undefined,
      make: (_name, call) => alive(call),
      hold: () => ({ [Symbol.dispose]() {} }),
      room: async () => undefined,
      chance: () => 0.5,
      problem: (message) => void this.problems.push(message),
      notice: () => {},
      hidden: (message) => message,
      fail: (error) => {
        this.failed = error
      },
    })
    this.#deliveries.push(delivery)
    return delivery
  }

  #rejects(alive: <Answer>(call: () => Promise<Answer>) => Promise<Answer>): SinkRejects {
    return {
      setAside: (items) =>
        alive(async () => {
          const known = new Set(this.rejected.map(keyOf))
          const added = items.filter((item) => !known.has(keyOf(item)))
          this.rejected.push(...added)
          return added.length
        }),
      forget: (ids) => alive(() => this.#forget(ids)),
      behind: (itemSeq) =>
        alive(async () => {
          const known = new Set(this.rejected.map(keyOf))
          const seqs = (await this.#all()).filter((item) => item.seq > itemSeq && known.has(keyOf(item))).map(({ seq }) => seq)
          return new Map(seqs.map((seq) => [seq, seq]))
        }),
      count: () => alive(async () => this.rejected.length),
    }
  }

  async #forget(ids: readonly number[]): Promise<number> {
    if (ids.length === 0) return 0
    const gone = new Set((await this.#all()).filter(({ seq }) => ids.includes(seq)).map(keyOf))
    this.rejected.splice(0, Infinity, ...this.rejected.filter((item) => !gone.has(keyOf(item))))
    return gone.size
  }

  #all(): ReturnType<Frontier['reader']['items']> {
    return this.frontier.reader.items({ afterSeq: 0, limit: this.#items })
  }
}

function keyOf({ requestId, visit = 0, ordinal }: Pick<ItemRecord, 'requestId' | 'visit' | 'ordinal'>): string {
  return `${requestId}.${visit}.${ordinal}`
}
