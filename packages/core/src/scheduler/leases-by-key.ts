// Leases single hosts by their key: somebody needs a document that lies there, and this process does not hold the host.
//
// Its links may be out of scope, its turn may not have come, or another process has it. It is leased like any other, so one process at a time asks
// it, under its own pace, and what that teaches is kept.
import type { Clock } from '../clock.ts'
import type { Frontier } from '../frontier.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { Window } from './window.ts'
import type { MakeCall } from './window-parts.ts'

/** What leases are made with. */
export interface LeasesByKeyParts {
  readonly frontier: Frontier
  readonly clock: Clock
  readonly make: MakeCall
  readonly window: Window
}

/** A host, and the URL that it is needed for. */
export interface NeededHost {
  readonly hostKey: string
  readonly url: string
}

/** `held-elsewhere`: another process has it; `given-up`: it was retired, or the store cannot be read, of which the next commit will tell. */
export type Taken = LiveHost | 'held-elsewhere' | 'given-up'

/** Leases by key that are under way. */
export class LeasesByKey {
  readonly #parts: LeasesByKeyParts
  #underWay = 0

  constructor(parts: LeasesByKeyParts) {
    this.#parts = parts
  }

  get busy(): boolean {
    return this.#underWay > 0
  }

  /** The host of this key, if this process holds it. */
  held(hostKey: string): LiveHost | undefined {
    return this.#parts.window.hosts.get(hostKey)
  }

  /** Leases a host that is not held here; `busy` until `use` has it, or it would be given back as one that nobody needs. */
  async take(needed: NeededHost, use: (taken: Taken) => void): Promise<void> {
    using _hold = this.#parts.clock.hold(`lease of ${needed.hostKey}`)
    this.#underWay++
    const taken = await this.#taken(needed).catch(() => this.held(needed.hostKey) ?? 'given-up')
    this.#underWay--
    use(taken)
  }

  async #taken(needed: NeededHost): Promise<Taken> {
    const { frontier, clock, make, window } = this.#parts
    const { hostKey } = needed
    const visit = await make(`lease of ${hostKey}`, () => frontier.leaseHost(needed, clock.now()))
    if (visit !== undefined) return window.enter(visit)
    const record = await frontier.reader.host(hostKey)
    return this.held(hostKey) ?? (record?.retiredFor === undefined ? 'held-elsewhere' : 'given-up')
  }
}
