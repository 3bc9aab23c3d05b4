// A frontier that can be cut off as a crash would: from one commit on, nothing that the crawl says is heard, and nothing is answered.
//
// It wraps any frontier and uses the port alone. The crawl above it stays in the air for ever, like a process that was killed; its leases
// are then given back without a word of its memory (what a store does for the dead on the next open), and the next life opens what is left.
import type { CrawlInfo, CrawlSpec, Frontier, LeaseResult, MemoryParts, Started, Turn, Visit, VisitToken } from '@avocet/core'

/** The moment of a crash: at the `commit`-th commit, before it is written, or after it is written and before the answer. */
export interface Cut {
  readonly commit: number
  readonly written: boolean
}

/** One life of a process on the store. */
export interface Life {
  readonly frontier: Frontier
  /** Resolves at the cut. */
  readonly died: Promise<void>
}

/** A store whose processes can be cut off. */
export class CrashStore {
  readonly #inner: Frontier
  /** Memory of each host as it was last committed, part by part. */
  readonly hostMemory: Map<string, Record<string, string>> = new Map()
  readonly #crawlMemory: Record<string, string> = {}
  readonly #held = new Map<string, VisitToken>()
  #opened = false

  constructor(inner: Frontier) {
    this.#inner = inner
  }

  /** Begins a life; without a cut it is never cut off. Lives come one after the other. */
  live(cut?: Cut): Life {
    const { promise: died, resolve: die } = Promise.withResolvers<void>()
    return { frontier: this.#mortal(cut, die), died }
  }

  #mortal(cut: Cut | undefined, die: () => void): Frontier {
    const inner = this.#inner
    let commits = 0
    let dead = false
    const silence = new Promise<never>(() => {})
    const alive = <Answer>(call: () => Promise<Answer>): Promise<Answer> => (dead ? silence : call())
    const perish = (): Promise<never> => {
      dead = true
      die()
      return silence
    }
    return {
      reader: inner.reader,
      open: (spec, now) => this.#open(spec, now),
      add: (requests) => alive(() => inner.add(requests)),
      lease: (want) => alive(async () => this.#leased(await inner.lease(want))),
      refill: (visit, n, now) => alive(() => inner.refill(visit, n, now)),
      commit: async (turns, started?: readonly Started[]) => {
        if (dead) return silence
        commits++
        if (cut !== undefined && commits === cut.commit && !cut.written) return perish()
        const results = await inner.commit(turns, started)
        for (const [n, turn] of turns.entries()) if (results[n]?.status === 'committed') this.#remember(turn)
        return cut !== undefined && commits === cut.commit ? perish() : results
      },
      renew: (visits, now) => alive(() => inner.renew(visits, now)),
      release: (visit, rest) =>
        alive(async () => {
          this.#held.delete(visit.hostKey)
          await inner.release(visit, rest)
          this.#keep(visit.hostKey, rest.memory)
        }),
      retire: (hostKey, reason) => alive(() => inner.retire(hostKey, reason)),
      revive: (hostKey) => alive(() => inner.revive(hostKey)),
      exportMark: (target) => alive(() => inner.exportMark(target)),
      markExport: (target, mark) => alive(() => inner.markExport(target, mark)),
      close: () => Promise.resolve(),
    }
  }

  async #open(spec: CrawlSpec, now: number): Promise<CrawlInfo> {
    if (!this.#opened) {
      this.#opened = true
      return this.#inner.open(spec, now)
    }
    for (const visit of this.#held.values()) await this.#inner.release(visit, { readyAt: 0, memory: {} })
    this.#held.clear()
    const { known, waiting, done, moved, failed, items } = await this.#inner.reader.counts()
    const crawlMemories = Object.keys(this.#crawlMemory).length === 0 ? [] : [{ ...this.#crawlMemory }]
    return { resumed: true, known, waiting, settled: done + moved + failed, items, crawlMemories, quarantined: 0 }
  }

  #leased(result: LeaseResult): LeaseResult {
    for (const visit of result.visits) this.#enter(visit)
    return result
  }

  #enter({ hostKey, epoch, memory }: Visit): void {
    this.#held.set(hostKey, { hostKey, epoch })
    this.#keep(hostKey, memory)
  }

  #remember({ visit, memory, crawlMemory }: Turn): void {
    if (memory !== undefined) this.#keep(visit.hostKey, memory)
    Object.assign(this.#crawlMemory, crawlMemory)
  }

  #keep(hostKey: string, memory: MemoryParts): void {
    this.hostMemory.set(hostKey, { ...this.hostMemory.get(hostKey), ...memory })
  }
}
