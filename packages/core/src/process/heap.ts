// Keeps the heap of a crawling process small: V8 sizes it for throughput, a crawl waits for the network and runs for weeks beside others.
//
// While handlers use the DOM of pages it may be large: one leaves ten times the garbage of a scan, and collecting that all the time costs a sixth of the
// throughput. Measured on 2,000 pages of 37 kB and 90 links with SQLite and items, interleaved, one to three rounds each beside seven busy programs: CPU as a
// share of the first row's 5.0 to 5.7 s, and peak MB, for each growth of the old generation and size of the new one.
//
// | growth | 1 MB | 2 | 4 | 8 | 16 | 32 | 64 |
// |---|---|---|---|---|---|---|---|
// | 30 % | 1.25, 146 | 1.29, 140 | 1, 147 | 1.00, 161 | 1.01, 164 | 0.91, 200 | 0.95, 246 |
// | 60 % | | | 0.90, 150 | | | | |
// | 100 % | | | 0.89, 173 | | 0.75, 180 | 0.71, 208 | |
// | 150 % | | | 0.79, 178 | | | | |
// | as V8 likes | | | | | | 0.76, 240 | |
//
// What outlives a small new generation is collected again in the old one, so both count together.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** The old generation may grow by so much of what is alive before it is collected; V8 would let it grow up to fourfold. */
const GROWTH_PERCENT = 100
/** Bytes up to which the new generation may grow: enough for the garbage of all pages that are in progress. */
const YOUNG_BYTES = 16 * 2 ** 20
/** Pages from one look at the new generation to the next, until it has grown. A look takes 15 µs. */
const PAGES_A_LOOK = 16
/** Pages in a row of which no DOM was used, before the heap is kept small again. */
const PAGES_WITHOUT_DOM = 200

/** How large the heap of this process may grow. */
export class HeapSize {
  readonly #setFlags: (flags: string) => void
  readonly #youngBytes: () => number
  #state: 'as V8 likes' | 'small' | 'large' = 'as V8 likes'
  #youngFactor = 0
  #pagesWithoutDom = 0

  /** `youngBytes`: what the new generation holds now. */
  constructor(setFlags: (flags: string) => void, youngBytes: () => number) {
    this.#setFlags = setFlags
    this.#youngBytes = youngBytes
  }

  keepSmall(): void {
    this.#state = 'small'
    this.#setFlags(`--heap-growing-percent=${GROWTH_PERCENT}`)
    this.#limitYoung()
  }

  /** A handler is done with a page, and has used its DOM or not. */
  seen(hadDom: boolean): void {
    this.#pagesWithoutDom = hadDom ? 0 : this.#pagesWithoutDom + 1
    if (hadDom && this.#state === 'small') this.#letGrow()
    else if (this.#state === 'large' && this.#pagesWithoutDom === PAGES_WITHOUT_DOM) this.keepSmall()
    else if (this.#youngFactor > 1 && this.#pagesWithoutDom % PAGES_A_LOOK === 1) this.#limitYoung()
  }

  /** V8 is told the factor of its next growth, never a size. */
  #limitYoung(): void {
    const factor = Math.max(1, Math.floor(YOUNG_BYTES / this.#youngBytes()))
    if (factor !== this.#youngFactor) this.#setFlags(`--semi-space-growth-factor=${factor}`)
    this.#youngFactor = factor
  }

  #letGrow(): void {
    this.#state = 'large'
    this.#youngFactor = 0
    this.#setFlags('--semi-space-growth-factor=2')
    this.#setFlags('--heap-growing-percent=0')
  }
}

function youngBytes(): number {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  return young === undefined ? YOUNG_BYTES : young.space_used_size + young.space_available_size
}

/** That of this process. */
export const HEAP: HeapSize = new HeapSize(setFlagsFromString, youngBytes)

/**
 * Trades a little CPU for memory, except while handlers use the DOM of pages. For processes that crawl and do little else: the command line calls it,
 * before the crawl begins. It holds for the whole process.
 */
export function keepHeapSmall(): void {
  HEAP.keepSmall()
}
