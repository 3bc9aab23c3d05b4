// Requests of the memory frontier that somebody wants at another moment, or not at all.
import { hostLaws, requestLaws, type StoreChange, type ChangeOf } from '@avocet/core/store'
import type { MemoryRequest } from './memory-request.ts'
import type { MemoryStore } from './memory-store.ts'

/** Changes them; returns how many requests were reopened or dropped. */
export function change(store: MemoryStore, wanted: Exclude<StoreChange, { kind: 'revive' }>): number {
  if (wanted.kind === 'reopen') return reopen(store, wanted)
  if (wanted.kind === 'drop') return drop(store, wanted)
  if (wanted.kind === 'settle-held') return store.settleHeld(wanted.hostKey, wanted.to).settled
  if (wanted.kind === 'revisit') for (const { id, at } of wanted.wanted) revisit(store, id, at)
  else
    for (const host of store.hosts.values()) {
      host.row = hostLaws.probed(host.row, wanted)
      store.due.place(host)
    }
  return 0
}

function reopen(store: MemoryStore, query: ChangeOf<'reopen'>): number {
  // One that is due again and handed out is being requested already.
  const wanted = store.requests.filter((each) => each.row.state === 'failed' && !store.isOut(each) && isMeant(each, query))
  const taken = wanted.slice(0, query.limit)
  for (const request of taken) {
    request.deaths = 0
    store.change(request, requestLaws.reopened(request.row))
  }
  return taken.length
}

function drop(store: MemoryStore, query: ChangeOf<'drop'>): number {
  const { underRetired = false, limit } = query
  const wanted = store.requests.filter(
    (each) => (underRetired ? waitsUnderRetired(store, each) : mayBeDropped(each)) && isMeant(each, query),
  )
  const taken = wanted.slice(0, limit)
  for (const request of taken) {
    const reason = underRetired ? requestLaws.DROPPED_WITH_HOST : requestLaws.droppedReason(request.row.reason ?? '')
    request.deaths = 0
    store.change(request, requestLaws.dropped(request.row, reason ?? ''))
  }
  return taken.length
}

function mayBeDropped({ row }: MemoryRequest): boolean {
  return requestLaws.isGivenUp(row) && requestLaws.droppedReason(row.reason ?? '') !== undefined
}

/** What its holder has handed out will have an outcome of its own. */
function waitsUnderRetired({ hosts }: MemoryStore, { isSettled, request: { hostKey } }: MemoryRequest): boolean {
  const host = hosts.get(hostKey)
  return !isSettled && host !== undefined && host.row.retiredFor !== null && !host.held
}

function isMeant({ id, request, row }: MemoryRequest, { hostKey, ids, reasons }: ChangeOf<'reopen' | 'drop'>): boolean {
  const isNamed = (hostKey === undefined || hostKey === request.hostKey) && (ids === undefined || ids.includes(id))
  return isNamed && (reasons === undefined || reasons.includes(row.reason ?? ''))
}

function revisit(store: MemoryStore, id: number, at: number | undefined): void {
  const request = store.request(id)
  if (request !== undefined && !store.isOut(request)) store.change(request, requestLaws.revisited(request.row, at))
}
