// One accepted connection of a hostile host: bytes, waits and resets, none of which outlives it.
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '@avocet/core/store'

/** A connection to play on. Text is written a byte a character. */
export class Line {
  /** Counted from 1 at its host. */
  readonly connection: number
  /** Whether what is said goes over TLS. */
  readonly secure: boolean
  readonly #client: Duplex
  readonly #raw: Socket
  readonly #clock: Clock
  readonly #waits = new Set<Disposable>()

  constructor(stream: Duplex, raw: Socket, about: { connection: number; clock: Clock }) {
    this.connection = about.connection
    this.secure = stream !== raw
    this.#client = stream
    this.#raw = raw
    this.#clock = about.clock
    raw.once('close', () => {
      for (const wait of this.#waits) wait[Symbol.dispose]()
      this.#waits.clear()
    })
  }

  get isOpen(): boolean {
    return !this.#client.destroyed && !this.#raw.destroyed && this.#client.writable
  }

  /** Whether the client takes more: false once it must be waited for. */
  write(bytes: string | Uint8Array): boolean {
    return this.isOpen && this.#client.write(bytesOf(bytes))
  }

  end(bytes: string | Uint8Array = ''): void {
    if (this.isOpen) this.#client.end(bytesOf(bytes))
  }

  reset(): void {
    this.#raw.resetAndDestroy()
  }

  whenClosed(what: () => void): void {
    this.#raw.once('close', what)
  }

  /** Stops reading: what the client writes fills the buffers of the kernel. */
  deafen(): void {
    this.#raw.pause()
  }

  after(ms: number, what: () => void): void {
    const wait = this.#clock.at(this.#clock.now() + ms, () => {
      this.#waits.delete(wait)
      if (this.isOpen) what()
    })
    this.#waits.add(wait)
  }

  every(ms: number, what: () => void): void {
    this.after(ms, () => {
      what()
      this.every(ms, what)
    })
  }

  /** Writes `piece` again and again, as fast as the client reads, `times` at most. */
  flood(piece: string | Uint8Array, times: number = Infinity): void {
    const bytes = bytesOf(piece)
    let left = times
    const more = (): void => {
      while (left-- > 0 && this.isOpen) if (!this.#client.write(bytes)) return
    }
    this.#client.on('drain', more)
    more()
  }
}

function bytesOf(bytes: string | Uint8Array): Uint8Array {
  return typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes
}
