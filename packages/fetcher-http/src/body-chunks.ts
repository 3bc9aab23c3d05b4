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
