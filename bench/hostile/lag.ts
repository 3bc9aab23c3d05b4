// How long the event loop stood still, and what was in hand: a tick each 10 ms, and how late it came.
//
// A machine with other work lets a thread wait that could run. Linux says for how long (schedstat), so that is taken off: what is left is ours. While the main
// thread sleeps in a block it waits for a disk, which is ours, or for V8's helpers in a collection: what those wanted to run and could not is taken off as
// well.
import { openSync, readdirSync, readSync } from 'node:fs'

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
  #othersStolenMs = othersStolenMs()
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
    const others = othersStolenMs()
    const ranMs = cpuMs - this.#schedule.cpuMs
    const waitedMs = stolenMs - this.#schedule.stolenMs
    const sleptMs = Math.max(0, lateMs - ranMs - waitedMs)
    const block = {
      lateMs,
      stolenMs: waitedMs + Math.min(sleptMs, Math.max(0, others - this.#othersStolenMs)),
      cpuMs: ranMs,
      about: this.#longest(),
      atMs: now - this.#startedAt,
    }
    this.#last = now
    this.#schedule = { cpuMs, stolenMs }
    this.#othersStolenMs = others
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

const others: number[] = []
let isFound = false
/** How long all other threads of this process wanted to run and could not. Those that were there when it was first asked: V8's and libuv's are. */
function othersStolenMs(): number {
  try {
    if (!isFound) {
      isFound = true
      for (const id of readdirSync('/proc/self/task'))
        if (Number(id) !== process.pid) others.push(openSync(`/proc/self/task/${id}/schedstat`, 'r'))
    }
    return others.reduce((sum, file) => sum + read(file).stolenMs, 0)
  } catch {
    return 0
  }
}

function read(file: number): { readonly cpuMs: number; readonly stolenMs: number } {
  const text = Buffer.alloc(100)
  readSync(file, text, 0, 100, 0)
  const [cpu, stolen] = text.toString().split(' ').map(Number)
  return { cpuMs: (cpu ?? 0) / 1e6, stolenMs: (stolen ?? 0) / 1e6 }
}

let schedstat: number | undefined
/** How long the main thread ran, and wanted to run and could not, since it began; 0 where nobody says. */
export function schedule(): { readonly cpuMs: number; readonly stolenMs: number } {
  try {
    schedstat ??= openSync('/proc/self/schedstat', 'r')
    return read(schedstat)
  } catch {
    return { cpuMs: 0, stolenMs: 0 }
  }
}
