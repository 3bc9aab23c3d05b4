// The parts of one open store, put together: who uses whom, and what this process holds.
//
// Calls that change what is held run one after the other (`inTurn`), in the order in which they were made: an older memory must not overwrite a newer one,
// and a lease must not meet a release on its way. Reads, refills and beats go beside them.
import { askSignedIn, CallLanes } from './connection/call-lanes.ts'
import type { ServerConnections } from './connection/connections.ts'
import { type LeasedHost, HostNames } from './held-host.ts'
import { WordIds } from './names/word-ids.ts'
import type { Membership } from './process/membership.ts'

/** How a transaction is synced, as `synchronous_commit` has it. */
export type Durability = 'on' | 'off' | 'local' | 'remote_write' | 'remote_apply'

/** What a store is made of. */
export interface ServerStoreParts {
  readonly connections: ServerConnections
  readonly durability: Durability
  readonly membership: Membership
}

/** An open store whose tables exist. */
export class ServerStore {
  readonly connections: ServerConnections
  readonly durability: Durability
  readonly membership: Membership
  readonly names: HostNames
  readonly handlers: WordIds
  readonly reasons: WordIds
  /** Hosts that this process holds, by key. */
  readonly held: Map<string, LeasedHost> = new Map()
  /** Sinks that this process took, each with the token of the sign-in under which it did. */
  readonly claims: Map<string, string> = new Map()
  /** Calls beside those that are made in turn. */
  readonly lanes: CallLanes
  #last: Promise<unknown> = Promise.resolve()
  #no = 0

  constructor({ connections, durability, membership }: ServerStoreParts) {
    this.connections = connections
    this.durability = durability
    this.membership = membership
    this.names = new HostNames()
    this.handlers = new WordIds(connections, 'handler')
    this.reasons = new WordIds(connections, 'reason')
    this.lanes = new CallLanes(membership)
    membership.whenSignedInAnew(() => this.#forget())
  }

  /** Runs `work` after all earlier calls of this kind, whatever became of them. */
  inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const call = this.#last.then(work)
    this.#last = call.catch(() => undefined)
    return call
  }

  /**
   * Asks as this process, in turn, with the number that the call has among those that are made so. Null says that it was buried: it signs in anew then, what it
   * held is lost, and it asks again, once.
   */
  askInTurn<Answer>(ask: (no: number) => Promise<Answer | null>): Promise<Answer> {
    return this.inTurn(() => askSignedIn(this.membership, () => ask(++this.#no)))
  }

  /** Ids of all requests that this process has handed out. */
  get out(): readonly number[] {
    return [...this.held.values()].flatMap(({ out }) => [...out.keys()])
  }

  /** Of this process, as it is signed in. */
  get token(): string {
    return this.membership.token
  }

  /** The id and token of this process, as most functions want them. */
  get me(): readonly [number, string] {
    return [this.membership.id, this.membership.token]
  }

  /** This lease of a host is over. The host may have been leased anew since: that one is left. */
  lose(host: LeasedHost): void {
    if (this.held.get(host.key) === host) this.held.delete(host.key)
  }

  /** Whether this process is still signed in as it is now: what is asked for at this moment, and comes later, may otherwise be of another store. */
  since(): () => boolean {
    const { token } = this
    return () => token === this.token
  }

  /**
   * What was leased before this process signed in anew is lost. So is what it knew: the store may be another one by now, which was made anew under its name,
   * or an older one, which was restored.
   */
  #forget(): void {
    this.held.clear()
    for (const each of [this.names, this.handlers, this.reasons]) each.clear()
  }
}
