// Records what a crawl's store and output are at many moments, and what was promised by then: what a power cut leaves is made of that.
//
// A second connection checkpoints now and then, as another process of the crawl would; so there are rounds of the log, each written over the one before.
import { existsSync, readFileSync } from 'node:fs'
import type { Frontier } from '@avocet/core/store'
import { sqlite, type Synchronous } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { crawled } from './crawled.ts'
import type { PowerWorld } from './world.ts'
import { framesIn } from './wal.ts'

/** Between two checkpoints. */
export interface Round {
  /** The database when it began. */
  readonly database: Buffer
  /** The log when it began: of the round before. */
  readonly logBefore: Buffer
  /** The log at its end. */
  readonly log: Buffer
  readonly frames: number
  /** The database once the log was copied into it; absent in the last round. */
  readonly databaseAfter?: Buffer
}

/** A moment at which something was promised. */
export interface Moment {
  readonly round: number
  /** Frames of the log by then. */
  readonly frames: number
  /** Whether that was forced to disk. */
  readonly isSynced: boolean
  /** How much of `settled` and `items` was acknowledged by then, and how many requests were known. */
  readonly settled: number
  readonly items: number
  readonly known: number
}

/** What the output held when a mark of it was about to be written, and after it. */
interface Written {
  readonly round: number
  readonly frames: number
  readonly bytes: Buffer
}

/** One recorded crawl. */
export interface Recording {
  readonly synchronous: Synchronous
  readonly rounds: readonly Round[]
  readonly moments: readonly Moment[]
  readonly outputs: readonly Written[]
  /** Ids of requests in the order in which they were settled, and of items the request and its ordinal. */
  readonly settled: readonly number[]
  readonly items: readonly string[]
}

/** Promises between two checkpoints. */
const PROMISES_PER_ROUND = 12

/** Crawls `world` in a store at `store`, and records it. */
export async function record(
  world: PowerWorld,
  { store, output, synchronous }: { readonly store: string; readonly output: string; readonly synchronous: Synchronous },
): Promise<Recording> {
  const recorder = new Recorder(store, output, synchronous)
  await crawled(world, {
    store,
    output,
    frontier: (clock) => recorder.around(sqlite(store, { clock, synchronous })),
    exportEvery: 5,
  })
  return recorder.recording
}

class Recorder {
  readonly #store: string
  readonly #output: string
  readonly #synchronous: Synchronous
  readonly #rounds: Round[] = []
  readonly #moments: Moment[] = []
  readonly #outputs: Written[] = []
  readonly #settled: number[] = []
  readonly #items: string[] = []
  #known = 0
  #promises = 0
  #database: Buffer = Buffer.alloc(0)
  #logBefore: Buffer = Buffer.alloc(0)
  #checkpointer: Database.Database | undefined

  constructor(store: string, output: string, synchronous: Synchronous) {
    this.#store = store
    this.#output = output
    this.#synchronous = synchronous
  }

  get recording(): Recording {
    return {
      synchronous: this.#synchronous,
      rounds: this.#rounds,
      moments: this.#moments,
      outputs: this.#outputs,
      settled: this.#settled,
      items: this.#items,
    }
  }

  around(frontier: Frontier): Frontier {
    const isFull = this.#synchronous === 'full'
    return {
      ...frontier,
      open: async (spec, now) => {
        const info = await frontier.open(spec, now)
        this.#database = readFileSync(this.#store)
        this.#checkpointer = new Database(this.#store)
        this.#promised(isFull)
        return info
      },
      add: async (requests) => {
        const result = await frontier.add(requests)
        this.#known += result.added
        this.#promised(isFull)
        return result
      },
      commit: async (turns) => {
        const results = await frontier.commit(turns)
        for (const [index, { requestId, outcome, items }] of turns.entries()) {
          const result = results[index]
          if (result?.status !== 'committed') continue
          this.#known += result.added
          if (requestId === undefined) continue
          if (outcome !== undefined && outcome.kind !== 'retry') this.#settled.push(requestId)
          items.forEach((_, ordinal) => this.#items.push(`${String(requestId)} ${String(ordinal)}`))
        }
        this.#promised(isFull)
        return results
      },
      sinks: {
        ...frontier.sinks,
        keep: async (...kept) => {
          this.#wrote()
          const isKept = await frontier.sinks.keep(...kept)
          this.#promised(true)
          this.#wrote()
          return isKept
        },
      },
      close: async () => {
        this.#endRound()
        this.#checkpointer?.close()
        await frontier.close()
      },
    }
  }

  #promised(isSynced: boolean): void {
    this.#moments.push({
      round: this.#rounds.length,
      frames: framesIn(this.#log()),
      isSynced,
      settled: this.#settled.length,
      items: this.#items.length,
      known: this.#known,
    })
    if (++this.#promises % PROMISES_PER_ROUND === 0) this.#checkpoint()
  }

  #wrote(): void {
    this.#outputs.push({ round: this.#rounds.length, frames: framesIn(this.#log()), bytes: readFileSync(this.#output) })
  }

  #checkpoint(): void {
    const log = this.#log()
    const busy = this.#checkpointer?.pragma('wal_checkpoint(RESTART)', { simple: true })
    if (busy !== 0) return
    const databaseAfter = readFileSync(this.#store)
    this.#rounds.push({ database: this.#database, logBefore: this.#logBefore, log, frames: framesIn(log), databaseAfter })
    this.#database = databaseAfter
    this.#logBefore = log
  }

  #endRound(): void {
    const log = this.#log()
    this.#rounds.push({ database: this.#database, logBefore: this.#logBefore, log, frames: framesIn(log) })
  }

  /** While nothing was written since a checkpoint, the log is still that of the round before. */
  #log(): Buffer {
    const path = `${this.#store}-wal`
    const log = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
    return this.#logBefore.length > 0 && log.subarray(0, 32).equals(this.#logBefore.subarray(0, 32)) ? Buffer.alloc(0) : log
  }
}
