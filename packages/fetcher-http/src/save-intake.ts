// The body of one exchange that is saved: its pieces go to the saver as they come, and none is kept here, so it takes nothing of the byte budget.
//
// While the saver has no room, and while it finishes, the server is not read and none of its limits runs. What bounds that is our own patience.
import { type BodySaver, type Failure, formatDuration, type ResponseHead, type SavedBody } from '@avocet/core/plugin'
import type { Flow, IntakeWorld } from './body-intake.ts'
import type { BodyListener, BodyTrouble } from './body-listener.ts'

/** Longest time in ms for which the saver may take nothing, or finish: a network disk that hangs; a resumed file of 100 GB is read again in less. */
const PATIENCE_MS = 600_000
/** From here on, in ms, a server that closes may have lost its patience with us. */
const IMPATIENT_MS = 5_000
const NO_BODY = new Uint8Array(0)

/** A body that has come, or why it has not. */
export type Received = { readonly body: Uint8Array; readonly saved?: SavedBody; readonly code?: undefined } | BodyTrouble

/** What `saver` says of a response: asked only where there may be a body that somebody wants. */
export function saverWord(saver: BodySaver | undefined, head: ResponseHead): ReturnType<BodySaver['accepts']> {
  return saver === undefined || head.status < 200 || head.status > 299 ? 'read' : saver.accepts(head)
}

/** Passes one body on. */
export class SaveIntake {
  /** Only the end of the connection says that it is whole: not if that breaks. A page may do with a part, a file may not. */
  readonly endsWithConnection: boolean
  readonly #saver: BodySaver
  readonly #world: Pick<IntakeWorld, 'clock' | 'readTurns'>
  readonly #listener: BodyListener
  /** What the last piece was answered with. */
  #hasRoom = true
  /** `clock.monotonic()` since when the saver has it wait. */
  #since: number | undefined
  #longestMs = 0
  /** For a turn of the event loop. */
  #isPaused = false
  #isComplete = false
  #isOver = false

  constructor(
    { saver, head }: { readonly saver: BodySaver; readonly head: ResponseHead },
    world: Pick<IntakeWorld, 'clock' | 'readTurns'>,
    listener: BodyListener,
  ) {
    this.#saver = saver
    this.endsWithConnection = head.headers['content-length'] === undefined && head.headers['transfer-encoding'] === undefined
    this.#world = world
    this.#listener = listener
  }

  get isWaiting(): boolean {
    return this.#since !== undefined
  }

  /** `clock.monotonic()` at which it has waited for too long. */
  get waitIsDueAt(): number {
    return this.#since === undefined ? Infinity : this.#since + PATIENCE_MS
  }

  add(piece: Uint8Array): void {
    if (this.#isOver) return
    const word = this.#saver.write(piece)
    this.#hasRoom = word === true
    if (typeof word === 'object') this.#listener.failed(word)
  }

  /** `bytes` more were read: stops reading while the saver has no room, and for a turn of the event loop if this one had enough. */
  hold(flow: Flow, bytes: number): void {
    const hasTurn = this.#world.readTurns.read(bytes)
    if (this.#isOver || this.isWaiting) return
    if (!this.#hasRoom) {
      flow.pause()
      this.#since = this.#world.clock.monotonic()
      this.#saver.drained((trouble) => this.#drained(flow, trouble))
    } else if (!hasTurn && !this.#isPaused) {
      this.#isPaused = true
      flow.pause()
      const since = this.#world.clock.monotonic()
      this.#world.readTurns.wait(() => this.#goOn(flow, since))
    }
  }

  /** All has come: tells when it is saved. Nothing after `end`. */
  complete(_codings: readonly string[], done: (received: Received) => void): void {
    this.#isComplete = true
    this.#since = this.#world.clock.monotonic()
    this.#saver.end((outcome) => {
      if (this.#isOver || !this.isWaiting) return
      this.waitNoMore()
      done('code' in outcome ? troubleOf(outcome) : { body: NO_BODY, saved: outcome })
    })
  }

  /** The wait is over, room or not. */
  waitNoMore(): void {
    this.#isPaused = false
    if (this.#since === undefined) return
    const ms = this.#world.clock.monotonic() - this.#since
    this.#since = undefined
    this.#longestMs = Math.max(this.#longestMs, ms)
    this.#listener.waited(ms)
  }

  /** It waited for too long. */
  overdue(): void {
    const message = `the disk took no more of the body for ${formatDuration(PATIENCE_MS)}`
    this.#listener.failed({ code: 'AVO_FILE_UNWRITABLE', message })
  }

  /** The connection ended early: whether that is because we did not read. */
  lostPatience(cause: unknown): BodyTrouble | undefined {
    const ms = this.#since === undefined ? 0 : this.#world.clock.monotonic() - this.#since
    const longestMs = Math.max(this.#longestMs, ms)
    if (longestMs < IMPATIENT_MS) return undefined
    const message = `the server closed the connection after the body had waited for the disk for ${formatDuration(longestMs)}`
    return { code: 'AVO_FILE_UNWRITABLE', message, cause }
  }

  handOver(tell: () => void): void {
    tell()
  }

  /** Lets go of it. Harmless when it is over. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#since = undefined
    if (!this.#isComplete) this.#saver.abort()
  }

  /** It may have ended meanwhile, or have become complete. */
  #drained(flow: Flow, trouble: Failure | undefined): void {
    if (this.#isOver || this.#isComplete || !this.isWaiting) return
    const isPaused = this.#isPaused
    this.waitNoMore()
    this.#isPaused = isPaused
    if (trouble !== undefined) this.#listener.failed(trouble)
    else if (!isPaused) flow.resume()
  }

  #goOn(flow: Flow, since: number): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#listener.paused(this.#world.clock.monotonic() - since)
    if (!this.isWaiting && !this.#isOver) flow.resume()
  }
}

function troubleOf({ code, message, blame, cause }: Failure): BodyTrouble {
  return { code, message, blame, ...(cause !== undefined && { cause }) }
}
