// What each process of a crawl has committed, by what it told before and after each group: nothing of it is lost with the process.
//
// A process that is killed while it commits leaves one group of which nobody knows whether it is in the store. That is decided at the end by what the store
// gained: what the other groups do not explain is of such groups, and never more than they had. Where other commands work on the same store the gain is theirs
// too, so the report may count such a group that was not committed, and nothing beyond it.
import type { CrawlReport } from '@avocet/core'
import type { Counts } from '@avocet/core/store'
import { sumCommitted, type Committed } from './committed.ts'
import type { FromWorker } from './process-messages.ts'

/** Messages on groups. */
type GroupMessage = Extract<FromWorker, { readonly kind: 'committing' | 'committed' }>

/** What a store has, of what a run adds to it. */
export type HadCounts = Pick<Counts, 'done' | 'items' | 'failed' | 'moved'>

interface Account {
  readonly committed: Committed
  /** The group that it commits now. */
  readonly committing?: Committed
}

const NONE: Committed = { pages: 0, items: 0, failed: 0, moved: 0 }

/** Of one command. */
export class ProcessCommits {
  readonly #accounts = new Map<number, Account>()
  /** Groups of dead processes that may be in the store. */
  #doubtful = NONE

  /** A process has told of a group. */
  heard(number: number, { kind, did }: GroupMessage): void {
    const { committed = NONE } = this.#accounts.get(number) ?? {}
    const account = kind === 'committing' ? { committed, committing: did } : { committed: sumCommitted(committed, did) }
    this.#accounts.set(number, account)
  }

  /** A process has died. Returns what it had committed for certain. */
  died(number: number): Committed {
    const { committed, committing = NONE } = this.#accounts.get(number) ?? { committed: NONE }
    this.#accounts.delete(number)
    this.#doubtful = sumCommitted(this.#doubtful, committing)
    return committed
  }

  /** The counts of all runs, with those groups of dead processes that the store has. */
  completed(run: CrawlReport['run'], before: HadCounts, after: HadCounts): CrawlReport['run'] {
    const { pages, items, failed, moved } = this.#doubtful
    return {
      ...run,
      pages: run.pages + unexplained(after.done - before.done - run.pages, pages),
      items: run.items + unexplained(after.items - before.items - run.items, items),
      failed: run.failed + unexplained(after.failed - before.failed - run.failed, failed),
      moved: run.moved + unexplained(after.moved - before.moved - run.moved, moved),
    }
  }
}

function unexplained(gained: number, most: number): number {
  return Math.max(0, Math.min(gained, most))
}
