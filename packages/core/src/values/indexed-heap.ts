// A binary min-heap whose entries know their place in it, so that any of them can be moved or removed in O(log n).
//
// Smallest `heapKey` first; ties go by `heapOrder`, so that the same crawl always takes the same path. An entry is in at most one heap:
// `heapIndex` is -1 outside. `heapKey` of an entry inside is changed by `move` only.

/** What an entry carries for the heap. */
export interface HeapEntry {
  heapKey: number
  readonly heapOrder: number
  /** Place in the heap; -1 outside. Only the heap writes it. */
  heapIndex: number
}

/** Min-heap with removal from the middle. */
export class IndexedHeap<Entry extends HeapEntry> {
  readonly #entries: Entry[] = []

  get size(): number {
    return this.#entries.length
  }

  /** The smallest entry, left in place. */
  peek(): Entry | undefined {
    return this.#entries[0]
  }

  push(entry: Entry): void {
    this.#entries.push(entry)
    this.#rise(entry, this.#entries.length - 1)
  }

  pop(): Entry | undefined {
    const smallest = this.#entries[0]
    if (smallest !== undefined) this.remove(smallest)
    return smallest
  }

  /** Gives `entry`, which must be in this heap, another key. */
  move(entry: Entry, heapKey: number): void {
    const rises = heapKey < entry.heapKey
    if (heapKey === entry.heapKey) return
    entry.heapKey = heapKey
    if (rises) this.#rise(entry, entry.heapIndex)
    else this.#sink(entry, entry.heapIndex)
  }

  /** Takes `entry` out. It must be in this heap. */
  remove(entry: Entry): void {
    const index = entry.heapIndex
    const last = this.#entries.pop()
    entry.heapIndex = -1
    if (last === undefined || last === entry) return
    this.#rise(last, index)
    this.#sink(last, last.heapIndex)
  }

  #rise(entry: Entry, from: number): void {
    let index = from
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = this.#entries[parentIndex]
      if (parent === undefined || !before(entry, parent)) break
      this.#put(parent, index)
      index = parentIndex
    }
    this.#put(entry, index)
  }

  #sink(entry: Entry, from: number): void {
    let index = from
    for (;;) {
      const left = this.#entries[2 * index + 1]
      const right = this.#entries[2 * index + 2]
      const child = left !== undefined && right !== undefined && before(right, left) ? right : left
      if (child === undefined || !before(child, entry)) break
      const childIndex = child.heapIndex
      this.#put(child, index)
      index = childIndex
    }
    this.#put(entry, index)
  }

  #put(entry: Entry, index: number): void {
    this.#entries[index] = entry
    entry.heapIndex = index
  }
}

function before(a: HeapEntry, b: HeapEntry): boolean {
  return a.heapKey < b.heapKey || (a.heapKey === b.heapKey && a.heapOrder < b.heapOrder)
}
