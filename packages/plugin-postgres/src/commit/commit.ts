// Commits: a group is one call. It has a number, so that one that is repeated after its answer was lost changes nothing, and gets the same answer.
//
// A store that has a lower number than that of the last group that it answered is an older one, which was restored, or lost what it did not sync: this process
// signs in anew then, and forgets what it knew.
// The caller repeats a call that failed with the same units: that is how a group is recognised. Hosts that turn out to be another's are forgotten, and the
// group is put together again without them.
import { AvocetError } from '@avocet/core'
import type { CommitResult, CommitUnit } from '@avocet/core/store'
import { numbersText } from '../connection/storable-text.ts'
import { codeOf } from '../connection/postgres-fault.ts'
import type { LeasedHost } from '../held-host.ts'
import type { ServerStore } from '../store.ts'
import { unlessFoundMeanwhile } from './seeds.ts'
import { CommitGroup, type GroupAnswer } from './group.ts'

/** A group of which it is not known whether it was written. */
interface OpenGroup {
  readonly units: readonly CommitUnit[]
  readonly no: number
  /** As it was sent: it is sent again like that, for what the store answers speaks of places in it. */
  sent?: { readonly group: CommitGroup; readonly values: readonly unknown[]; readonly token: string }
}

/** Commits of one store. */
export class GroupCommits {
  readonly #store: ServerStore
  #open: OpenGroup | undefined
  #no = 0
  /** The last group that was answered, and under which sign-in. */
  #answered = { token: '', no: 0 }

  constructor(store: ServerStore) {
    this.#store = store
  }

  commit(units: readonly CommitUnit[]): Promise<CommitResult[]> {
    return this.#store.inTurn(async () => {
      const open = this.#open?.units === units ? this.#open : { units, no: ++this.#no }
      this.#open = open
      const results = await this.#written(open)
      this.#open = undefined
      return results
    })
  }

  async #written(open: OpenGroup): Promise<CommitResult[]> {
    const { connections, durability, membership } = this.#store
    // Each turn of the loop but the last forgets a host of a unit at least, or all of them, by a sign-in anew.
    for (let turns = 0; turns <= open.units.length; turns++) {
      if (open.sent?.token !== membership.token) delete open.sent
      const { group, values, token } = (open.sent ??= await this.#made(open.units))
      if (group.isEmpty) return group.conclude([[], [], [], [], []])
      const last = this.#answered.token === token ? this.#answered.no : 0
      const before = [membership.id, token, open.no, last, membership.run, durability]
      const after = [...values, numbersText(membership.inherited)]
      try {
        const answer = await unlessFoundMeanwhile((lockFirst) =>
          connections.call<string | null>('commit', [...before, lockFirst, ...after]),
        )
        if (answer !== null) {
          this.#answered = { token, no: open.no }
          return group.conclude(JSON.parse(answer) as GroupAnswer)
        }
        await membership.signInAnew(token)
      } catch (thrown) {
        if (codeOf(thrown) !== 'AV001') throw thrown
        this.#forget(group.hosts, thrown)
      }
      // Nothing of it was written.
      delete open.sent
    }
    throw new AvocetError(
      'AVO_FRONTIER_BUSY',
      `expected the store ${membership.name} to take a group of pages without the hosts that it said were lost, got others each time; it is tried again`,
    )
  }

  async #made(units: readonly CommitUnit[]): Promise<NonNullable<OpenGroup['sent']>> {
    const { token } = this.#store.membership
    const group = new CommitGroup(this.#store, await this.#settledOf(units))
    for (const unit of units) group.take(unit)
    await this.#store.handlers.learn(group.handlers)
    await this.#store.reasons.learn(group.reasons)
    return { group, values: group.isEmpty ? [] : group.values, token }
  }

  #forget(hosts: readonly LeasedHost[], thrown: unknown): void {
    const { detail } = thrown as { readonly detail?: string }
    for (const place of JSON.parse(detail ?? '[]') as number[]) {
      const host = hosts[place - 1]
      if (host !== undefined) this.#store.lose(host)
    }
  }

  /** Of those that are not handed out: a repeated unit of what is settled is harmless. */
  async #settledOf(units: readonly CommitUnit[]): Promise<ReadonlySet<number>> {
    const asked = units.flatMap(({ requestId: id, lease }) => {
      const held = this.#store.held.get(lease.hostKey)
      const isStrange = id !== undefined && Number.isSafeInteger(id) && held?.epoch === lease.epoch && !held.out.has(id)
      return isStrange ? [{ id, host: held.id }] : []
    })
    if (asked.length === 0) return new Set()
    const rows = await this.#store.connections.all<{ id: number }>(
      'SELECT a.id FROM unnest($1::bigint[], $2::int[]) u (id, host) JOIN {S}.attempt a ON a.id = u.id JOIN {S}.request r ON r.id = u.id AND r.host = u.host WHERE a.state > 0',
      [numbersText(asked.map(({ id }) => id)), numbersText(asked.map(({ host }) => host))],
    )
    return new Set(rows.map(({ id }) => id))
  }
}
