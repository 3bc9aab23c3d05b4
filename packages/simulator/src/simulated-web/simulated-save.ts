// A body that somebody saves, on the simulated web: it comes in pieces, each at its virtual moment. While the saver has no room or finishes, virtual time
// stands still, for what it waits for is real: a disk.
import type { BodySaver, Failure, SavedBody } from '@avocet/core/plugin'
import type { Clock } from '@avocet/core/store'

/** As a socket hands them over; of a slow server four a second. */
const PIECE_BYTES = 64 * 2 ** 10
const PIECES_A_SECOND = 4

/** A body on its way. */
export interface SavedFlow {
  readonly saver: BodySaver
  /** What the server has; of one that never ends, it is sent again and again. */
  readonly body: Uint8Array
  /** How many of them come before it ends, or before trouble does. */
  readonly bytes: number
  readonly bytesPerSecond: number
  /** Ms from the first byte to the trouble; Infinity: there is none. */
  readonly troubleInMs: number
}

/** What happens to it. */
export interface SavedFlowEvents {
  /** All has come. */
  complete(): void
  saved(body: SavedBody): void
  /** The trouble that was foreseen. The saver was told. */
  trouble(): void
  failed(failure: Failure): void
}

/** Passes one body on. Ends in one of `saved`, `trouble` and `failed`. */
export class SimulatedSave {
  readonly #clock: Clock
  readonly #flow: SavedFlow
  readonly #events: SavedFlowEvents
  #sent = 0
  #activeMs = 0
  #hold: Disposable | undefined
  #next: Disposable | undefined
  #isComplete = false
  #isOver = false

  constructor(clock: Clock, flow: SavedFlow, events: SavedFlowEvents) {
    this.#clock = clock
    this.#flow = flow
    this.#events = events
  }

  /** Once. */
  begin(): void {
    this.#goOn()
  }

  /** Nothing more is told. */
  abort(): void {
    if (this.#isOver) return
    this.#end()
    if (!this.#isComplete) this.#flow.saver.abort()
  }

  /** What comes now, and then what comes next: a piece, the end, or trouble. */
  #goOn(): void {
    const { bytes, bytesPerSecond, troubleInMs } = this.#flow
    const piece = Math.min(PIECE_BYTES, Math.max(1, Math.floor(bytesPerSecond / PIECES_A_SECOND)))
    for (;;) {
      const left = Math.min(piece, bytes - this.#sent)
      if (left <= 0 || bytesPerSecond <= 0) break
      const ms = (left / bytesPerSecond) * 1_000
      if (ms > 0)
        return this.#in(ms, () => {
          if (this.#piece(left)) this.#goOn()
        })
      if (!this.#piece(left)) return
    }
    if (troubleInMs === Infinity) return this.#complete()
    this.#in(Math.max(0, troubleInMs - this.#activeMs), () => {
      this.abort()
      this.#events.trouble()
    })
  }

  /** Whether more may come. */
  #piece(bytes: number): boolean {
    const { saver, body } = this.#flow
    const from = body.byteLength === 0 ? 0 : this.#sent % body.byteLength
    const there = body.subarray(from, from + bytes)
    this.#sent += bytes
    const word = saver.write(there.byteLength === bytes ? there : repeated(body, from, bytes))
    if (typeof word === 'object') this.#fail(word)
    else if (!word) this.#waitForRoom()
    return word === true && !this.#isOver
  }

  #waitForRoom(): void {
    this.#waitFor('the room of a saver')
    this.#flow.saver.drained((trouble) => {
      if (this.#isOver || this.#hold === undefined) return
      this.#waitNoMore()
      if (trouble === undefined) this.#goOn()
      else this.#fail(trouble)
    })
  }

  #complete(): void {
    this.#isComplete = true
    this.#events.complete()
    this.#waitFor('the end of a saver')
    this.#flow.saver.end((outcome) => {
      if (this.#isOver) return
      this.#end()
      if ('code' in outcome) this.#events.failed(outcome)
      else this.#events.saved(outcome)
    })
  }

  #fail(failure: Failure): void {
    this.abort()
    this.#events.failed(failure)
  }

  #end(): void {
    this.#isOver = true
    this.#next?.[Symbol.dispose]()
    this.#waitNoMore()
  }

  #waitFor(what: string): void {
    this.#hold = this.#clock.hold(what)
  }

  #waitNoMore(): void {
    this.#hold?.[Symbol.dispose]()
    this.#hold = undefined
  }

  #in(ms: number, step: () => void): void {
    this.#activeMs += ms
    this.#next = this.#clock.at(this.#clock.now() + ms, step)
  }
}

/** `bytes` of `body` from there on, from its beginning again after its end. */
function repeated(body: Uint8Array, from: number, bytes: number): Uint8Array {
  const piece = new Uint8Array(bytes)
  for (let at = 0, next = from; body.byteLength > 0 && at < bytes; next = 0) {
    const part = body.subarray(next, next + bytes - at)
    piece.set(part, at)
    at += part.byteLength
  }
  return piece
}
