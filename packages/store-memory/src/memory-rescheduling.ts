// Requests of the memory frontier that somebody wants at another moment, or not at all.
import { DROPPED_WITH_HOST, droppedReason, type StoreChange, type ChangeOf } from '@avocet/core/store'
import type { MemoryRequest } from './memory-request.ts'
import type { MemoryStore } from './memory-store.ts'

/** Changes them; returns how many requests were reopened, dropped or hastened. */
export function change(store: MemoryStore, wanted: Exclude<StoreChange, { kind: 'revive' }>): number {
  if (wanted.kind === 'reopen') return reopen(store, wanted)
  if (wanted.kind === 'drop') return drop(store, wanted)
  if (wanted.kind === 'hasten') return hasten(store, wanted)
  if (wanted.kind === 'revisit') for (const { id, at } of wanted.wanted) revisit(store, id, at)
  else probeRetired(store, wanted)
  return 0
}

function probeRetired({ hosts, due }: MemoryStore, { from, now }: { readonly from: number; readonly now: number }): void {
  for (const host of hosts.values()) {
    if (host.retired === undefined || host.retired.probeAt < from) continue
    host.retired = { ...host.retired, probeAt: now }
    due.place(host)
  }
}

function reopen(store: MemoryStore, query: ChangeOf<'reopen'>): number {
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

function drop(store: MemoryStore, query: ChangeOf<'drop'>): number {
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

function isNamed({ id, request }: MemoryRequest, { hostKey, ids }: Pick<ChangeOf<'reopen'>, 'hostKey' | 'ids'>): boolean {
  return (hostKey === undefined || hostKey === request.hostKey) && (ids === undefined || ids.includes(id))
}

function hasten(store: MemoryStore, { reason: wanted, now, limit }: ChangeOf<'hasten'>): number {
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
