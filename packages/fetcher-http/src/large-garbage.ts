// Has the garbage of large bodies collected before it comes to hundreds of megabytes.
//
// V8 counts what is outside of its heap, but begins to collect late and in small steps: with bodies of 31 MiB, one at a time, 250 to 300 MiB of
// dead buffers and texts were uncollected (Node.js 26.10). So a collection is requested after each 48 MiB of large bodies, which V8 would begin at about as
// many by itself: with pages of usual size none is. Sixty such pages within the byte budget peak at 311 MiB with it, at 358 without. It takes as long as the
// heap that is alive is large (600 MB: 0.7 s), so for a large heap it is requested after as many bytes as are alive: its share of the CPU stays the same.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Smaller ones are left to V8. */
const LARGE_BYTES = 2 ** 20
/** A body leaves its text behind, too, and what it was before it was decoded. */
const COLLECT_BYTES = 48 * 2 ** 20
/** With less in use, dead or alive, V8 has collected meanwhile, or there is nothing to fear: a collection takes some 50 ms of CPU. */
const LITTLE_BYTES = 128 * 2 ** 20

/** What it does, and goes by. */
interface Collecting {
  /** Collects all garbage. */
  collect(): void
  /** Bytes, dead or alive. */
  used(): { readonly heapUsed: number; readonly external: number }
  /** When nothing on the stack refers to what is left behind. */
  soon(work: () => void): void
}

/** Counts what is left behind. */
export class LargeGarbage {
  readonly #by: Collecting
  #bytes = 0
  #collectBytes = COLLECT_BYTES

  constructor(by: Collecting) {
    this.#by = by
  }

  /** So many bytes of one body are needed no more. */
  leaveBehind(bytes: number): void {
    if (bytes < LARGE_BYTES) return
    const before = this.#bytes
    this.#bytes += bytes
    if (before < this.#collectBytes && this.#bytes >= this.#collectBytes) this.#by.soon(() => this.#collect())
  }

  #collect(): void {
    this.#bytes = 0
    const { heapUsed, external } = this.#by.used()
    if (heapUsed + external < LITTLE_BYTES) return
    this.#by.collect()
    this.#collectBytes = Math.max(COLLECT_BYTES, this.#by.used().heapUsed)
  }
}

let collect: (() => void) | undefined

const GARBAGE = new LargeGarbage({
  collect: () => (collect ??= collector())(),
  used: () => process.memoryUsage(),
  soon: (work) => void setImmediate(work),
})

/** That of this process: so many bytes of one body are needed no more. */
export function leaveBehind(bytes: number): void {
  GARBAGE.leaveBehind(bytes)
}

/** V8's own function, which a process without `--expose-gc` gets in a context of its own. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  return gc
}
