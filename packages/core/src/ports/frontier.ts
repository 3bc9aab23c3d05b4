// Port: the durable side of a crawl. Known URLs, hosts' memory and items. Its contract suite in @avocet/testkit is its definition.
//
// A known request at rest is waiting or settled. "Leased" means: handed out by the live holder of the host's lease. It is in that holder's RAM only, fenced by
// the host's epoch: a crash changes nothing but what RAM held. `lease` and `refill` hand out requests without writing them (`lease` writes the host's epoch);
// `commit` settles or delays in one transaction.
import type { CrawlInfo, CrawlSpec } from './crawl-info.ts'
import type { Failure } from './failure.ts'
import type { FrontierReader, MemoryParts } from './frontier-reader.ts'
import type { NewReject, RejectStore } from './reject.ts'
import type { LeaseToken, StoreChange } from './change.ts'
import type { Sharing } from './sharing.ts'
import type { SinkStore } from './sink-record.ts'
import type { Leased, Missing, NewRequest, Validators } from './request.ts'
import type { HeldFate, WatchedValue, WatchedPage } from './watch.ts'

/**
 * A lease of one host with its memory and some of its due requests, best first: by priority; then first visits by id, before later ones by the
 * moment at which they were due. So no page starves at a host that has more due than can be requested in time.
 */
export interface HostLease extends LeaseToken {
  readonly memory: MemoryParts
  readonly requests: readonly Leased[]
  /** Requests of this host in the store that are waiting and were not handed out by this lease. */
  readonly waiting: number
  /** Earliest `notBefore` (epoch ms) among those of them that are delayed; absent when none is. */
  readonly nextDelayedAt?: number
  /** True when the last holder died holding it: what it booked last is not in `memory`, so pace from now. */
  readonly takenOver?: boolean
  /** Why it was retired: this is a probe. `refill` gives nothing until it is revived; given back, it is still retired. */
  readonly retired?: string
}

/** What became of a request. What is settled with `again` stays settled, and is handed out for its next visit when that is due. */
export type Outcome =
  /** Settled: a handler accepted the page, or the server said that it is as it was (`unchanged`, 304). */
  | {
      readonly kind: 'done'
      readonly fetched: Fetched
      readonly reason?: 'unchanged'
      readonly again?: Again
    }
  /** Settled: the server moved it; `target` is among the links of the unit unless it was refused. */
  | {
      readonly kind: 'moved'
      readonly target: string
      readonly fetched: Fetched
      readonly again?: Again
      /** It is believed to have moved for good. Known of the request until it is settled without, scheduled, or opened again. */
      readonly gone?: true
    }
  /** Settled: `reason` is a short kebab-case word (`http-404`, `first-byte-timeout`, `handler-threw`). */
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly failure?: Failure
      readonly fetched?: Fetched
      readonly again?: Again
      /** It is believed to be gone. Known of the request until it is settled without, scheduled, or opened again. */
      readonly gone?: true
    }
  /** Waiting again, not before `at` (epoch ms); a request that was settled before stays settled meanwhile, and is handed out at `at`. */
  | {
      readonly kind: 'retry'
      readonly at: number
      readonly counted: boolean
      readonly reason: string
      readonly fetched?: Fetched
    }

/** The next visit of a request that is settled for now. Its attempts begin at none. */
export interface Again extends Validators {
  /** Epoch ms at which it is due. */
  readonly at: number
  /** Rounds between this visit and that one that were not made, because this visit came so late. */
  readonly skipped: number
  /** Length of the round that it counts in, for reports: no store keeps it. */
  readonly everyMs?: number
  /** The page is on probation: it was missing, and is not yet believed to be gone. A visit that is settled without it ends the probation. */
  readonly missing?: Missing
}

/** The line of history that an attempt leaves: when the URL was last fetched, with what status, how long it took. */
export interface Fetched {
  /** Epoch ms at which the request was sent; where a plugin served the response, when the server had given it. */
  readonly at: number
  /** 0 when there was no response. */
  readonly status: number
  readonly durationMs: number
  readonly wireBytes: number
}

/** What is committed for one page: all of it, or nothing. */
export interface CommitUnit {
  readonly lease: LeaseToken
  /** Absent for units that carry memory only (an internal exchange such as robots.txt). */
  readonly requestId?: number | undefined
  readonly outcome?: Outcome | undefined
  readonly links: readonly NewRequest[]
  readonly items: readonly NewItem[]
  /** What a document of a plugin yielded beside links: exactly once by (request, visit, ordinal), and no items. Absent: nothing. */
  readonly records?: readonly NewItem[] | undefined
  /** What the schema refused. A place that has an item keeps it; an item takes that of a reject. */
  readonly rejects?: readonly NewReject[] | undefined
  /** What its page says of watched items beyond those that it shows. Absent: the spider watches none. */
  readonly watch?: WatchedPage | undefined
  /** Items of the page that are held: they become rejects of the source `held`. Then `items` is empty. */
  readonly held?: HeldItems | undefined
  /** What becomes first of what is held of the host: `publish` is for pages with the handler of this one, `drop` for all. Absent: nothing. */
  readonly settlesHeld?: HeldFate | undefined
  /** Parts of the host's memory that changed. */
  readonly memory?: MemoryParts | undefined
  /** Parts of this process's crawl memory that changed. */
  readonly crawlMemory?: MemoryParts | undefined
}

/** Items of a page that a plugin holds, for this reason. */
interface HeldItems {
  readonly items: readonly NewItem[]
  readonly reason: string
}

/** What a committed unit changed. `asked`: known requests that are due now because its links asked for a visit; absent where there are none. */
export interface CommitResult {
  /** `fenced`: another holder has the host, nothing of this unit was written. `rejected`: the unit itself was bad, `error` says why. */
  readonly status: 'committed' | 'fenced' | 'rejected'
  readonly error?: string
  /** Links that were new, host by host: what a holder of that host can refill. */
  readonly gained: readonly { readonly hostKey: string; readonly count: number; readonly topPriority: number }[]
  readonly added: number
  readonly known: number
  readonly asked?: number
  /** Held items that were published, and changes that were recorded. Absent: none. */
  readonly published?: number
  readonly changes?: number
}

/** What `lease` is to return. */
export interface LeaseWant {
  readonly now: number
  readonly hosts: number
  readonly requestsPerHost: number
  /** Of hosts on probation, at most so many. Default: no bound of their own. */
  readonly onProbation?: number
  /** Slots are idle for want of hosts: where none is due, and other processes hold some, a shared store tells those (`Sharing.share`). */
  readonly idle?: boolean
}

/** What is kept of a host that is given back. */
export interface Rest {
  /** Epoch ms of its next visit, at the earliest. */
  readonly readyAt: number
  /** Parts of its memory that changed. */
  readonly memory: MemoryParts
  /** Whether it failed lately. A host is on probation from its discovery until it is given back without this. */
  readonly onProbation?: boolean
}

/** A host that is given back. */
export interface GivenBack {
  readonly lease: LeaseToken
  readonly rest: Rest
}

/** What `lease` found. */
export interface LeaseResult {
  readonly leases: readonly HostLease[]
  /** Earliest epoch ms at which a free host that is not due now has something to do; absent when there is none. */
  readonly nextReadyAt?: number
  /** True when hosts on probation that are due were left because of the bound on them. */
  readonly leftOnProbation?: boolean
  /** Hosts with waiting requests that other live processes hold, probes among them. A store may stop counting at 100. */
  readonly heldElsewhere: number
  /** What other processes wrote of their crawl memory since this process last leased or opened, by process; each part whole. Absent: nothing. */
  readonly crawlMemories?: readonly MemoryParts[]
}

/**
 * The port. All times are epoch ms of the crawl's clock, which follows the store's where several processes share one (`sharing`).
 *
 * What the crawl relies on, and a store promises:
 *
 * - **Order.** The crawl makes calls without waiting for the ones before. Those that write (`add`, `lease`, `commit`, `release`, `retire`,
 *   `change`, `note`, `order`) take effect in the order in which they were made, or an older memory would overwrite a newer one. `renew`, `refill` and
 *   reads may run beside them.
 * - **Durability.** `add`, `commit`, `retire`, `change`, `note` and `order` are synced when they resolve, as far as the user's options of the store promise
 *   that; `SinkStore.keep` is synced in any case. `lease` and `release` need no sync where a power failure that loses them ends the process
 *   that holds the hosts as well; where the store is on another machine they do. `renew` needs none.
 * - **Errors** are AvocetErrors. `AVO_FRONTIER_FULL`, `_BUSY`, `_IO` and `_AWAY` mean "try again": the crawl makes the same call with the same arguments,
 *   after 1 s at first, and later calls wait behind it. With any other code, and once the crawl's patience is over (`patienceMs`), the crawl ends.
 * - **Repetition.** A call that failed may have been written all the same. To make the same call again must be harmless (see `commit`).
 * - **Closing.** The crawl opens the store and never closes it: whoever made it closes it, and may read it before.
 */
export interface Frontier {
  /** The read side of the same store. Usable from `open` on. */
  readonly reader: FrontierReader
  /** How far sinks are. Usable from `open` on. */
  readonly sinks: SinkStore
  /** Items that were rejected. Usable from `open` on. */
  readonly rejects: RejectStore
  /** What others that have the store open do. Absent where one process at a time uses it. */
  readonly sharing?: Sharing
  /**
   * Refuses only another `CANONICALISATION` (kept by a store that lasts), host keying or schema version; never an edited spider. If `now` is well before the
   * latest moment of any run (`now` of a lease or renewal, the end of a fetch), the clock was set back: waits move back by as much, but not before `now`. Not
   * while other processes have the store open, nor in a store that keeps the crawl's time itself (`Sharing.tenure`): there `CrawlInfo.aheadMs` says it.
   */
  open(spec: CrawlSpec, now: number): Promise<CrawlInfo>
  /** Offers requests. One whose fingerprint is known changes nothing, unless it says `again`. */
  add(requests: readonly NewRequest[]): Promise<{ readonly added: number; readonly known: number }>
  /**
   * Hosts due at `now` that nobody holds, at most `hosts`, each with up to `requestsPerHost` due requests. They are taken in turns: the host of the
   * best priority, of those the one due longest; then the host due longest, of any priority; and so on, over all leases of this frontier. So
   * what is urgent goes first and nothing waits for ever. Once `onProbation` hosts on probation are taken, the others go on in turns. A host's priority is that
   * of its best request that is not delayed; where all are delayed, that of the one due first. A store may look at the sixteen best priorities only.
   */
  lease(want: LeaseWant): Promise<LeaseResult>
  /**
   * Up to `n` more due requests of a held host that this lease has not handed out yet. Those with the ids `putBack` count as not handed out from
   * then on: they wait in the store like the others. Ids that this visit has not handed out are left alone.
   */
  refill(
    lease: LeaseToken,
    n: number,
    now: number,
    putBack?: readonly number[],
  ): Promise<{ readonly requests: readonly Leased[]; readonly nextDelayedAt?: number }>
  /**
   * Group commit in one transaction. Units are checked one by one: a bad one cannot abort the others. Results in their order. A group that failed is
   * repeated with the same array object, by which a store can recognise one that it has written already. A unit whose request is settled, or was put back,
   * under the same lease is a repetition: `committed`, and nothing changes.
   */
  commit(units: readonly CommitUnit[]): Promise<readonly CommitResult[]>
  /**
   * Says which requests are in progress, as the work on one begins or that on a suspected one ends: being parsed, or in a handler. Kept where the death of this
   * process cannot lose it. A page that is in progress in three runs that die, in the last of them alone, is quarantined, unless an outcome of it was
   * committed in between. It is handed out as `suspected` after two, so that it is alone. Synchronous, ≤ 10 µs. Where it is a promise, the store has to be
   * told, and the handler waits for it; what cannot be told is a suspicion less, so it never rejects.
   */
  inProgress(requestIds: readonly number[]): void | Promise<void>
  /** Says that this process still lives and holds these hosts. */
  renew(leases: readonly LeaseToken[], now: number): Promise<readonly { readonly held: boolean; readonly waiting: number }[]>
  /** Gives hosts back, in one transaction; requests handed out and not settled are simply waiting. One that is no longer held is left alone. */
  release(hosts: readonly GivenBack[]): Promise<void>
  /**
   * Gives a host up: its requests stay, marked. At `probeAt`, and not before its `readyAt`, it is leased as a probe; Infinity: never, unless
   * a change says so. Its holder finishes what is in flight. Retired again under a probe, it has the new reason and moment.
   * `by`: only while this lease holds the host; one that was asleep meanwhile decides nothing.
   */
  retire(hostKey: string, reason: string, probeAt: number, by?: LeaseToken): Promise<void>
  /** One transaction; returns how many requests it reopened or dropped, 0 of any other change. Other processes learn of it as of links. */
  change(change: StoreChange): Promise<number>
  /** Writes parts of this process's crawl memory outside of a unit. One transaction. */
  note(crawlMemory: MemoryParts): Promise<void>
  /**
   * Appends orders of operators, each at a moment of its own: at `now`, or at the first one after the last order of the store. Those at the moments `drop` are
   * removed, of which the last one of the store is none. One transaction, one after the other: who has read an order has read all before it.
   */
  order(jsons: readonly string[], when: { readonly now: number; readonly drop: readonly number[] }): Promise<void>
  /**
   * Removes some items that are `itemsMs` old, up to `upToSeq`: those whose page had items in a later visit, unless a sink set them aside. Their numbers and
   * places are not given again, and `Counts.items` stays. Looks at some 250 items behind `afterSeq`, in one transaction of ≤ 5 ms. It also notes now and
   * then which number items have reached by `now`: that is all that a store knows of their age. Returns up
   * to which number it has looked, and up to which items are old enough. Absent: the store keeps everything.
   */
  prune?(
    wish: Readonly<Record<'now' | 'itemsMs' | 'upToSeq' | 'afterSeq', number>>,
  ): Promise<Readonly<Record<'afterSeq' | 'oldSeq', number>>>
  /**
   * Removes some changes that were made before `before`, up to `upToSeq`, and are not the last of their item. Looks at some 250 behind `afterSeq`, in one
   * transaction of ≤ 5 ms. Their numbers are not given again. Returns up to which number it has looked: `afterSeq` where none of these is so old.
   */
  pruneChanges?(wish: Readonly<Record<'before' | 'upToSeq' | 'afterSeq', number>>): Promise<number>
  close(): Promise<void>
}

/** An item as it is stored: exactly once by (request, visit, ordinal). */
export interface NewItem {
  readonly json: string
  /** Present where it is watched. */
  readonly watched?: WatchedValue | undefined
  /** Its place among all items of the page. Default: its index here. */
  readonly ordinal?: number
}
