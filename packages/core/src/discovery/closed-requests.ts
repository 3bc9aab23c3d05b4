// Requests of closed patterns: settled as `trap` instead of being requested, and waiting again when the pattern is open.
import type { Leased } from '../request.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { TRAP_REASON } from '../traps/accepted-patterns.ts'
import type { PatternJudgement, Traps } from '../traps/traps.ts'
import { COST } from '../process/loop-budget.ts'
import { requestOf } from '../request-of.ts'
import { reopenSome } from './trials.ts'
import type { Run } from '../run/run.ts'
import type { Window } from '../scheduler/window.ts'
import { outcomeOnly, type PendingUnit } from '../store/commits.ts'

/** In one transaction. */
const BATCH = 1_000

/** Requests that are handed out, sorted: those to be sent, and those that are settled instead. */
export interface Sorted {
  readonly open: readonly Leased[]
  readonly settled: readonly PendingUnit[]
}

/** Settles them. */
export class ClosedRequests {
  readonly #run: Run
  readonly #traps: Traps
  readonly #window: Window

  constructor(run: Run, traps: Traps, window: Window) {
    this.#run = run
    this.#traps = traps
    this.#window = window
  }

  /** Of requests that are handed out. A probe requests one page of any pattern. */
  sorted(host: LiveHost, requests: readonly Leased[]): Sorted {
    if (host.gains.closed.size === 0 || host.probing !== undefined) return { open: requests, settled: [] }
    const settled: PendingUnit[] = []
    const open = requests.filter((request) => {
      const isRefused = this.#traps.refuse(host, request)
      if (isRefused) settled.push(settledAs(host, request))
      return !isRefused
    })
    return { open, settled }
  }

  /** A page was judged: what is queued of a closed pattern is settled, what was settled of an open one comes back. */
  judged(host: LiveHost, judgement: PatternJudgement): readonly PendingUnit[] {
    if (judgement === 'opened') void this.#bringBack(host)
    else if (judgement === 'tried') void this.#bringSomeBack(host)
    if (judgement !== 'closed') return []
    return host.queue.takeAll((each) => this.#traps.refuse(host, each)).map((request) => settledAs(host, request))
  }

  /** By reason alone: those of patterns that are still closed are refused again when their turn comes. */
  async #bringBack(host: LiveHost): Promise<void> {
    const { calls, settings } = this.#run
    const { frontier, loop } = settings
    const query = { hostKey: host.key, reasons: [TRAP_REASON], limit: BATCH }
    try {
      for (let some = BATCH; some === BATCH;) {
        await loop.room(COST.row * BATCH)
        some = await calls.make(`what was closed of ${host.key}`, () => frontier.reopen(query))
        this.#window.reopened(host.key, some)
      }
    } catch (error) {
      this.#run.fail(error)
    }
  }

  /** A closed pattern said something new: as many of it are tried as it takes to open it. */
  async #bringSomeBack(host: LiveHost): Promise<void> {
    const { calls, settings } = this.#run
    try {
      const count = await calls.make(`trials of ${host.key}`, () => reopenSome(settings.frontier, host.key))
      this.#window.reopened(host.key, count)
    } catch (error) {
      this.#run.fail(error)
    }
  }
}

function settledAs(host: LiveHost, request: Leased): PendingUnit {
  host.unsettled++
  return outcomeOnly(host, requestOf(request), { kind: 'failed', reason: TRAP_REASON })
}
