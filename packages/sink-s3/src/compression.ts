// Bytes of one object on their way through gzip, or as they are.
import { createGzip, type Gzip } from 'node:zlib'

/** Takes bytes, gives bytes. */
export class Compression {
  readonly #gzip: Gzip | undefined
  #ready: Buffer[] = []

  constructor(isCompressed: boolean) {
    this.#gzip = isCompressed ? createGzip() : undefined
    this.#gzip?.on('data', (bytes: Buffer) => this.#ready.push(bytes))
  }

  /** What comes out when `bytes` go in: with gzip perhaps nothing yet. */
  async add(bytes: Buffer): Promise<readonly Buffer[]> {
    const gzip = this.#gzip
    if (gzip === undefined) return [bytes]
    await new Promise<void>((resolve, reject) => {
      gzip.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
    return this.#taken()
  }

  /** The rest. */
  async end(): Promise<readonly Buffer[]> {
    const gzip = this.#gzip
    if (gzip === undefined) return []
    await new Promise<void>((resolve, reject) => {
      gzip.once('end', resolve).once('error', reject).end()
    })
    return this.#taken()
  }

  /** Frees its memory before its end. */
  discard(): void {
    this.#gzip?.destroy()
  }

  #taken(): readonly Buffer[] {
    const ready = this.#ready
    this.#ready = []
    return ready
  }
}
