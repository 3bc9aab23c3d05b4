// Requests of closed patterns: settled as `trap` instead of being asked for, and waiting again when the pattern is open.
import type { Leased } from '../request.ts'
import type { Frontier } from '../frontier.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { TRAP_REASON } from '../traps/accepted-patterns.ts'
import type { Judgement, Traps } from '../traps/traps.ts'
import { COST, type LoopBudget } from '../process/loop-budget.ts'
import { requestOf } from '../request-of.ts'
import type { StoreCalls } from '../store/store-calls.ts'
import { reopenSome } from './trials.ts'
import { bareTurn, type TurnDraft } from '../store/turn-draft.ts'

/** In one transaction. */
const BATCH = 1_000

/** What it needs of the crawl around it. */
export interface ClosedParts {
  readonly traps: Traps
  readonly frontier: Pick<Frontier, 'reader' | 'reopen'>
  readonly calls: StoreCalls
  readonly settings: { readonly loop: LoopBudget }
  turn(draft: TurnDraft): void
  /** So many requests of `host` that were settled wait again. */
  reopened(host: LiveHost, count: number): void
  failed(error: unknown): void
}

/** Settles them. */
export class ClosedRequests {
  readonly #parts: ClosedParts

  constructor(parts: ClosedParts) {
    this.#parts = parts
  }

  /** Of requests that are handed out, those to be asked for. A probe asks for one page, whatever its pattern. */
  open(host: LiveHost, requests: readonly Leased[]): readonly Leased[] {
    if (host.gains.closed.size === 0 || host.probing !== undefined) return requests
    return requests.filter((request) => {
      const isRefused = this.#parts.traps.refuse(host, request)
      if (isRefused) this.#settle(host, request)
      return !isRefused
    })
  }

  /** A page was judged: what is queued of a closed pattern goes, what was settled of an open one comes back. */
  judged(host: LiveHost, judgement: Judgement): void {
    if (judgement === 'opened') void this.#bringBack(host)
    else if (judgement === 'tried') void this.#bringSomeBack(host)
    else if (judgement === 'closed')
      for (const request of host.queue.takeAll((each) => this.#parts.traps.refuse(host, each))) this.#settle(host, request)
  }

  /** By reason alone: those of patterns that are still closed are refused again when their turn comes. */
  async #bringBack(host: LiveHost): Promise<void> {
    const { calls, frontier, settings } = this.#parts
    const query = { hostKey: host.key, reasons: [TRAP_REASON], limit: BATCH }
    try {
      for (let some = BATCH; some === BATCH;) {
        await settings.loop.room(COST.row * BATCH)
        some = await calls.make(`what was closed of ${host.key}`, () => frontier.reopen(query))
        this.#parts.reopened(host, some)
      }
    } catch (error) {
      this.#parts.failed(error)
    }
  }

  /** A closed pattern said something new: as many of it are tried as it takes to open it. */
  async #bringSomeBack(host: LiveHost): Promise<void> {
    const { calls, frontier } = this.#parts
    try {
      this.#parts.reopened(host, await calls.make(`trials of ${host.key}`, () => reopenSome(frontier, host.key)))
    } catch (error) {
      this.#parts.failed(error)
    }
  }

  #settle(host: LiveHost, request: Leased): void {
    host.unsettled++
    this.#parts.turn(bareTurn(host, requestOf(request), { kind: 'failed', reason: TRAP_REASON }))
  }
}
