// One connection of a client through the proxy to the server, with what befalls it.
//
// A request begins with the first bytes that the client sends after bytes from the server: PostgreSQL's protocol takes turns. What a client pipelines counts as
// one request. Connecting is two or three such turns, so faults befall that as well.
import { connect, type Socket } from 'node:net'
import type { Clock } from '@avocet/core/store'
import { DelayLine } from './delay-line.ts'
import type { FaultDraw, LinkFault } from './link-faults.ts'

/** What a connection is made of. */
export interface FaultyLinkParts {
  readonly server: { readonly host: string; readonly port: number }
  readonly draw: FaultDraw
  readonly clock: Clock
  /** Each way. */
  readonly delaysMs: { readonly request: number; readonly reply: number }
  readonly stallMs: number
  /** Called when a stall is over, and what it held back was passed on. */
  readonly delivered: () => void
  /** Called once, when it is over. */
  readonly closed: (link: FaultyLink) => void
}

/** A connection. */
export class FaultyLink {
  readonly #parts: FaultyLinkParts
  readonly #client: Socket
  readonly #server: Socket
  readonly #requests: DelayLine
  readonly #replies: DelayLine
  #isClientsTurn = true
  #fault: LinkFault | undefined
  #stalled: Disposable | undefined
  #isSilent = false
  #isOver = false

  constructor(client: Socket, parts: FaultyLinkParts) {
    const { clock, delaysMs } = parts
    this.#parts = parts
    this.#client = client
    this.#server = connect({ ...parts.server, noDelay: true, allowHalfOpen: true })
    this.#requests = new DelayLine({ from: client, to: this.#server, delayMs: delaysMs.request, clock })
    this.#replies = new DelayLine({ from: this.#server, to: client, delayMs: delaysMs.reply, clock })
    client.on('data', this.#requested).on('end', () => this.#requests.write(Buffer.alloc(0), true))
    this.#server.on('data', this.#replied).on('end', () => this.#replies.write(Buffer.alloc(0), true))
    for (const socket of [client, this.#server]) socket.on('error', () => this.cut())
    client.once('close', () => this.cut())
    // A server that went away in good order has its last words on their way.
    this.#server.once('close', (hadError) => {
      if (hadError) this.cut()
    })
  }

  /** Resets both ends. */
  cut(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stalled?.[Symbol.dispose]()
    this.#requests.close()
    this.#replies.close()
    this.#client.resetAndDestroy()
    this.#server.resetAndDestroy()
    this.#parts.closed(this)
  }

  /** Nothing comes through, and nobody is told; or again. What was on its way comes later, as TCP has it. */
  silence(isSilent: boolean): void {
    this.#isSilent = isSilent
    this.#hold()
  }

  readonly #requested = (bytes: Buffer): void => {
    if (this.#isClientsTurn) {
      this.#isClientsTurn = false
      this.#fault = this.#parts.draw.of(bytes)
    }
    if (this.#fault === 'reset') return this.cut()
    if (this.#fault === 'half-request') return this.#halve(bytes)
    if (this.#fault === 'stall') this.#stall()
    this.#requests.write(bytes)
  }

  readonly #replied = (bytes: Buffer): void => {
    this.#isClientsTurn = true
    if (this.#fault === 'lost-reply') return this.cut()
    if (this.#fault === 'half-reply') return void this.#client.write(bytes.subarray(0, bytes.byteLength >> 1), () => this.cut())
    this.#replies.write(bytes)
  }

  #halve(bytes: Buffer): void {
    this.#client.pause()
    this.#server.write(bytes.subarray(0, bytes.byteLength >> 1), () => this.cut())
  }

  #stall(): void {
    const { clock, stallMs } = this.#parts
    this.#fault = undefined
    this.#stalled = clock.at(clock.now() + stallMs, () => {
      this.#stalled = undefined
      this.#hold()
      if (!this.#isSilent) this.#parts.delivered()
    })
    this.#hold()
  }

  #hold(): void {
    const isHeld = this.#isSilent || this.#stalled !== undefined
    this.#requests.hold(isHeld)
    this.#replies.hold(isHeld)
  }
}
