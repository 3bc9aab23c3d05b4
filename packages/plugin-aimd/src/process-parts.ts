// Which part of a limit this process takes: that of its hosts, among the hosts of all processes that crawl the store.
//
// Each process counts its hosts every few seconds, in its memory of the crawl, and reads what the others have counted. All divide by the same sum, so the
// parts come to one, but for what has changed since; one that was never heard of counts as one host. Rejected: even parts, with which each host of a process
// that has many gets less (bench/platform, two processes: Jain 0.83).
import type { HostOptions } from '@avocet/core'
import type { Session } from '@avocet/core/plugin'
import { withOthers, type Sharer } from './laws/harm-budget-crowd.ts'
import type { HarmBudgetState } from './laws/harm-budget-state.ts'
import {
  hasRoom,
  type HostCount,
  LIMITS,
  type Limit,
  type LimitMemories,
  type LimitMemory,
  type LimitsOfHosts,
} from './limits-of-hosts.ts'
import { pausedTo } from './pace.ts'

/** How often each process counts its hosts; and how long one that joins others waits for all of them to have done so twice. */
const COUNTED_EVERY_MS = 5_000
const JOINS_AFTER_MS = 12_000

/** The parts of this process. */
export class ProcessParts {
  /** Epoch ms before which the others do not know of this process. */
  joinsAt = 0
  readonly #all: LimitsOfHosts
  readonly #hostsOf: (limit: Limit, memory: LimitMemory, now: number) => number
  /** By limit, once hosts of all processes were counted; until then, and where there is no room to count them, parts are even. */
  readonly #parts = new Map<Limit, HostOptions>()
  #processes = 1
  #next: Disposable | undefined

  /** `hostsOf`: how many hosts of this process are under a limit. */
  constructor(all: LimitsOfHosts, hostsOf: (limit: Limit, memory: LimitMemory, now: number) => number) {
    this.#all = all
    this.#hostsOf = hostsOf
  }

  get isAlone(): boolean {
    return this.#processes < 2
  }

  async open(session: Session, memories: LimitMemories): Promise<void> {
    const { clock } = session
    const count = async (): Promise<void> => {
      this.#next = clock.at(clock.now() + COUNTED_EVERY_MS, () => void count())
      await this.#count(session, memories).catch(() => undefined)
    }
    await count()
    if (!this.isAlone) this.joinsAt = clock.now() + JOINS_AFTER_MS
  }

  close(): void {
    this.#next?.[Symbol.dispose]()
  }

  of(limit: Limit): HostOptions {
    return this.isAlone ? limit.whole : (this.#parts.get(limit) ?? { maxRps: limit.settings.maxRps / this.#processes })
  }

  /** Counts the hosts of this process, and takes the part of them. What cannot be read or written now is as it was. */
  async #count({ reader, clock, ...session }: Session, memories: LimitMemories): Promise<void> {
    const now = clock.now()
    this.#processes = (await reader.info()).liveProcesses
    const limits = [...this.#all.all].filter(({ isLearned, host }) => !isLearned || host === '')
    if (limits.length === 0) return
    for (const limit of limits) {
      if (!limit.isLearned && hasRoom(memories, limit)) memories[limit.name] ??= limit.unsaved
      const memory = memories[limit.name]
      if (memory === undefined) continue
      const hosts = Math.max(1, this.#hostsOf(limit, memory, now))
      memory.counted = { hosts, countedAt: Math.round(now) }
    }
    if (this.isAlone) return this.#parts.clear()
    await session.save()
    const left = (await reader.info()).memories.flatMap((parts) => memoriesIn(parts[LIMITS]))
    for (const limit of limits) {
      const theirs = left.flatMap((memories) => memories[limit.name] ?? [])
      // What others have learned, this process knows as well.
      const [found] = theirs
      if (found !== undefined && hasRoom(memories, limit)) memories[limit.name] ??= found
      const memory = memories[limit.name]
      if (memory === undefined) continue
      const counts = theirs.flatMap(({ counted }) => counted ?? [])
      const part = processPart(memory.counted?.hosts ?? 1, counts, { now, processes: this.#processes })
      this.#parts.set(limit, { maxRps: limit.settings.maxRps * part })
      if (limit.shares) heed(theirs, memory)
      const [own] = sharersIn([memory], now)
      if (limit.isLearned && own !== undefined) memory.rate.rate = withOthers(own, sharersIn(theirs, now))
    }
  }
}

/** A process that has not counted for so long is gone. */
const FRESH_MS = 15_000

/** From 0 to 1. `own`: hosts of this process. `counts`: of all, with its own. */
export function processPart(
  own: number,
  counts: readonly HostCount[],
  { now, processes }: { readonly now: number; readonly processes: number },
): number {
  const fresh = counts.filter(({ countedAt }) => now - countedAt <= FRESH_MS)
  const unheard = Math.max(0, processes - fresh.length)
  const all = fresh.reduce((sum, { hosts }) => sum + hosts, unheard)
  return own / Math.max(all, own + processes - 1)
}

function sharersIn(all: readonly LimitMemory[], now: number): readonly Sharer[] {
  const alive = all.filter(({ counted }) => counted !== undefined && now - counted.countedAt <= FRESH_MS)
  return alive.flatMap(({ counted, rate: { rate } }) => (counted && rate ? [{ ...counted, state: rate as HarmBudgetState }] : []))
}

/** The plugin's part of what a process left; nothing where it cannot be read. */
function memoriesIn(text = 'null'): readonly LimitMemories[] {
  const saved = JSON.parse(text) as readonly [number, LimitMemories] | null
  return saved === null ? [] : [saved[1]]
}

/** What another process was asked to wait, this one waits too. */
function heed(theirs: readonly LimitMemory[], { rate }: LimitMemory): void {
  for (const { rate: other } of theirs) {
    if (other.pausedFor !== 'retry-after' || other.pace.pausedUntil <= rate.pace.pausedUntil) continue
    rate.pace = pausedTo(rate.pace, other.pace.pausedUntil)
    rate.pausedFor = 'retry-after'
  }
}
