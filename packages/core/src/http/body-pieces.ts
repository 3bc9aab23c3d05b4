// The pieces of a body as they come from the wire. Small ones are copied together.
//
// A piece is a view that costs 200 bytes of heap, however little is in it: 10 MiB in chunks of one byte were 2 GB. So from the 65th piece on, which no
// page of a server that means well has in pieces so small, those under a kilobyte are copied into blocks. What is held is then at most half
// as much again as what came, and 64 pieces.

/** So many pieces are kept as they come. */
const FREE_PIECES = 64
/** From here on a piece is worth its view. */
const LARGE_BYTES = 1_024
const BLOCK_BYTES = 16_384

/** Takes pieces in order, and gives them as one. */
export class BodyPieces {
  #pieces: Buffer[] = []
  #block: Buffer | undefined
  #used = 0

  push(piece: Buffer): void {
    if (this.#pieces.length < FREE_PIECES) return void this.#pieces.push(piece)
    if (piece.length >= LARGE_BYTES) {
      this.#flush()
      this.#pieces.push(piece)
      return
    }
    if (this.#used + piece.length > BLOCK_BYTES) this.#flush()
    this.#block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES)
    this.#used += piece.copy(this.#block, this.#used)
  }

  /** The first `bytes` of what came, and forgets it all. */
  take(bytes: number): Buffer {
    this.#flush()
    const [first] = this.#pieces
    const whole = this.#pieces.length === 1 && first?.length === bytes ? first : Buffer.concat(this.#pieces, bytes)
    this.clear()
    return whole
  }

  clear(): void {
    this.#pieces = []
    this.#block = undefined
    this.#used = 0
  }

  /** A block that is hardly used is copied out of, and used again. */
  #flush(): void {
    if (this.#block === undefined || this.#used === 0) return
    this.#pieces.push(Buffer.from(this.#block.subarray(0, this.#used)))
    this.#used = 0
  }
}
