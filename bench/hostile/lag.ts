// How long the event loop stood still, and what was in hand: a tick each 10 ms, and how late it came.
//
// A machine with other work lets a thread wait that could run. Linux says for how long (schedstat), so that is taken off: what is left is ours.
import { openSync, readSync } from 'node:fs'

const TICK_MS = 10
const KEPT = 12

/** A time in which nothing else could run. */
export interface Block {
  /** How late the tick was, and how much of that this process had no CPU though it wanted it. */
  readonly lateMs: number
  readonly stolenMs: number
  /** How long its main thread ran. */
  readonly cpuMs: number
  /** Rows of which something was answered or handled meanwhile, those that took longest first. */
  readonly about: readonly string[]
  /** Since the start. */
  readonly atMs: number
}

/** Watches the event loop it was made on. */
export class Lag {
  readonly #about = new Map<string, number>()
  readonly #timer: NodeJS.Timeout
  readonly #startedAt = performance.now()
  #last = performance.now()
  #schedule = schedule()
  #blocks: Block[] = []
  #noted: { readonly row: string; readonly at: number } | undefined

  constructor() {
    this.#timer = setInterval(() => this.#tick(), TICK_MS)
  }

  /** Something of `row` is in hand. */
  note(row: string): void {
    this.#charge()
    this.#noted = { row, at: performance.now() }
  }

  /** The longest, by what was ours. */
  stop(): readonly Block[] {
    // The last block may have ended the crawl, before a tick could tell of it.
    this.#tick()
    clearInterval(this.#timer)
    return this.#blocks
  }

  #tick(): void {
    this.#charge()
    this.#noted = undefined
    const now = performance.now()
    const { cpuMs, stolenMs } = schedule()
    const lateMs = now - this.#last - TICK_MS
    const block = {
      lateMs,
      stolenMs: stolenMs - this.#schedule.stolenMs,
      cpuMs: cpuMs - this.#schedule.cpuMs,
      about: this.#longest(),
      atMs: now - this.#startedAt,
    }
    this.#last = now
    this.#schedule = { cpuMs, stolenMs }
    this.#about.clear()
    if (ownMs(block) < (this.#blocks.length < KEPT ? TICK_MS : ownMs(this.#blocks.at(-1)))) return
    this.#blocks = [...this.#blocks, block].sort((a, b) => ownMs(b) - ownMs(a)).slice(0, KEPT)
  }

  /** The time since a note belongs to what it was about. */
  #charge(): void {
    if (this.#noted === undefined) return
    const { row, at } = this.#noted
    this.#about.set(row, (this.#about.get(row) ?? 0) + performance.now() - at)
  }

  #longest(): readonly string[] {
    return [...this.#about].sort((a, b) => b[1] - a[1]).map(([row, ms]) => `${row} ${ms.toFixed(0)}`)
  }
}

/** How long the process itself kept the loop. */
export function ownMs(block: Block | undefined): number {
  return block === undefined ? 0 : Math.max(0, block.lateMs - block.stolenMs)
}

let schedstat: number | undefined
/** How long the main thread ran, and wanted to run and could not, since it began; 0 where nobody says. */
export function schedule(): { readonly cpuMs: number; readonly stolenMs: number } {
  try {
    schedstat ??= openSync('/proc/self/schedstat', 'r')
    const text = Buffer.alloc(100)
    readSync(schedstat, text, 0, 100, 0)
    const [cpu, stolen] = text.toString().split(' ').map(Number)
    return { cpuMs: (cpu ?? 0) / 1e6, stolenMs: (stolen ?? 0) / 1e6 }
  } catch {
    return { cpuMs: 0, stolenMs: 0 }
  }
}
