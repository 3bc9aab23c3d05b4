// Delivers committed items to one sink, at the pace of that sink, beside the crawl.
//
// A loop that reads, writes, marks and rests. The crawl only tells it, without waiting, that items were committed. A batch is marked in the store after it was
// written, so a crash between the two repeats it. What fails is tried again after 1 s doubling to 60 s, with the sink opened anew; which item of a batch is
// to blame, if one is, `Suspicion` finds out. An item is set aside, or kept as a suspect, in the store before anything behind it is written, so a crash at
// any step loses none. One process runs the sink of a store; the others look whether it is free, and it sees to what they leave (left-to-us.ts).
import { AvocetError } from '@avocet/core'
import { SinkDown, SinkElsewhere, type SinkLimits, type SinkMark, type Written } from '@avocet/core/sink'
import { messageOf, withoutUserinfo } from '@avocet/core/store'
import type { SinkStatus } from '@avocet/core/tools'
import { Backlog, type Batch } from './backlog.ts'
import { DEFAULT_SINK_LIMITS, type DeliveryEnd, type DeliveryParts } from './delivery-parts.ts'
import { deliveryStatus } from './delivery-status.ts'
import { isLeftToUs, othersGoOn } from './left-to-us.ts'
import { checkedAnswer, checkedMark, handOver, OpenSink } from './open-sink.ts'
import { SinkClaim, type ElsewhereRest } from './sink-claim.ts'
import { SinkLedger } from './sink-ledger.ts'
import { AT_ONCE, Backoff, SinkRest, UNTIL_ITEMS, type RestLength } from './sink-rest.ts'

/** What nothing depends on is written this often. */
const NOTE_MS = 10_000
/** A sink that goes back again and again gets nowhere. */
const MAX_REWINDS = 3

/** The deliveries to one sink in one run. */
export class Delivery {
  /** It delivers changes, not items. */
  readonly isOfChanges: boolean
  readonly #parts: DeliveryParts
  readonly #limits: SinkLimits
  readonly #ledger: SinkLedger
  readonly #claim: SinkClaim
  readonly #backlog: Backlog
  readonly #rest: SinkRest
  readonly #backoff: Backoff
  #session: OpenSink | undefined
  #closing: Promise<void> = Promise.resolve()
  #rewinds = 0
  /** Up to this number the sink has got items since it was opened. */
  #handedUpTo = 0
  #notedAt = -Infinity
  #ending: DeliveryEnd | undefined
  #isOver = false
  #isLetGo = false
  #running: Promise<void> | undefined

  constructor(parts: DeliveryParts) {
    const { sink, clock, chance } = parts
    const { name, changes = false } = sink
    this.#parts = parts
    this.isOfChanges = changes
    this.#limits = { ...DEFAULT_SINK_LIMITS, ...sink.limits }
    this.#ledger = new SinkLedger({ ...parts, store: parts.store.sinks, name, changes })
    this.#claim = new SinkClaim({ ...parts, store: parts.store.sinks, name })
    this.#backlog = new Backlog(parts, this.#limits, this.#ledger)
    this.#rest = new SinkRest(clock, this.#limits)
    this.#backoff = new Backoff((salt) => chance(`${name}\n${salt}`))
  }

  /** How far the sink is, and what troubles it. */
  get status(): SinkStatus {
    return deliveryStatus({ ledger: this.#ledger, backlog: this.#backlog, session: this.#session, claim: this.#claim })
  }

  /** Opens the sink, unless another process runs it. Throws what its `open` throws, unless the sink worked in an earlier run. */
  async open(): Promise<void> {
    try {
      if (await this.#claimed()) await this.#open()
    } catch (error) {
      if (this.#claim.canWait(error)) return void this.#wait(error)
      // Like one that fails during a run. What has a code, or is open elsewhere, only a person can mend.
      const mayPass = !(error instanceof AvocetError) && !(error instanceof SinkElsewhere)
      if (mayPass && this.#ledger.record.mark !== undefined) return void (await this.#failed(error))
      await this.close()
      throw error instanceof SinkElsewhere ? (error.cause ?? error) : error
    }
  }

  /** Begins to deliver. */
  begin(): void {
    this.#running ??= this.#run().catch((error: unknown) => {
      this.#isOver = true
      this.#parts.fail(error)
    })
  }

  /** So many items of so many bytes were committed. */
  committed(items: number, bytes: number): void {
    this.#backlog.committed(items)
    this.#rest.committed(items, bytes)
  }

  /** Delivers what is there, and ends the deliveries. */
  async finish(end: DeliveryEnd): Promise<void> {
    const around = { parts: this.#parts, claim: this.#claim, end, isLetGo: () => this.#isLetGo }
    const late = end.isOrdered === true ? await othersGoOn(around) : undefined
    this.#ending = end
    using _late = end.until === Infinity ? undefined : this.#parts.clock.at(end.until, () => this.letGo())
    const ended = { parts: this.#parts, claim: this.#claim, backlog: this.#backlog, ledger: this.#ledger, rest: this.#rest }
    do {
      this.#isOver = this.#isLetGo
      this.begin()
      this.#rest.wake()
      await this.#shut()
    } while (await isLeftToUs({ ...ended, isLate: () => this.#isLetGo }))
    if (late !== undefined) this.#ledger.trouble(late)
  }

  /** Waits for the sink no longer. One that has not answered for long is in trouble, though it had more time. */
  letGo(): void {
    this.#isOver = this.#isLetGo = true
    this.#ledger.trouble(this.#session?.hang ?? this.#ledger.record.trouble)
    this.#session?.letGo()
    this.#rest.wake()
  }

  /** Lets go of the sink, and lets other processes run it. */
  async close(): Promise<void> {
    this.letGo()
    await this.#shut()
  }

  async #shut(): Promise<void> {
    await this.#running
    this.#running = undefined
    this.#abandon()
    await this.#closing
    await this.#claim.free()
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const { ms, isIdle = false } = await this.#step()
      if (!this.#isOver && ms > 0) await this.#rest.until(this.#now + ms, isIdle)
    }
    if (!this.#claim.isHeld) return
    await this.#save()
    await this.#backlog.countRejects().catch(() => undefined) // What this run has counted is nearly as good.
  }

  /** One batch, and how long to rest behind it. */
  async #step(): Promise<RestLength> {
    // An end that comes while the claim is asked for is of items that were committed since.
    const ending = this.#ending
    if (!this.#claim.isHeld && !(await this.#claimed()))
      return this.#elsewhere(this.#claim.runElsewhere(ending, this.#backlog.size))
    try {
      // Opening may remove what is behind the mark. A mark that is not the latest would take along what another process has written.
      if (this.#session === undefined && !(await this.#ledger.isOurs())) return this.#lost()
      if (this.#session === undefined) await this.#open()
    } catch (error) {
      return this.#claim.canWait(error) ? this.#wait(error) : this.#failed(error)
    }
    this.#rest.looked()
    const batch = await this.#backlog.next(() => this.#isOver)
    if (this.#isOver) return AT_ONCE
    return batch === undefined ? this.#caughtUp() : this.#write(batch)
  }

  async #claimed(): Promise<boolean> {
    if (!(await this.#claim.take()) && this.#ending === undefined && !this.#claim.isCountDue()) return false
    await this.#backlog.count(await this.#ledger.load())
    return this.#claim.isHeld
  }

  #wait(error: unknown): RestLength {
    this.#abandon()
    return this.#elsewhere(this.#claim.wait(this.#ending, error))
  }

  #elsewhere({ ms, isOver }: ElsewhereRest): RestLength {
    this.#isOver ||= isOver
    return { ms }
  }

  async #open(): Promise<void> {
    await this.#closing
    const session = new OpenSink(this.#parts.sink, {
      ...this.#parts,
      timeoutMs: this.#limits.timeoutMs,
      mark: this.#ledger.record.mark,
      keep: (mark) => this.#keep(checkedMark(mark, Math.max(this.#handedUpTo, this.#ledger.itemSeq))),
    })
    this.#session = session
    const mark = await session.open()
    this.#claim.opened()
    await this.#backlog.opened(mark === undefined ? undefined : checkedMark(mark, Number.MAX_SAFE_INTEGER))
    this.#handedUpTo = this.#ledger.itemSeq
    await this.#save()
  }

  async #keep(mark: SinkMark): Promise<void> {
    if (mark.itemSeq < this.#ledger.itemSeq) this.#ledger.moved(mark)
    else this.#ledger.mark(mark)
    await this.#save()
  }

  async #write(batch: Batch): Promise<RestLength> {
    if (this.#session === undefined) return AT_ONCE
    this.#rest.found()
    this.#handedUpTo = Math.max(this.#handedUpTo, batch.mark.itemSeq)
    const tried = await handOver(this.#session, batch, this.#handedUpTo)
    if (tried.became === 'written') return this.#written(batch, tried.answer)
    if (this.#isOver) return AT_ONCE
    if (tried.became === 'failed') return this.#failed(tried.error, batch)
    this.#works()
    await this.#backlog.refused(batch, tried.items, tried.reasonOf)
    await this.#save()
    return AT_ONCE
  }

  async #written(batch: Batch, { mark, rewind }: Written): Promise<RestLength> {
    this.#works()
    if (rewind !== undefined) return this.#rewound(rewind)
    this.#rewinds = 0
    this.#backlog.written(batch, mark)
    await this.#save()
    const left = this.#ending === undefined ? this.#backlog.left : undefined
    return left === undefined ? AT_ONCE : this.#rest.forMore(left)
  }

  async #rewound(rewind: SinkMark): Promise<RestLength> {
    if (++this.#rewinds > MAX_REWINDS)
      return this.#failed(new Error(`it asked for earlier items ${this.#rewinds} times in a row`))
    this.#ledger.moved(rewind)
    await this.#save()
    this.#handedUpTo = rewind.itemSeq
    this.#backlog.begin(rewind.itemSeq)
    return AT_ONCE
  }

  /** Nothing is left to write. */
  async #caughtUp(): Promise<RestLength> {
    this.#works()
    if (this.#ending !== undefined || this.#now >= this.#notedAt + NOTE_MS) {
      this.#notedAt = this.#now
      this.#backlog.passUnwanted()
      await this.#save()
    }
    if (this.#ending) return this.#finish(this.#ending)
    if (!this.#parts.isShared) return UNTIL_ITEMS
    return (await this.#ledger.isOurs()) ? this.#rest.forOthers() : this.#lost()
  }

  async #finish({ interrupted }: DeliveryEnd): Promise<RestLength> {
    try {
      const { mark, rewind } = checkedAnswer(await this.#session?.finish(interrupted), this.#handedUpTo)
      if (rewind !== undefined) return await this.#rewound(rewind)
      if (mark !== undefined) this.#ledger.mark(mark)
      this.#isOver = true
      return AT_ONCE
    } catch (error) {
      if (!this.#isOver) return this.#failed(error)
      this.#ledger.trouble({ since: this.#now, error: 'it did not finish in time' })
      return AT_ONCE
    }
  }

  #works(): void {
    if (this.#backoff.worked(this.#now)) this.#parts.notice(`sink ${this.#parts.sink.name}: it has worked again for an hour`)
    if (this.#ledger.record.trouble === undefined) return
    this.#ledger.trouble(undefined)
    this.#notedAt = -Infinity
  }

  /** Leaves the sink alone. Throws what the store throws: that is not the sink's fault. */
  async #failed(error: unknown, batch?: Batch): Promise<RestLength> {
    if (error instanceof AvocetError && error.code.startsWith('AVO_FRONTIER_')) throw error
    if (this.#isOver) return AT_ONCE
    const { sink, problem, hidden } = this.#parts
    const text = hidden(withoutUserinfo(messageOf(error))).slice(0, 500)
    this.#ledger.trouble({ since: this.#ledger.record.trouble?.since ?? this.#now, error: text })
    problem(`sink ${sink.name} cannot be written to: ${text}; the crawl goes on, and the sink catches up when it can`)
    this.#abandon()
    if (batch !== undefined && !(error instanceof SinkDown)) await this.#backlog.failed(batch, text)
    this.#backlog.lost()
    await this.#save()
    return { ms: this.#backoff.failed(error, this.#now) }
  }

  #abandon(): void {
    if (this.#session !== undefined) this.#closing = this.#session.close()
    this.#session = undefined
  }

  /** Another process may run the sink by now: this one was taken for dead. */
  async #save(): Promise<void> {
    if (!(await this.#ledger.save())) this.#lost()
  }

  #lost(): RestLength {
    this.#claim.lost()
    this.#abandon()
    return AT_ONCE
  }

  get #now(): number {
    return this.#parts.clock.now()
  }
}
