// The hosts of a store in RAM, without their memory: so that 100,000 of them are searched, sorted and filtered without reading all of them each time.
//
// Read in pages, round and round, within a budget of time each turn, so that a crawl in this process is not held up: a large store is complete after some
// seconds, and a host that changed is seen when its page comes again. An order is kept until something changed, and for fifty times as long as it took to
// make, so that sorting costs 2 % at most.
import type { HostLine, HostsWish } from '@avocet/dashboard'
import type { Clock, FrontierReader, HostRecord } from '@avocet/core/store'
import type { CrawlAtRest } from '@avocet/at-rest'
import { HEALTH } from '@avocet/plugin-health/findings'
import { crawlAtRest } from './at-rest.ts'
import { HOST_CONDITIONS } from '../text/left-undone.ts'

/** A host, as far as the table sorts by it. */
export type IndexedHost = Pick<HostLine, 'hostKey' | 'state' | 'why' | 'waiting' | 'done' | 'failed' | 'retried'>

/** The hosts of a store by what they are like. */
export interface JudgedHosts {
  /** How many are what: they add up to the hosts. */
  readonly conditions: Readonly<Record<HostLine['state'], number>>
  /** A few of those in trouble, the gravest first. */
  readonly inTrouble: readonly IndexedHost[]
}

/** More are not remembered: 200 bytes each. */
const MAX_HOSTS = 500_000
const PAGE = 500
/** Hosts in trouble that are named where the crawl as a whole is shown. */
const MAX_NAMED = 10
/** The others need nobody. */
const TROUBLES = HOST_CONDITIONS.slice(0, HOST_CONDITIONS.indexOf('paused'))
/** A store that was read to its end is read again after this time. */
const AGAIN_MS = 2_000
const SORT_SHARE = 50

type Judge = CrawlAtRest['judge']

/** How it reads. */
export interface IndexParts {
  readonly reader: Pick<FrontierReader, 'hosts'>
  /** What judges hosts, by the orders of now. */
  readonly judging: () => Promise<Judge>
  readonly clock: Clock
  /** For how long it may read in one turn, ms. */
  readonly budgetMs: number
}

/** The index of a store; who loops over it gives way after so many ms. */
export function hostIndexOf(reader: FrontierReader, clock: Clock, budgetMs = 2): HostIndex {
  return new HostIndex({ reader, clock, budgetMs, judging: async () => (await crawlAtRest(reader)).judge })
}

/** The index of one store. */
export class HostIndex {
  readonly #parts: IndexParts
  #hosts = new Map<string, IndexedHost>()
  #seen = new Set<string>()
  #after = ''
  #readAt = -Infinity
  #version = 0
  #isReading = false
  #judged: JudgedHosts | undefined
  #judge: Judge | undefined
  #order:
    | { readonly wish: string; readonly version: number; readonly until: number; readonly hosts: readonly IndexedHost[] }
    | undefined

  constructor(parts: IndexParts) {
    this.#parts = parts
  }

  /** What is known of one. */
  get(hostKey: string): IndexedHost | undefined {
    return this.#hosts.get(hostKey)
  }

  /** As of when the store was read to its end last; undefined before that. */
  get judged(): JudgedHosts | undefined {
    return this.#judged
  }

  /** Hosts that are known so far. */
  get size(): number {
    return this.#hosts.size
  }

  /** Whether the store was read to its end once. */
  get isComplete(): boolean {
    return this.#judged !== undefined
  }

  /** Reads on, for one turn. */
  async read(): Promise<void> {
    const { clock, budgetMs } = this.#parts
    if (this.#isReading || (this.#after === '' && clock.now() - this.#readAt < AGAIN_MS)) return
    this.#isReading = true
    try {
      const from = clock.monotonic()
      do if (await this.#readPage()) break
      while (clock.monotonic() - from < budgetMs)
    } finally {
      this.#isReading = false
    }
  }

  /** All that are wished for, in order. */
  wanted(wish: Pick<HostsWish, 'search' | 'sort' | 'state'>): readonly IndexedHost[] {
    const { clock } = this.#parts
    const [name, now] = [JSON.stringify([wish.search, wish.sort, wish.state]), clock.now()]
    const last = this.#order
    if (last?.wish === name && (now < last.until || last.version === this.#version)) return last.hosts
    const from = clock.monotonic()
    const hosts = this.#sorted(wish)
    const tookMs = clock.monotonic() - from
    this.#order = { wish: name, version: this.#version, until: now + Math.max(MIN_ORDER_MS, tookMs * SORT_SHARE), hosts }
    return hosts
  }

  /** Returns whether that was the last. */
  async #readPage(): Promise<boolean> {
    const { reader, clock, judging } = this.#parts
    const now = clock.now()
    const judge = (this.#judge = (this.#after === '' ? undefined : this.#judge) ?? (await judging()))
    const page = await reader.hosts({
      limit: PAGE,
      parts: ['core', 'journal', HEALTH],
      ...(this.#after !== '' && { afterHostKey: this.#after }),
    })
    for (const record of page) this.#take(indexed(record, judge(record, now)))
    const isLast = page.length < PAGE || this.#seen.size >= MAX_HOSTS
    this.#after = isLast ? '' : (page.at(-1)?.hostKey ?? '')
    if (isLast) this.#finish(now)
    return isLast
  }

  #take(host: IndexedHost): void {
    this.#seen.add(host.hostKey)
    const before = this.#hosts.get(host.hostKey)
    if (before !== undefined && isAlike(before, host)) return
    this.#hosts.set(host.hostKey, host)
    this.#version++
  }

  /** What did not come again is not there any more. */
  #finish(now: number): void {
    if (this.#seen.size < this.#hosts.size)
      for (const hostKey of this.#hosts.keys()) if (!this.#seen.has(hostKey)) this.#hosts.delete(hostKey)
    this.#seen = new Set()
    const by = Map.groupBy(this.#hosts.values(), ({ state }) => state)
    const conditions = Object.fromEntries(HOST_CONDITIONS.map((state) => [state, by.get(state)?.length ?? 0]))
    this.#judged = {
      conditions: conditions as JudgedHosts['conditions'],
      inTrouble: TROUBLES.flatMap((state) => by.get(state) ?? []).slice(0, MAX_NAMED),
    }
    this.#readAt = now
  }

  #sorted({ search, sort, state }: Pick<HostsWish, 'search' | 'sort' | 'state'>): readonly IndexedHost[] {
    const isWanted = (host: IndexedHost): boolean =>
      (state === 'all' || host.state === state) && (search === '' || host.hostKey.includes(search))
    return [...this.#hosts.values()].filter(isWanted).sort(ORDERS[sort])
  }
}

/** Rows that change places more often cannot be read. */
const MIN_ORDER_MS = 2_000

/** A host as its store has it. */
export function indexed(record: HostRecord, { condition: state, why }: ReturnType<Judge>): IndexedHost {
  const { hostKey, waiting, done, failed, retried } = record
  return { hostKey, waiting, done, failed, retried, state, why }
}

function isAlike(a: IndexedHost, b: IndexedHost): boolean {
  return (
    a.why === b.why &&
    a.state === b.state &&
    a.waiting === b.waiting &&
    a.done === b.done &&
    a.failed === b.failed &&
    a.retried === b.retried
  )
}

type Order = (a: IndexedHost, b: IndexedHost) => number

const byKey: Order = (a, b) => (a.hostKey < b.hostKey ? -1 : a.hostKey > b.hostKey ? 1 : 0)

const rank = ({ state }: IndexedHost): number => HOST_CONDITIONS.indexOf(state)

const ORDERS: Readonly<Record<HostsWish['sort'], Order>> = {
  trouble: (a, b) => rank(a) - rank(b) || b.failed - a.failed || b.waiting - a.waiting || byKey(a, b),
  name: byKey,
  waiting: (a, b) => b.waiting - a.waiting || byKey(a, b),
  done: (a, b) => b.done - a.done || byKey(a, b),
  failed: (a, b) => b.failed - a.failed || byKey(a, b),
  retried: (a, b) => b.retried - a.retried || byKey(a, b),
}
