// What the processes of a crawl do, as of the last look: whether others wrote anything, and how many hosts this one should hold at most.
//
// A share is an equal part of what it and the idle ones hold, and of what is due and free: a process that is busy with what it holds keeps it. As in
// plugin-sqlite, rounded up: nobody gives an odd host away.
import type { ServerConnections } from '../connection/connections.ts'
import { IDLE_MS } from '../schema/process-functions.sql.ts'
import type { HeldTime } from './held-time.ts'

/** A look is as old as that at most while somebody asks. */
const LOOK_MS = 250

type Row = readonly [id: number, changes: number, idleAt: number, memoryNo: number, held: number]

/** Of one process. */
export class PeerStandings {
  readonly #connections: ServerConnections
  readonly #time: () => HeldTime
  #rows: readonly Row[] = []
  #due = 0
  #lookedAt = -Infinity
  #looking: Promise<void> | undefined
  #seen = -1
  /** Crawl time as the caller last had it. */
  #at: number | undefined

  constructor(connections: ServerConnections, time: () => HeldTime) {
    this.#connections = connections
    this.#time = time
  }

  /** It is `now`, in crawl time. */
  at(now: number): void {
    this.#at = now
  }

  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined))
    return this.#looking
  }

  /** Whether processes other than `own` have written since this was last asked. */
  changed(own: number): boolean {
    this.#lookAgain()
    const count = this.#rows.reduce((sum, [id, changes]) => sum + (id === own ? 0 : changes), 0)
    const isChanged = this.#seen >= 0 && count !== this.#seen
    this.#seen = count
    return isChanged
  }

  share(own: number, now: number): number | undefined {
    this.#at = now
    this.#lookAgain()
    const idle = this.#rows.filter(([id, , idleAt]) => id !== own && id > 0 && idleAt > 0 && Math.abs(now - idleAt) <= IDLE_MS)
    if (idle.length === 0) return undefined
    const held = this.#rows.filter((row) => row[0] === own || idle.includes(row)).reduce((sum, row) => sum + row[4], 0)
    return Math.max(1, Math.ceil((held + this.#due) / (idle.length + 1)))
  }

  /** What cannot be seen now is seen next time: the calls that matter say what is wrong. */
  #lookAgain(): void {
    if (this.#time().moment().monotonic - this.#lookedAt >= LOOK_MS) void this.look().catch(() => undefined)
  }

  async #look(): Promise<void> {
    this.#lookedAt = this.#time().moment().monotonic
    const [rows, due] = await this.#connections.call<readonly [readonly Row[] | null, number]>('standing', [
      Math.floor(this.#at ?? this.#time().now),
    ])
    this.#rows = rows ?? []
    this.#due = due
  }
}
