// Leases: hosts go to one process at a time, fenced by an epoch that rises with each lease.
//
// The index of hosts by `due_at` has exactly the free ones with something to do, so a lease reads the hosts that it hands out and one more.
// Hosts of processes that died are taken back whenever anybody looks while another process is signed in.
import type { Frontier, Leased, LeaseResult, MemoryParts, Visit, VisitToken } from '@avocet/core'
import type { Statement } from './file/driver.ts'
import { NEVER } from './file/schema.ts'
import { heldHost, type HeldHost } from './queue/held-host.ts'
import type { HostRow } from './queue/host-table.ts'
import type { Store } from './store.ts'

type Want = Parameters<Frontier['lease']>[0]

/** Leases of one store. */
export class Leasing {
  readonly #store: Store
  readonly #due: Statement<number>
  readonly #next: Statement<number>
  readonly #later: Statement<number>

  constructor(store: Store) {
    this.#store = store
    this.#due = store.db
      .prepare<unknown[], number>('SELECT id FROM host WHERE due_at <= +? ORDER BY due_at, id LIMIT ? + 0')
      .pluck()
    this.#later = store.db
      .prepare<unknown[], number>(`SELECT id FROM host WHERE retired_for IS NOT NULL AND coalesce(probe_at, ${NEVER}) >= ?`)
      .pluck()
    this.#next = store.db.prepare<unknown[], number>('SELECT min(due_at) FROM host WHERE due_at > +?').pluck()
  }

  async lease(want: Want): Promise<LeaseResult> {
    const { writer } = this.#store
    // Nothing to lease is found out without writing, however often it is asked.
    const idle = await writer.look(() => this.#isIdle(want))
    const visits = idle ? [] : await writer.write('soon', () => this.#leaseDue(want))
    const found = writer.look(() => {
      const nextReadyAt = this.#next.get(want.now) ?? undefined
      const heldElsewhere = this.#store.processes.hasOthers ? this.#store.owners.heldElsewhere() : 0
      return { visits, heldElsewhere, ...(nextReadyAt !== undefined && { nextReadyAt }) }
    })
    if (visits.length === 0) return found
    // What is leased is handed over whatever happens to the look-up after it: nobody else would get it.
    return found.catch(() => ({ visits, heldElsewhere: 0, nextReadyAt: want.now }))
  }

  refill(token: VisitToken, n: number, now: number): Promise<{ requests: readonly Leased[]; nextDelayedAt?: number }> {
    return this.#store.writer.look(() => {
      const held = this.#held(token)
      const host = held && this.#fresh(held)
      if (held === undefined || host === undefined || host.retired_for !== null) return { requests: [] }
      const nextDelayedAt = this.#store.queue.nextDelayedAt(host, now)
      const requests = this.#store.queue.handOut(held, host, { n, now })
      return { requests, ...(nextDelayedAt !== undefined && { nextDelayedAt }) }
    })
  }

  renew(tokens: readonly VisitToken[], now: number): Promise<readonly { readonly held: boolean; readonly waiting: number }[]> {
    return this.#store.writer.write('soon', () => {
      this.#store.processes.beat(now)
      this.#store.totals.sees(now)
      this.#store.totals.save()
      return tokens.map((token) => {
        const held = this.#held(token)
        const host = held && this.#fresh(held)
        if (held === undefined || host === undefined) return { held: false, waiting: 0 }
        return { held: true, waiting: host.ready + host.delayed - held.out.size }
      })
    })
  }

  release(token: VisitToken, { readyAt, memory }: { readyAt: number; memory: MemoryParts }): Promise<void> {
    const { writer, visits, memories } = this.#store
    return writer.write('soon', () => {
      const held = this.#held(token)
      const host = held && this.#store.ownHost(held)
      if (held === undefined || host === undefined) return
      host.owner = null
      host.ready_at = Math.min(Math.ceil(readyAt), NEVER)
      memories.setHost(host.id, memory)
      this.#store.save()
      writer.whenCommitted(() => visits.delete(held.hostKey))
    })
  }

  /** Gives a host up; `reason` null revives it. */
  retire(hostKey: string, reason: string | null, probeAt: number = Infinity): Promise<void> {
    const { writer, hosts } = this.#store
    return writer.write('now', () => {
      const host = hosts.find(hostKey)
      if (host === undefined) return
      host.retired_for = reason
      host.probe_at = probeAt === Infinity ? null : Math.ceil(probeAt)
      if (reason === null && host.owner === null) host.ready_at = 0
      this.#store.save()
    })
  }

  /** Brings the probes of retired hosts forward, of those that have none before `from`. */
  probeRetired({ from, now }: { readonly from: number; readonly now: number }): Promise<void> {
    const { writer, hosts } = this.#store
    return writer.write('now', () => {
      for (const id of this.#later.all(Math.min(from, NEVER))) {
        const host = hosts.get(id)
        if (host !== undefined) host.probe_at = Math.ceil(now)
      }
      this.#store.save()
    })
  }

  #isIdle({ now, hosts }: Want): boolean {
    const { processes } = this.#store
    if (hosts > 0 && this.#due.get(now, 1) !== undefined) return false
    return !processes.hasOthers || processes.others(now).dead.length === 0
  }

  #leaseDue({ now, hosts: n, requestsPerHost }: Want): Visit[] {
    const { processes, owners, hosts, totals, identity, writer } = this.#store
    identity.refresh(totals.load())
    processes.beat(now)
    totals.sees(now)
    if (processes.hasOthers) {
      owners.bury(processes.others(now).dead)
      this.#store.save()
    }
    const entered: HeldHost[] = []
    const visits = this.#due.all(now, n).flatMap((id) => {
      const host = hosts.get(id)
      if (host === undefined) return []
      const { visit, held } = this.#enter(host, requestsPerHost, now)
      entered.push(held)
      return [visit]
    })
    this.#store.save()
    writer.whenCommitted(() => {
      for (const held of entered) this.#store.visits.set(held.hostKey, held)
    })
    return visits
  }

  #enter(host: HostRow, n: number, now: number): { visit: Visit; held: HeldHost } {
    const { processes, queue, memories } = this.#store
    const takenOver = host.abandoned === 1
    host.abandoned = 0
    host.owner = processes.id
    host.epoch++
    const held = heldHost(host.id, host.key, host.epoch)
    const requests = queue.handOut(held, host, { n, now })
    const nextDelayedAt = queue.nextDelayedAt(host, now)
    const visit = {
      hostKey: host.key,
      epoch: host.epoch,
      memory: memories.ofHost(host.id),
      requests,
      waiting: host.ready + host.delayed - held.out.size,
      ...(nextDelayedAt !== undefined && { nextDelayedAt }),
      ...(takenOver && { takenOver }),
      ...(host.retired_for !== null && { retired: host.retired_for }),
    }
    return { visit, held }
  }

  #held({ hostKey, epoch }: VisitToken): HeldHost | undefined {
    const held = this.#store.visits.get(hostKey)
    return held?.epoch === epoch ? held : undefined
  }

  /** The host as it is now, to be read only, outside or inside a transaction. */
  #fresh(held: HeldHost): HostRow | undefined {
    const host = this.#store.hosts.peek(held.hostId)
    return host?.owner === this.#store.processes.id && host.epoch === held.epoch ? host : undefined
  }
}
