// The parts of one open store, put together: who uses whom, and what this process holds.
//
// Calls that change what is held run one after the other (`inTurn`), in the order in which they were made: an older memory must not overwrite a newer one,
// and a lease must not meet a release on its way. Reads and beats go beside them.
import { AvocetError } from '@avocet/core'
import type { ServerConnections } from './connection/connections.ts'
import type { LeasedHost } from './held-host.ts'
import type { KnownFingerprints } from './identity/known-cache.ts'
import { HostNames } from './names/host-names.ts'
import { WordIds } from './names/word-ids.ts'
import type { Membership } from './process/membership.ts'

/** How a transaction is synced, as `synchronous_commit` has it. */
export type Durability = 'on' | 'off' | 'local' | 'remote_write' | 'remote_apply'

/** What a store is made of. */
export interface ServerStoreParts {
  readonly connections: ServerConnections
  readonly durability: Durability
  readonly known: KnownFingerprints
  readonly membership: Membership
}

/** An open store whose tables exist. */
export class ServerStore {
  readonly connections: ServerConnections
  readonly durability: Durability
  readonly known: KnownFingerprints
  readonly membership: Membership
  readonly names: HostNames
  readonly handlers: WordIds
  readonly reasons: WordIds
  /** Hosts that this process holds, by key. */
  readonly held: Map<string, LeasedHost> = new Map()
  #last: Promise<unknown> = Promise.resolve()

  constructor({ connections, durability, known, membership }: ServerStoreParts) {
    this.connections = connections
    this.durability = durability
    this.known = known
    this.membership = membership
    this.names = new HostNames()
    this.handlers = new WordIds(connections, 'handler')
    this.reasons = new WordIds(connections, 'reason')
  }

  /** Runs `work` after all earlier calls of this kind, whatever became of them. */
  inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const call = this.#last.then(work)
    this.#last = call.catch(() => undefined)
    return call
  }

  /** Ids of all requests that this process has handed out. */
  get out(): readonly number[] {
    return [...this.held.values()].flatMap(({ out }) => [...out.keys()])
  }

  /** The id and token of this process, as most functions want them. */
  get me(): readonly [number, string] {
    return [this.membership.id, this.membership.token]
  }

  /** This process was buried while it was silent: it signs in anew, and what it held is lost. */
  async signInAnew(): Promise<void> {
    this.held.clear()
    await this.membership.signInAnew()
  }

  /** What to throw where a process is buried again and again. */
  gone(): AvocetError {
    return new AvocetError(
      'AVO_FRONTIER_BUSY',
      `${this.connections.name}: expected to be a process of this crawl, got buried by another one twice; run it again`,
    )
  }
}
