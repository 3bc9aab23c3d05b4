// Leases single hosts by their key: another host needs a document on it, and this process does not hold it.
//
// Its links may be out of scope, its turn may not have come, or another process has it. It is leased like any other, so one process at a time asks
// it, under its own pace, and what that teaches is kept.
import type { LiveHost } from '../hosts/live-host.ts'
import type { Run } from '../run/run.ts'
import type { Window } from './window.ts'
import type { WindowRules } from './window-rules.ts'

/** A host, and the URL that it is needed for. */
export interface NeededHost {
  readonly hostKey: string
  readonly url: string
}

/** `held-elsewhere`: another process has it; `given-up`: it was retired, or the store cannot be read, of which the next commit will tell. */
export type Taken = LiveHost | 'held-elsewhere' | 'given-up'

/** Leases by key that are in progress. */
export class LeasesByKey {
  readonly #run: Run
  readonly #window: Window
  readonly #scope: Pick<WindowRules, 'hears'>

  constructor(run: Run, window: Window, scope: Pick<WindowRules, 'hears'>) {
    this.#scope = scope
    this.#run = run
    this.#window = window
  }

  /** The host of this key, if this process holds it. */
  held(hostKey: string): LiveHost | undefined {
    return this.#window.hosts.get(hostKey)
  }

  /** Leases a host that is not held here, for `use`: before that has it, the crawl does not go on, or it would be given back as one that nobody needs. */
  take(needed: NeededHost, use: (taken: Taken) => void): Promise<void> {
    return this.#run.besides.begin(async () => {
      using _hold = this.#run.settings.clock.hold(`lease of ${needed.hostKey}`)
      use(await this.#taken(needed).catch(() => this.held(needed.hostKey) ?? 'given-up'))
    })
  }

  async #taken(needed: NeededHost): Promise<Taken> {
    const { frontier, clock } = this.#run.settings
    const { hostKey } = needed
    const isOwn = this.#run.tenure.since()
    const lease = await this.#run.calls.make(`lease of ${hostKey}`, () => frontier.leaseHost(needed, clock.now()))
    this.#scope.hears(lease?.crawlMemories ?? [])
    if (lease !== undefined && !isOwn()) {
      void this.#window.release(this.#window.enter(lease))
      return 'held-elsewhere'
    }
    if (lease !== undefined) return this.#window.enter(lease)
    const record = await frontier.reader.host(hostKey)
    return this.held(hostKey) ?? (record?.retiredFor === undefined ? 'held-elsewhere' : 'given-up')
  }
}
