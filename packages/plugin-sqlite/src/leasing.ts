// Leases: hosts go to one process at a time, fenced by an epoch that rises with each lease.
//
// The indexes of hosts by `due_at` have exactly the free ones with something to do (queue/due-host-index.ts). Hosts of processes that died are taken
// back whenever anybody looks and finds nothing, or leases. A process that finds nothing while others hold hosts says so, once a second; the
// others then hold no more than their share (`Shares` in process/owners.ts).
import {
  hostLaws,
  type Leased,
  type LeaseResult,
  type LeaseWant,
  type GivenBack,
  type HostLease,
  type LeaseToken,
} from '@avocet/core/store'
import { NEVER } from '@avocet/store-sql'
import type { Statement } from './file/driver.ts'
import { heldHost, type HeldHost } from './queue/waiting-queue.ts'
import type { Moment } from './process/process-table.ts'
import type { StoredHost } from './queue/host-table.ts'
import type { Store } from './store.ts'

/** How often to say that this process is idle. */
const SAY_IDLE_EVERY_MS = 1_000

/** Leases of one store. */
export class Leasing {
  readonly #store: Store
  readonly #later: Statement<number>
  /** Hosts taken so far. */
  #taken = 0
  #saidIdleAt = -Infinity

  constructor(store: Store) {
    this.#store = store
    this.#later = store.db
      .prepare<unknown[], number>(`SELECT id FROM host WHERE retired_for IS NOT NULL AND coalesce(probe_at, ${NEVER}) >= ?`)
      .pluck()
  }

  async lease(want: LeaseWant): Promise<LeaseResult> {
    const { writer } = this.#store
    const moment = this.#store.moment(want.now)
    // Nothing to lease is found out without writing, however often it is asked.
    const isVain = await writer.look(() => this.#isVain(want))
    const leases = isVain ? [] : await writer.write('soon', () => this.#leaseDue(want, moment))
    const found = writer.look(() => this.#resultOf(want, leases))
    // What is leased is handed over even if the look-up after it fails: nobody else would get it.
    if (leases.length > 0) return found.catch(() => ({ leases, heldElsewhere: 0, nextReadyAt: want.now }))
    const result = await found
    if (want.idle === true && want.hosts > 0 && result.heldElsewhere > 0) await this.#sayIdle(want.now)
    return result
  }

  refill(
    token: LeaseToken,
    { n, now, putBack = [] }: { n: number; now: number; putBack: readonly number[] | undefined },
  ): Promise<{ requests: readonly Leased[]; nextDelayedAt?: number }> {
    return this.#store.writer.look(() => {
      const held = this.#held(token)
      if (held !== undefined) this.#store.queue.putBack(held, putBack)
      const host = held && this.#fresh(held)
      if (held === undefined || host === undefined || host.retiredFor !== null) return { requests: [] }
      const nextDelayedAt = this.#store.queue.nextDelayedAt(host, now)
      const requests = this.#store.queue.handOut(held, host, { n, now })
      return { requests, ...(nextDelayedAt !== undefined && { nextDelayedAt }) }
    })
  }

  renew(tokens: readonly LeaseToken[], now: number): Promise<readonly { readonly held: boolean; readonly waiting: number }[]> {
    const moment = this.#store.moment(now)
    return this.#store.writer.write('soon', () => {
      this.#store.beat(moment)
      this.#store.totals.sees(now)
      this.#store.totals.save()
      return tokens.map((token) => {
        const held = this.#held(token)
        const host = held && this.#fresh(held)
        if (held !== undefined && host === undefined) this.#store.lost(held)
        if (held === undefined || host === undefined) return { held: false, waiting: 0 }
        return { held: true, waiting: host.ready + host.delayed - held.out.size }
      })
    })
  }

  release(hosts: readonly GivenBack[]): Promise<void> {
    return this.#store.writer.write('soon', () => {
      for (const each of hosts) this.#giveBack(each)
      this.#store.save()
    })
  }

  /** Gives a host up, or revives it where there is no `reason`; `by` a holder only while it still holds the host. */
  retire(hostKey: string, reason: string | null, probeAt: number, by: LeaseToken | undefined): Promise<void> {
    const { writer, hosts } = this.#store
    return writer.write('now', () => {
      const held = by && this.#held(by)
      const host = by === undefined ? hosts.find(hostKey) : held && this.#store.ownHost(held)
      if (host === undefined) return
      const isHeld = host.owner !== null
      Object.assign(host, reason === null ? hostLaws.revived(host, isHeld) : hostLaws.retired(reason, Math.ceil(probeAt)))
      this.#store.save()
    })
  }

  /** Brings the probes of retired hosts forward, of those that have none before `from`. */
  probeRetired({ from, now }: { readonly from: number; readonly now: number }): Promise<void> {
    const { writer, hosts } = this.#store
    return writer.write('now', () => {
      for (const id of this.#later.all(Math.min(from, NEVER))) {
        const host = hosts.get(id)
        if (host !== undefined) Object.assign(host, hostLaws.probed(host, { from, now: Math.ceil(now) }))
      }
      this.#store.save()
    })
  }

  #giveBack({ lease, rest: { readyAt, memory, onProbation = false } }: GivenBack): void {
    const held = this.#held(lease)
    const host = held && this.#store.ownHost(held)
    if (held !== undefined) this.#store.lost(held)
    if (held === undefined || host === undefined) return
    host.owner = null
    host.probation = onProbation ? 1 : 0
    host.readyAt = Math.min(Math.ceil(readyAt), NEVER)
    this.#store.memories.setHost(host.id, memory)
  }

  #isVain({ now, hosts, onProbation = Infinity }: LeaseWant): boolean {
    const { due } = this.#store
    if (hosts > 0 && (due.has(0, now) || (onProbation > 0 && due.has(1, now)))) return false
    return this.#store.goneOwners().length === 0
  }

  #resultOf({ now, hosts, onProbation }: LeaseWant, leases: readonly HostLease[]): LeaseResult {
    const { due, processes, owners } = this.#store
    const nextReadyAt = due.nextAfter(now)
    const left = onProbation !== undefined && leases.length < hosts && due.has(1, now)
    // Last: what is read of it counts as told.
    const crawlMemories = leases.length > 0 ? this.#store.newsElsewhere() : []
    return {
      leases,
      heldElsewhere: processes.hasOthers ? owners.heldElsewhere() : 0,
      ...(nextReadyAt !== undefined && { nextReadyAt }),
      ...(left && { leftOnProbation: left }),
      ...(crawlMemories.length > 0 && { crawlMemories }),
    }
  }

  async #sayIdle(now: number): Promise<void> {
    const { writer, processes } = this.#store
    if (Math.abs(now - this.#saidIdleAt) < SAY_IDLE_EVERY_MS) return
    this.#saidIdleAt = now
    await writer.write('soon', () => processes.sayIdle(now))
  }

  #leaseDue({ now, hosts: n, requestsPerHost, onProbation = Infinity }: LeaseWant, moment: Moment): HostLease[] {
    const { owners, hosts, totals, identity, writer, due } = this.#store
    identity.refresh(totals.load())
    this.#store.beat(moment)
    totals.sees(now)
    owners.recover(this.#store.goneOwners())
    this.#store.save()
    const entered: HeldHost[] = []
    const ids = due.select({ now, hosts: n, onProbation, taken: this.#taken })
    const leases = ids.flatMap((id) => {
      const host = hosts.get(id)
      if (host === undefined) return []
      const { lease, held } = this.#enter(host, requestsPerHost, now)
      entered.push(held)
      return [lease]
    })
    this.#store.save()
    writer.whenCommitted(() => {
      this.#taken += entered.length
      for (const held of entered) this.#store.held.set(held.hostKey, held)
    })
    return leases
  }

  #enter(host: StoredHost, n: number, now: number): { lease: HostLease; held: HeldHost } {
    const { processes, queue, memories } = this.#store
    const takenOver = host.abandoned === 1
    host.abandoned = 0
    host.owner = processes.id
    host.epoch++
    const held = heldHost(host.id, host.key, host.epoch)
    const requests = queue.handOut(held, host, { n, now })
    const nextDelayedAt = queue.nextDelayedAt(host, now)
    const lease = {
      hostKey: host.key,
      epoch: host.epoch,
      memory: memories.ofHost(host.id),
      requests,
      waiting: host.ready + host.delayed - held.out.size,
      ...(nextDelayedAt !== undefined && { nextDelayedAt }),
      ...(takenOver && { takenOver }),
      ...(host.retiredFor !== null && { retired: host.retiredFor }),
    }
    return { lease, held }
  }

  #held({ hostKey, epoch }: LeaseToken): HeldHost | undefined {
    const held = this.#store.held.get(hostKey)
    return held?.epoch === epoch ? held : undefined
  }

  /** The host as it is now, to be read only, outside or inside a transaction. */
  #fresh(held: HeldHost): StoredHost | undefined {
    const host = this.#store.hosts.peek(held.hostId)
    return host?.owner === this.#store.processes.id && host.epoch === held.epoch ? host : undefined
  }
}
