// Hosts that join the crawl while it runs: those that seeds redirect to, in this process or in another one. What other processes wrote of it comes with leases,
// before the hosts that were leased are used, so whoever visits a page that such a host gained knows that the host has joined.
import type { MemoryParts } from '../frontier-reader.ts'
import type { NewRequest } from '../request.ts'
import type { Run } from '../run/run.ts'
import type { Window } from '../scheduler/window.ts'

/** What knows which they are. */
export interface JoiningScope {
  /** Takes in what other processes wrote. */
  hears(crawlMemories: readonly MemoryParts[]): void
  /** Links to hosts that have joined since this was last asked, and that were refused before. */
  lateLinks(): readonly NewRequest[]
}

/** Tells the scope of them, and the frontier of the links that waited for them. */
export class JoinedHosts {
  readonly #run: Pick<Run, 'settings' | 'calls' | 'tally' | 'fail' | 'goOn'>
  readonly #scope: JoiningScope
  #offering = 0

  constructor(run: Pick<Run, 'settings' | 'calls' | 'tally' | 'fail' | 'goOn'>, scope: JoiningScope) {
    this.#run = run
    this.#scope = scope
  }

  /** Whether links are on their way to the store. */
  get busy(): boolean {
    return this.#offering > 0
  }

  /** Other processes wrote this. */
  hears(crawlMemories: readonly MemoryParts[], window: Pick<Window, 'gained'>): void {
    this.#scope.hears(crawlMemories)
    this.offer(window)
  }

  /** Offers the links that waited. */
  offer(window: Pick<Window, 'gained'>): void {
    const requests = this.#scope.lateLinks()
    if (requests.length === 0) return
    const { settings, calls, tally } = this.#run
    this.#offering++
    calls
      .make('links to hosts that joined', () => settings.frontier.add(requests))
      .then(({ added }) => {
        tally.seeded(added)
        // Which of them were new nobody said, unless all were.
        const count = added === requests.length ? 1 : 0
        window.gained(requests.map(({ hostKey, priority }) => ({ hostKey, count, topPriority: priority })))
      })
      .catch((error: unknown) => this.#run.fail(error))
      .finally(() => {
        this.#offering--
        this.#run.goOn()
      })
  }
}
