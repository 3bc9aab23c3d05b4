// Requests of the memory frontier that somebody wants at another moment, or not at all.
import {
  DROPPED_WITH_HOST,
  droppedReason,
  type DropQuery,
  type Frontier,
  type HastenQuery,
  type ReopenQuery,
} from '@avocet/core/store'
import type { MemoryRequest } from './memory-request.ts'
import type { MemoryStore } from './memory-store.ts'

/** The part of a frontier that says so. */
export function memoryRescheduling(
  opened: () => MemoryStore,
): Pick<Frontier, 'probeRetired' | 'reopen' | 'drop' | 'hasten' | 'revisit'> {
  return {
    probeRetired: async (when) => probeRetired(opened(), when),
    reopen: async (query) => reopen(opened(), query),
    drop: async (query) => drop(opened(), query),
    hasten: async (query) => hasten(opened(), query),
    async revisit(wanted) {
      const store = opened()
      for (const { id, at } of wanted) revisit(store, id, at)
    },
  }
}

function probeRetired({ hosts, due }: MemoryStore, { from, now }: { readonly from: number; readonly now: number }): void {
  for (const host of hosts.values()) {
    if (host.retired === undefined || host.retired.probeAt < from) continue
    host.retired = { ...host.retired, probeAt: now }
    due.place(host)
  }
}

function reopen(store: MemoryStore, query: ReopenQuery): number {
  const { reasons, limit } = query
  const wanted = store.requests.filter(
    (each) =>
      each.state === 'failed' &&
      // One that is due again and handed out is being requested already.
      !store.isOut(each) &&
      (reasons === undefined || reasons.includes(each.reason ?? '')) &&
      isNamed(each, query),
  )
  const taken = wanted.slice(0, limit)
  for (const request of taken) store.change(request, () => request.reopen())
  return taken.length
}

function drop(store: MemoryStore, query: DropQuery): number {
  const { reasons, underRetired = false, limit } = query
  const wanted = store.requests.filter(
    (each) =>
      (underRetired ? waitsUnderRetired(store, each) : isGivenUp(each)) &&
      (reasons === undefined || reasons.includes(each.reason ?? '')) &&
      isNamed(each, query),
  )
  const taken = wanted.slice(0, limit)
  for (const request of taken) {
    const reason = request.state === 'failed' ? droppedReason(request.reason ?? '') : DROPPED_WITH_HOST
    store.change(request, () => request.drop(reason))
  }
  return taken.length
}

function isGivenUp({ state, notBefore, reason = '' }: MemoryRequest): boolean {
  return state === 'failed' && notBefore === undefined && droppedReason(reason) !== undefined
}

/** What its holder has handed out will have an outcome of its own. */
function waitsUnderRetired({ hosts }: MemoryStore, { state, request: { hostKey } }: MemoryRequest): boolean {
  const host = hosts.get(hostKey)
  return state === 'waiting' && host?.retired !== undefined && !host.held
}

function isNamed({ id, request }: MemoryRequest, { hostKey, ids }: Pick<ReopenQuery, 'hostKey' | 'ids'>): boolean {
  return (hostKey === undefined || hostKey === request.hostKey) && (ids === undefined || ids.includes(id))
}

function hasten(store: MemoryStore, { reason: wanted, now, limit }: HastenQuery): number {
  const taken = store.requests
    .filter(({ isSettled, reason, notBefore = 0 }) => !isSettled && reason === wanted && notBefore > now)
    .filter((request) => !store.isOut(request))
    .slice(0, limit)
  for (const request of taken) store.change(request, () => (request.notBefore = 0))
  return taken.length
}

function revisit(store: MemoryStore, id: number, at: number | undefined): void {
  const request = store.request(id)
  // What a link or a seed asked for is due whatever the rules say.
  if (request === undefined || request.asked !== undefined || !request.isSettled || store.isOut(request)) return
  store.change(request, () => request.revisit(at))
}
