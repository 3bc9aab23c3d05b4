// The body of one exchange: its chunks, then its decoding, then the one piece that is handed over. Always counted in the byte budget, and waiting for room
// there.
import type { Clock, SizeLimits } from '@avocet/core/store'
import type { BodyListener, BodyTrouble } from './body-listener.ts'
import { BodyShare, type ShareListener } from './body-share.ts'
import type { ByteBudget } from './byte-budget.ts'
import { decodeContent, type Decoded, type Stop } from './content-decoding.ts'
import type { ReadTurns } from './read-turns.ts'

/** What it needs of the fetcher. */
export interface IntakeWorld {
  readonly clock: Clock
  readonly limits: SizeLimits
  readonly bodyBudget: ByteBudget
  readonly readTurns: ReadTurns
}

/** The same, with room for a body that its request allows to be larger. */
export function withBodyLimit<World extends IntakeWorld>(world: World, maxBodyBytes = 0): World {
  if (maxBodyBytes === 0) return world
  const { maxWireBytes, maxDecodedBytes } = world.limits
  const larger = { maxWireBytes: Math.max(maxWireBytes, maxBodyBytes), maxDecodedBytes: Math.max(maxDecodedBytes, maxBodyBytes) }
  return { ...world, limits: { ...world.limits, ...larger } }
}

/** What undici gives to pause and resume reading. */
export interface Flow {
  pause(): void
  resume(): void
}

/** Takes in one body. */
export class BodyIntake implements ShareListener {
  readonly #world: IntakeWorld
  readonly #chunks = new BodyChunks()
  readonly #share: BodyShare
  #stop: Stop | undefined
  #isOver = false
  /** For a turn of the event loop. */
  #isPaused = false
  readonly #listener: BodyListener
  #hasWaited = false

  constructor(world: IntakeWorld, listener: BodyListener) {
    this.#world = world
    this.#listener = listener
    this.#share = new BodyShare(world.bodyBudget, world.clock, this)
  }

  waited(ms: number): void {
    this.#hasWaited ||= ms > 0
    this.#listener.waited(ms)
  }

  refused(forGood: boolean): void {
    this.#listener.failed(this.#noRoom(forGood))
  }

  get isWaiting(): boolean {
    return this.#share.isWaiting
  }

  /** `clock.monotonic()` at which it has waited for too long. */
  get waitIsDueAt(): number {
    return this.#share.dueAt
  }

  add(chunk: Buffer): void {
    this.#share.acquire(this.#chunks.add(chunk))
  }

  /**
   * `bytes` more were read: stops reading until there is room, if there is none, and for a turn of the event loop if this one had enough. What the server
   * sent before it closed comes while it waits as well.
   */
  hold(flow: Flow, bytes: number): void {
    const hasTurn = this.#world.readTurns.read(bytes)
    if (this.#share.isWaiting) return
    if (!this.#share.hasRoom) {
      flow.pause()
      this.#share.whenRoom(() => flow.resume())
    } else if (!hasTurn && !this.#isPaused) {
      this.#isPaused = true
      flow.pause()
      const since = this.#world.clock.monotonic()
      this.#world.readTurns.wait(() => this.#goOn(flow, since))
    }
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
    this.#stop = decodeContent(wire, { codings, limits: this.#world.limits, room: this.#share }, (decoded) => {
      if (this.#isOver) return
      if (decoded.code === undefined) this.#share.whenRoom(() => done(decoded))
      else done(decoded)
    })
  }

  /** The wait is over, room or not. */
  waitNoMore(): void {
    this.#isPaused = false
    this.#share.waitNoMore()
  }

  /** It waited for too long. */
  overdue(): void {
    this.#share.overdue()
  }

  /** The connection ended early, maybe because we let it wait: the page is requested again, independent of whose fault that is. */
  lostPatience(cause: unknown): BodyTrouble | undefined {
    return this.isWaiting || this.#hasWaited ? { ...this.#noRoom(false), cause } : undefined
  }

  /** Hands the body over: it is counted until `tell` has returned, and by then its keeper has counted it. Ends the intake. */
  handOver(tell: () => void): void {
    const { bodyBudget } = this.#world
    const held = this.#share.heldBytes
    bodyBudget.acquire(held)
    this.end()
    const before = bodyBudget.heldBytes
    try {
      tell()
    } finally {
      // Its keeper leaves it behind later.
      const isKept = bodyBudget.heldBytes > before
      bodyBudget.release(held)
      if (!isKept) bodyBudget.leaveBehind(held)
    }
  }

  /** Lets go of everything. Harmless when it is over. */
  end(): void {
    this.#isOver = true
    this.#isPaused = false
    this.#stop?.()
    this.#chunks.clear()
    this.#share.release()
  }

  #noRoom(forGood: boolean): BodyTrouble {
    const budget = `bodyBudgetBytes (${this.#world.bodyBudget.totalBytes})`
    const message = `${this.#share.heldBytes} bytes of this body ${forGood ? 'do not fit, even alone, in' : 'found no room beside others in'} ${budget}`
    return { code: 'AVO_BODY_BUDGET', message, ...(forGood && { blame: 'url' as const }) }
  }

  /** It may have found no room meanwhile, or have ended. */
  #goOn(flow: Flow, since: number): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#listener.paused(this.#world.clock.monotonic() - since)
    if (!this.#share.isWaiting) flow.resume()
  }
}

// Keeps the chunks of one body in memory of our own, which is given back as soon as the body is released.
//
// A chunk as it comes is a view of the read that it came in: one byte of body keeps all of it. And what outlives the first collections is freed by a
// full one only, which V8 puts off while buffers of some hundred megabytes are dead. So chunks are copied into blocks (10 MiB take 2 ms), and
// `clear` detaches those (ECMA-262 §25.1.6.8). The one chunk of a small page is kept as it is.
const BLOCK_BYTES = 64 * 2 ** 10

/** Chunks in their order. */
export class BodyChunks {
  /** The first, while it is the only one. */
  #only: Buffer | undefined
  #blocks: Uint8Array<ArrayBuffer>[] = []
  /** In blocks. */
  #bytes = 0

  /** Adds a chunk, and tells by how many bytes of memory that grew. */
  add(chunk: Buffer): number {
    const only = this.#only
    if (only === undefined && this.#bytes === 0) {
      this.#only = chunk
      return chunk.length
    }
    this.#only = undefined
    if (only === undefined) return this.#copy(chunk)
    return this.#copy(only) + this.#copy(chunk) - only.length
  }

  /** All bytes, or the first `bytes` of them, in one piece that stays when this is cleared. */
  joined(bytes?: number): Buffer {
    return this.#only?.subarray(0, bytes) ?? Buffer.concat(this.#blocks, bytes ?? this.#bytes)
  }

  /** Forgets all, and frees its memory at once. */
  clear(): void {
    for (const { buffer } of this.#blocks) buffer.transfer(0)
    this.#blocks = []
    this.#only = undefined
    this.#bytes = 0
  }

  /** Into blocks, of which all but the last are full. Tells by how many bytes they grew. */
  #copy(chunk: Uint8Array): number {
    const before = this.#blocks.length
    for (let from = 0; from < chunk.length;) {
      const used = this.#bytes % BLOCK_BYTES
      if (used === 0) this.#blocks.push(new Uint8Array(BLOCK_BYTES))
      const part = chunk.subarray(from, from + BLOCK_BYTES - used)
      this.#blocks.at(-1)?.set(part, used)
      this.#bytes += part.length
      from += part.length
    }
    return (this.#blocks.length - before) * BLOCK_BYTES
  }
}
