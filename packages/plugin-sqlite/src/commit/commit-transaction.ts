// A group of units in one transaction. Each unit is checked whole before anything of it is written, so none needs a savepoint.
//
// What many units share is written once, at the end: hosts, spans, totals, memory, new rows. RAM learns of it after the commit only.
import { unitProblem, watchLaws, type CommitResult, type CommitUnit } from '@avocet/core/store'
import type { HeldHost, WaitingSpan } from '../queue/waiting-queue.ts'
import type { StoredHost } from '../queue/host-table.ts'
import type { Store } from '../store.ts'
import type { SeenPage } from '../outcome/watch-table.ts'
import { askAgain, NewRows } from './new-rows.ts'

const NOTHING = { gained: [], added: 0, known: 0 } as const

/** One group. Use it for one transaction. */
export class CommitTransaction {
  readonly #store: Store
  readonly #rows: NewRows
  readonly #left = new Map<WaitingSpan, { host: StoredHost; ids: Set<number> }>()
  readonly #concluded = new Map<number, HeldHost>()

  constructor(store: Store) {
    this.#store = store
    this.#rows = new NewRows(store)
  }

  /** Results in the order of units. */
  run(units: readonly CommitUnit[]): CommitResult[] {
    const { identity, totals, hosts, memories, processes, queue, writer } = this.#store
    const before = totals.load()
    identity.refresh(before)
    const results = units.map((unit) => this.#unit(unit))
    this.#rows.insert(before.known)
    for (const [span, { host, ids }] of this.#left) queue.leaveSpan(host, span, ids)
    hosts.save()
    memories.save(processes.id)
    totals.save()
    identity.merge(before, this.#rows.size)
    writer.whenCommitted(() => this.#concludeInRam())
    return results
  }

  #unit(unit: CommitUnit): CommitResult {
    const held = this.#store.held.get(unit.lease.hostKey)
    const host = held?.epoch === unit.lease.epoch ? this.#store.ownHost(held) : undefined
    if (held?.epoch === unit.lease.epoch && host === undefined) this.#store.lost(held)
    if (held === undefined || host === undefined) return { status: 'fenced', ...NOTHING }
    const standing = this.#standing(held, unit.requestId)
    const offer = this.#rows.offer(unit.links)
    const error = unitProblem(unit) ?? standing.error ?? offer.error
    if (error !== undefined) return { status: 'rejected', error, ...NOTHING }
    if (standing.repeated) return { status: 'committed', ...NOTHING, known: unit.links.length }
    const asked = askAgain(this.#store, unit.links)
    const gained = [...this.#rows.take(offer.fresh), ...asked]
    const came = this.#conclude(held, host, unit)
    this.#store.memories.setHost(host.id, unit.memory)
    this.#store.memories.setCrawl(unit.crawlMemory)
    const known = unit.links.length - offer.fresh.length
    return {
      status: 'committed',
      gained,
      added: offer.fresh.length,
      known,
      ...(asked.length > 0 && { asked: asked.length }),
      ...came,
    }
  }

  #standing(held: HeldHost, id: number | undefined): { error?: string; repeated?: boolean } {
    if (id === undefined) return {}
    if (held.out.has(id) && !this.#concluded.has(id)) return {}
    const repeated = this.#concluded.get(id) === held || held.returned.has(id) || this.#store.isSettledAt(held, id)
    return repeated ? { repeated } : { error: `requestId: expected one that this lease handed out, got ${String(id)}` }
  }

  /** Says what was published, and how many changes it makes. */
  #conclude(held: HeldHost, host: StoredHost, unit: CommitUnit): Pick<CommitResult, 'published' | 'changes'> {
    const { requestId: id, outcome, items, rejects = [], records = [] } = unit
    if (id === undefined || outcome === undefined) return {}
    const { outcomes, items: table, rejects: refused, owners, totals, writer } = this.#store
    if (outcome.fetched !== undefined) totals.sees(outcome.fetched.at + outcome.fetched.durationMs)
    this.#concluded.set(id, held)
    const span = held.out.get(id)
    // What is in a span was never tried.
    const was = span === undefined ? outcomes.read(id) : undefined
    if (span !== undefined) {
      const left = this.#left.get(span) ?? { host, ids: new Set() }
      left.ids.add(id)
      this.#left.set(span, left)
    }
    const visit = was?.visits ?? 0
    const page = { host: host.id, id, visit, at: Math.round(outcome.fetched?.at ?? 0) }
    const settled = unit.settlesHeld && this.#store.settleHeld(host.id, { to: unit.settlesHeld, by: id })
    if (items.length + rejects.length + records.length > 0) {
      totals.count('items', table.add(page, items))
      refused.add(page, { items, rejects })
      this.#store.records.add(page, records)
    }
    const changes = (settled?.changes ?? 0) + this.#watched(page, unit)
    outcomes.record(host, { id, rank: span?.rank ?? was?.rank ?? 0 }, { outcome, ...(was && { was }) })
    owners.clearSuspicion(id)
    if (outcome.kind === 'retry' || outcome.again !== undefined) writer.whenCommitted(() => held.returned.add(id))
    const published = settled?.published ?? 0
    return { ...(published > 0 && { published }), ...(changes > 0 && { changes }) }
  }

  /** What its page says of watched items. Returns how many changes that makes. */
  #watched(page: SeenPage, unit: CommitUnit): number {
    const { watch, held, items } = unit
    const { watched } = this.#store
    if (held !== undefined) watched.hold(page, held)
    else if (watchLaws.replacesHeld(unit)) watched.replaceHeld(page, items)
    return watch === undefined ? 0 : watched.visited(page, watch, items)
  }

  #concludeInRam(): void {
    for (const [id, held] of this.#concluded) {
      held.out.get(id)?.out.delete(id)
      held.out.delete(id)
    }
    for (const [span, { ids, host }] of this.#left) {
      span.remaining -= ids.size
      if (span.remaining === 0) this.#store.held.get(host.key)?.spans.delete(span.first)
    }
  }
}
