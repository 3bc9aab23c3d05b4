// Whether this process runs a sink: the sink is claimed in the store, and no other process has it open still.
//
// Only one process has the claim. One that was taken for dead, and is not, goes on for a while without it: it learns of it where it next keeps a mark or looks
// for items. A sink that only one process can have open, such as a file, is waited for meanwhile.
import { SinkElsewhere } from '@avocet/core/sink'
import { type Clock, messageOf } from '@avocet/core/store'
import type { DeliveryEnd, DeliveryParts } from './delivery-parts.ts'
import type { LedgerParts } from './sink-ledger.ts'

/** How often a sink is tried that another process has open; and how often once that process is probably asleep. */
const TRY_MS = 1_000
const TRY_SELDOM_MS = 10_000
/** At the end of a crawl that process is writing its last items: how often they are looked for, doubling to once a second. */
const TRY_OFTEN_MS = 100
/** How often it is looked how far the process is that runs a sink. */
const COUNT_MS = 10_000
/** In which a process that is awake has looked for items twice. */
const HANDED_OVER_MS = 20_000

/** What it works with. `isShared`: other processes may run the sink. */
export interface ClaimParts extends LedgerParts, Pick<DeliveryParts, 'problem' | 'hidden'> {
  readonly clock: Pick<Clock, 'now'>
  readonly isShared: boolean
}

/** How long to rest before it is tried again. */
export interface ElsewhereRest {
  readonly ms: number
  /** It is not tried again. */
  readonly isOver: boolean
}

/** The claim of one sink. */
export class SinkClaim {
  readonly #parts: ClaimParts
  #isHeld = false
  #endTryMs = TRY_OFTEN_MS
  #countedAt = -Infinity
  /** A person was told that the process which has it open does not let go of it. */
  #isTold = false
  /** Since when it is claimed, and another process has the sink open; undefined: none has. */
  #waitsSince: number | undefined

  constructor(parts: ClaimParts) {
    this.#parts = parts
  }

  /** This process runs the sink. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Whether the sink could not be opened because another process of this crawl has it open: only then is there something to wait for. */
  canWait(error: unknown): boolean {
    return error instanceof SinkElsewhere && this.#parts.isShared
  }

  /** Claims it. False: another process has. */
  async take(): Promise<boolean> {
    const { name, store, make } = this.#parts
    return (this.#isHeld = await make('sink', () => store.claim(name)))
  }

  /** Whether to look how far another process is, which costs more than to ask for the claim. */
  isCountDue(): boolean {
    const now = this.#parts.clock.now()
    if (now < this.#countedAt + COUNT_MS) return false
    this.#countedAt = now
    return true
  }

  /** The sink is open. */
  opened(): void {
    this.#isTold = false
    this.#waitsSince = undefined
  }

  /** Another process runs the sink, and goes on when this run is over, unless the crawl is: then it is waited for until the sink lacks no item. */
  runElsewhere(end: DeliveryEnd | undefined, behind: number): ElsewhereRest {
    if (end === undefined) return { ms: TRY_MS, isOver: false }
    const ms = this.#endTryMs
    this.#endTryMs = Math.min(TRY_MS, 2 * ms)
    return { ms, isOver: behind === 0 || !waitsForOthers(end) }
  }

  /** Another process has the sink open. It writes what is left, if this run is over before it lets go of the sink, and the crawl is not. */
  wait(end: DeliveryEnd | undefined, error: unknown): ElsewhereRest {
    const { name, clock, problem, hidden } = this.#parts
    const now = clock.now()
    this.#isHeld = false
    this.#waitsSince ??= now
    const isLong = now >= this.#waitsSince + HANDED_OVER_MS
    if (isLong && !this.#isTold) {
      this.#isTold = true
      problem(`sink ${name} waits for a process that does not let go of it, and probably sleeps: ${hidden(messageOf(error))}`)
    }
    if (end !== undefined && waitsForOthers(end)) return { ms: TRY_MS, isOver: false }
    return { ms: isLong ? TRY_SELDOM_MS : TRY_MS, isOver: isLong && end !== undefined }
  }

  /** Another process runs the sink. */
  lost(): void {
    this.#isHeld = false
  }

  /** Lets other processes run it. */
  async free(): Promise<void> {
    const { name, store, make } = this.#parts
    if (this.#isHeld || this.#waitsSince !== undefined) await make('sink', () => store.free(name)).catch(() => undefined)
  }
}

/** Whether nobody may write what that process does not: at the end of a crawl it may be dead or asleep. For as long as a stop may wait, be it for ever. */
function waitsForOthers({ isDone = false, interrupted }: DeliveryEnd): boolean {
  return isDone && !interrupted
}
