// The body of one exchange: its chunks, then its decoding, then the one piece that is handed over. Always counted in the byte budget, and waiting for room there.
import type { ByteBudget } from '../byte-budget.ts'
import type { Clock } from '../clock.ts'
import type { SizeLimits } from '../fetcher.ts'
import { leaveBehind } from '../large-garbage.ts'
import { BodyChunks } from './body-chunks.ts'
import { BodyShare, type ShareEars } from './body-share.ts'
import { decodeBody, type Decoded, type Stop } from './content-decoding.ts'

/** What it needs of the fetcher. */
export interface IntakeWorld {
  readonly clock: Clock
  readonly limits: SizeLimits
  readonly bodyBudget: ByteBudget
}

/** What undici gives to stop and go on reading. */
export interface Flow {
  pause(): void
  resume(): void
}

/** Takes in one body. */
export class BodyIntake {
  readonly #world: IntakeWorld
  readonly #chunks = new BodyChunks()
  readonly #share: BodyShare
  #stop: Stop | undefined
  #isOver = false

  constructor(world: IntakeWorld, ears: ShareEars) {
    this.#world = world
    this.#share = new BodyShare(world.bodyBudget, world.clock, ears)
  }

  get isWaiting(): boolean {
    return this.#share.isWaiting
  }

  /** `clock.monotonic()` at which it has waited for too long. */
  get waitIsDueAt(): number {
    return this.#share.dueAt
  }

  get heldBytes(): number {
    return this.#share.heldBytes
  }

  add(chunk: Buffer): void {
    this.#share.acquire(this.#chunks.add(chunk))
  }

  /** Stops reading until there is room, if there is none. What the server sent before it closed comes while it waits as well. */
  hold(flow: Flow): void {
    if (this.#share.hasRoom || this.#share.isWaiting) return
    flow.pause()
    this.#share.whenRoom(() => flow.resume())
  }

  /** The first `bytes` of what has come, in one piece. */
  first(bytes: number): Buffer {
    return this.#chunks.joined(bytes)
  }

  /** All has come: decodes it, and tells when it is there and there is room for what a handler makes of it. Nothing after `end`. */
  complete(codings: readonly string[], done: (decoded: Decoded) => void): void {
    const wire = this.#chunks.joined()
    // What the last block had left is gone with it.
    this.#share.release(this.#share.heldBytes - wire.length)
    this.#chunks.clear()
    this.#stop = decodeBody(wire, { codings, limits: this.#world.limits, room: this.#share }, (decoded) => {
      if (this.#isOver) return
      if (decoded.code === undefined) this.#share.whenRoom(() => done(decoded))
      else done(decoded)
    })
  }

  /** The wait is over, room or not. */
  waitNoMore(): void {
    this.#share.waitNoMore()
  }

  /** It waited for too long. */
  overdue(): void {
    this.#share.overdue()
  }

  /** Hands the body over: it is counted until `tell` has returned, and by then whoever keeps it has counted it. Ends the intake. */
  handOver(tell: () => void): void {
    const { bodyBudget } = this.#world
    const held = this.#share.heldBytes
    bodyBudget.acquire(held)
    this.end()
    try {
      tell()
    } finally {
      bodyBudget.release(held)
      leaveBehind(held)
    }
  }

  /** Lets go of everything. Harmless when it is over. */
  end(): void {
    this.#isOver = true
    this.#stop?.()
    this.#chunks.clear()
    this.#share.release()
  }
}
