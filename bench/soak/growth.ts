// Holds a crawl of weeks to its size: what it has in RAM and booked on its clock is of the size of its work, on the last day as on the first.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Findings } from './findings.ts'
import { momentOf } from './findings.ts'
import type { Machine } from './machine.ts'

/** The window holds what the slots can use soon. */
const HOSTS_A_SLOT = 10
/** Wakes of one exchange (its limits, its next phase), and of one host. */
const WAKES_A_HOST = 8
const WAKES_OF_A_RUN = 100
/** Heap that the ledger of the oracle and a store in RAM take for one item, with its visits; and what noise there is. Bytes. */
const HEAP_AN_ITEM = 2_000
const HEAP_NOISE = 64 * 2 ** 20

/** Watches sizes. */
export class Growth {
  readonly #findings: Findings
  readonly #concurrency: number
  readonly #listeners = listeners()
  #firstHeap: { readonly bytes: number; readonly items: number } | undefined
  /** Heap in use at the end of the last day that was looked at, MB; 0 before. */
  heapMb = 0

  constructor(findings: Findings, concurrency: number) {
    this.#findings = findings
    this.#concurrency = concurrency
  }

  endOfDay(nowMs: number, machines: readonly Machine[]): void {
    const at = momentOf(nowMs)
    for (const machine of machines) {
      const { liveHosts, inFlight } = machine.status
      if (liveHosts > HOSTS_A_SLOT * this.#concurrency)
        this.#findings.add(
          'growth',
          'hosts in the window',
          `${String(liveHosts)} at ${at}, with ${String(this.#concurrency)} slots`,
        )
      const most = WAKES_OF_A_RUN + WAKES_A_HOST * (liveHosts + inFlight)
      if (machine.wakes > most)
        this.#findings.add('growth', 'timers', `${String(machine.wakes)} at ${at}, at most ${String(most)}`)
    }
    const now = listeners()
    if (now > this.#listeners)
      this.#findings.add('growth', 'listeners of the process', `${String(now)} at ${at}, ${String(this.#listeners)} at first`)
  }

  /** The heap without garbage. Takes a tenth of a second; not for tests, where others live in the same heap. */
  heap(nowMs: number, items: number): void {
    collectGarbage()
    const bytes = process.memoryUsage().heapUsed
    this.heapMb = Math.round(bytes / 2 ** 20)
    // The first two days fill caches.
    if (nowMs < 2 * 86_400_000) return
    const first = (this.#firstHeap ??= { bytes, items })
    const most = first.bytes + (items - first.items) * HEAP_AN_ITEM + HEAP_NOISE
    if (bytes > most)
      this.#findings.add(
        'growth',
        'heap',
        `${String(this.heapMb)} MB at ${momentOf(nowMs)}, at most ${String(Math.round(most / 2 ** 20))} MB`,
      )
  }
}

function listeners(): number {
  return process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
}

let collect: (() => void) | undefined

function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
}
