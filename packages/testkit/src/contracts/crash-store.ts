// A frontier that can be cut off as a crash would: from one commit on, no call of the crawl arrives, and none returns.
//
// The crawl above it never ends, like a process that was killed. The next life opens the same frontier again without a close: the frontier must take
// the holder before for dead, and take its hosts back.
import type { Frontier, MemoryParts } from '@avocet/core/store'

/** The moment of a crash: at the `commit`-th commit, before it is written, or after it is written and before it is acknowledged. */
export interface CrashPoint {
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
  #commits = 0
  /** Memory of each host as it was last committed, part by part. */
  readonly hostMemory: Map<string, Record<string, string>> = new Map()

  constructor(inner: Frontier) {
    this.#inner = inner
  }

  /** Commits of all lives so far. */
  get commits(): number {
    return this.#commits
  }

  /** Begins a life; without a cut it is never cut off. Lives come one after the other. */
  live(cut?: CrashPoint): Life {
    const { promise: died, resolve: die } = Promise.withResolvers<void>()
    return { frontier: this.#mortal(cut, die), died }
  }

  #mortal(cut: CrashPoint | undefined, die: () => void): Frontier {
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
      open: (spec, now) => inner.open(spec, now),
      add: (requests) => alive(() => inner.add(requests)),
      lease: (want) => alive(() => inner.lease(want)),
      refill: (lease, n, now) => alive(() => inner.refill(lease, n, now)),
      commit: async (units) => {
        if (dead) return silence
        // Kept, because another commit may be asked for while this one is written.
        const nth = ++commits
        this.#commits++
        if (cut !== undefined && nth === cut.commit && !cut.written) return perish()
        const results = await inner.commit(units)
        for (const [n, { lease, memory }] of units.entries())
          if (results[n]?.status === 'committed') this.#keep(lease.hostKey, memory)
        return cut !== undefined && nth === cut.commit ? perish() : results
      },
      inProgress: (requestIds) => {
        return dead ? undefined : inner.inProgress(requestIds)
      },
      order: (jsons, when) => alive(() => inner.order(jsons, when)),
      renew: (visits, now) => alive(() => inner.renew(visits, now)),
      release: (hosts) =>
        alive(async () => {
          await inner.release(hosts)
          for (const { lease, rest } of hosts) this.#keep(lease.hostKey, rest.memory)
        }),
      retire: (hostKey, reason, probeAt, by) => alive(() => inner.retire(hostKey, reason, probeAt, by)),
      change: (change) => alive(() => inner.change(change)),
      note: (parts) => alive(() => inner.note(parts)),
      rejects: {
        setAside: (rejects) => alive(() => inner.rejects.setAside(rejects)),
        forget: (ids) => alive(() => inner.rejects.forget(ids)),
      },
      sinks: {
        get: (name) => alive(() => inner.sinks.get(name)),
        keep: (...kept) => alive(() => inner.sinks.keep(...kept)),
        claim: (name) => alive(() => inner.sinks.claim(name)),
        free: (name) => alive(() => inner.sinks.free(name)),
      },
      close: () => Promise.resolve(),
    }
  }

  #keep(hostKey: string, memory: MemoryParts = {}): void {
    this.hostMemory.set(hostKey, { ...this.hostMemory.get(hostKey), ...memory })
  }
}
