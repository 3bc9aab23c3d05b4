// One unit against the memory store: checked whole, then applied whole.
import { type CommitResult, type CommitUnit, type NewRequest, requestProblem, unitProblem, watchLaws } from '@avocet/core/store'
import type { MemoryHost } from './memory-host.ts'
import type { MemoryStore } from './memory-store.ts'
import type { VisitedPage } from './memory-watch.ts'

const NOTHING = { gained: [], added: 0, known: 0 } as const

/** Commits one unit, or says why not. */
export function commitUnit(store: MemoryStore, unit: CommitUnit): CommitResult {
  const host = store.hosts.get(unit.lease.hostKey)
  if (host === undefined || !host.held || host.epoch !== unit.lease.epoch) return { status: 'fenced', ...NOTHING }
  const standing = standingOf(store, host, unit.requestId)
  const offered = offer(store, unit.links)
  const error = unitProblem(unit) ?? standing.error ?? offered.error
  if (error !== undefined) return { status: 'rejected', error, ...NOTHING }
  if (standing.repeated) return { status: 'committed', gained: [], added: 0, known: unit.links.length }
  const asked = askAll(store, unit.links)
  const gained = [...addAll(store, offered.fresh), ...asked]
  const came = conclude(store, host, unit)
  if (unit.memory) host.remember(unit.memory)
  if (unit.crawlMemory) store.crawlMemory = { ...store.crawlMemory, ...unit.crawlMemory }
  return {
    status: 'committed',
    gained,
    added: offered.fresh.length,
    known: unit.links.length - offered.fresh.length,
    ...countAsked(asked),
    ...came,
  }
}

/** Adds requests that are not known; says which hosts gained how many. */
export function addAll(store: MemoryStore, fresh: readonly NewRequest[]): CommitResult['gained'] {
  if (fresh.length === 0) return NOTHING.gained
  const gains = new Map<string, { hostKey: string; count: number; topPriority: number }>()
  for (const request of fresh) {
    store.insert(request)
    const gain = gains.get(request.hostKey) ?? { hostKey: request.hostKey, count: 0, topPriority: -Infinity }
    gain.count++
    gain.topPriority = Math.max(gain.topPriority, request.priority)
    gains.set(request.hostKey, gain)
  }
  return [...gains.values()]
}

/** How many known requests are due because links asked for them, as a part of the result. */
function countAsked({ length }: CommitResult['gained']): Pick<CommitResult, 'asked'> {
  return length === 0 ? {} : { asked: length }
}

/** Asks for visits of those that are known; says which hosts gained them. */
function askAll(store: MemoryStore, links: readonly NewRequest[]): CommitResult['gained'] {
  const asked = links.flatMap((link) => store.ask(link) ?? [])
  return asked.map(({ request: { hostKey, priority } }) => ({ hostKey, count: 1, topPriority: priority }))
}

/** Which of the offered requests are new, each once. */
export function offer(store: MemoryStore, links: readonly NewRequest[]): { fresh: NewRequest[]; error?: string } {
  if (links.length === 0) return { fresh: [] }
  const fresh = new Map<string, NewRequest>()
  for (const link of links) {
    const isKnown = store.known.has(link.fingerprint) || fresh.has(link.fingerprint)
    if (isKnown && link.again === undefined) continue
    const error = requestProblem(link)
    if (error !== undefined) return { fresh: [], error: `link ${link.url}: ${error}` }
    if (!isKnown) fresh.set(link.fingerprint, link)
  }
  return { fresh: [...fresh.values()] }
}

function standingOf(store: MemoryStore, host: MemoryHost, id: number | undefined): { error?: string; repeated?: boolean } {
  if (id === undefined || host.out.has(id)) return {}
  const request = store.request(id)
  const repeated = request?.request.hostKey === host.key && (request.isSettled || host.returned.has(id))
  return repeated ? { repeated } : { error: `requestId: expected one that this lease handed out, got ${id}` }
}

/** Says what was published, and how many changes it makes. */
function conclude(store: MemoryStore, host: MemoryHost, unit: CommitUnit): Pick<CommitResult, 'published' | 'changes'> {
  const request = host.out.get(unit.requestId ?? 0)
  if (request === undefined || unit.outcome === undefined) return {}
  host.out.delete(request.id)
  request.deaths = 0
  const visit = request.row.visits ?? 0
  const page = { requestId: request.id, visit }
  const settled = unit.settlesHeld && store.settleHeld(host.key, unit.settlesHeld, request.request.handler)
  unit.items.forEach(({ json, ordinal }, index) => store.keepItem({ ...page, ordinal: ordinal ?? index }, json))
  unit.records?.forEach(({ json, ordinal }, index) => store.keepRecord({ ...page, ordinal: ordinal ?? index }, json))
  if (unit.rejects !== undefined || store.rejects.size > 0) store.rejects.commit(page, unit)
  const at = Math.round(unit.outcome.fetched?.at ?? 0)
  const visited = { ...page, hostKey: host.key, url: request.request.url, at }
  const changes = (settled?.changes ?? 0) + watched(store, visited, unit)
  if (unit.outcome.kind === 'retry') host.retried++
  store.record(request, host, unit.outcome)
  if (!request.isSettled || request.isAgain) {
    host.returned.add(request.id)
    host.enqueue(request)
  }
  const published = settled?.published ?? 0
  return { ...(published > 0 && { published }), ...(changes > 0 && { changes }) }
}

/** What a page says of watched items. Returns how many changes that makes. */
function watched(store: MemoryStore, page: VisitedPage, unit: CommitUnit): number {
  const { watch, held, items } = unit
  if (held !== undefined) store.rejects.hold(page, held)
  else if (watchLaws.replacesHeld(unit)) store.rejects.replaceHeld(page, items)
  return watch === undefined ? 0 : store.watched.visited(page, watch, items)
}
