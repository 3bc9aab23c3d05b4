// The wakes of a virtual clock in the order in which they are due: time first, then the order of asking.
//
// A binary heap in which every wake knows its place, so that forgetting one is O(log n) and leaves nothing behind: a crawl books a
// deadline for every exchange and forgets nearly all of them.

/** A call that is due at a moment. Dispose to forget it; harmless when it was made or forgotten before. */
export class Wake implements Disposable {
  /** Epoch ms. */
  readonly at: number
  /** Ascending in the order of asking: breaks ties. */
  readonly order: number
  readonly call: () => void
  /** Place in the heap, -1 when not in it. Kept by the heap. */
  index = -1
  readonly #heap: WakeHeap

  /** Goes into `heap` by `heap.add`. */
  constructor(heap: WakeHeap, due: { at: number; order: number }, call: () => void) {
    this.at = due.at
    this.order = due.order
    this.call = call
    this.#heap = heap
  }

  [Symbol.dispose](): void {
    this.#heap.remove(this)
  }
}

/** A heap of wakes. Invariant: `wakes[i].index === i`, and no wake is due before its parent. */
export class WakeHeap {
  readonly #wakes: Wake[] = []

  get size(): number {
    return this.#wakes.length
  }

  /** The wake that is due first. */
  first(): Wake | undefined {
    return this.#wakes[0]
  }

  add(wake: Wake): void {
    this.#rise(wake, this.#wakes.push(wake) - 1)
  }

  /** Takes a wake out; harmless when it is not in. */
  remove(wake: Wake): void {
    const hole = wake.index
    if (hole < 0) return
    wake.index = -1
    const last = this.#wakes.pop()
    if (last === undefined || last === wake) return
    if (this.#rise(last, hole) === hole) this.#sink(last, hole)
  }

  #rise(wake: Wake, from: number): number {
    let place = from
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = this.#wakes[above]
      if (parent === undefined || !isBefore(wake, parent)) break
      this.#put(parent, place)
      place = above
    }
    this.#put(wake, place)
    return place
  }

  #sink(wake: Wake, from: number): void {
    let place = from
    for (;;) {
      const left = this.#wakes[2 * place + 1]
      const right = this.#wakes[2 * place + 2]
      const child = left !== undefined && right !== undefined && isBefore(right, left) ? right : left
      if (child === undefined || !isBefore(child, wake)) break
      const below = child.index
      this.#put(child, place)
      place = below
    }
    this.#put(wake, place)
  }

  #put(wake: Wake, place: number): void {
    this.#wakes[place] = wake
    wake.index = place
  }
}

function isBefore(a: Wake, b: Wake): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}
