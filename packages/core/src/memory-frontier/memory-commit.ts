// One turn of the wheel against the memory store: checked whole, then applied whole.
import type { CommitResult, Turn } from '../frontier.ts'
import type { NewRequest } from '../request.ts'
import type { MemoryHost } from './memory-host.ts'
import type { MemoryStore } from './memory-store.ts'
import { requestProblem, turnProblem } from './turn-problem.ts'

const NOTHING = { gained: [], added: 0, known: 0 } as const

/** Commits one turn, or says why not. */
export function commitTurn(store: MemoryStore, turn: Turn): CommitResult {
  const host = store.hosts.get(turn.visit.hostKey)
  if (host === undefined || !host.held || host.epoch !== turn.visit.epoch) return { status: 'fenced', ...NOTHING }
  const standing = standingOf(store, host, turn.requestId)
  const offered = offer(store, turn.links)
  const error = turnProblem(turn) ?? standing.error ?? offered.error
  if (error !== undefined) return { status: 'rejected', error, ...NOTHING }
  if (standing.repeated) return { status: 'committed', gained: [], added: 0, known: turn.links.length }
  const gained = addAll(store, offered.fresh)
  conclude(store, host, turn)
  if (turn.memory) host.remember(turn.memory)
  if (turn.crawlMemory) store.crawlMemory = { ...store.crawlMemory, ...turn.crawlMemory }
  return { status: 'committed', gained, added: offered.fresh.length, known: turn.links.length - offered.fresh.length }
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

/** Which of the offered requests are new, each once. */
export function offer(store: MemoryStore, links: readonly NewRequest[]): { fresh: NewRequest[]; error?: string } {
  if (links.length === 0) return { fresh: [] }
  const fresh = new Map<string, NewRequest>()
  for (const link of links) {
    if (store.known.has(link.fingerprint) || fresh.has(link.fingerprint)) continue
    const error = requestProblem(link)
    if (error !== undefined) return { fresh: [], error: `link ${link.url}: ${error}` }
    fresh.set(link.fingerprint, link)
  }
  return { fresh: [...fresh.values()] }
}

function standingOf(store: MemoryStore, host: MemoryHost, id: number | undefined): { error?: string; repeated?: boolean } {
  if (id === undefined || host.out.has(id)) return {}
  const request = store.request(id)
  const repeated = request?.request.hostKey === host.key && (request.isSettled || host.returned.has(id))
  return repeated ? { repeated } : { error: `requestId: expected one that this visit handed out, got ${id}` }
}

function conclude(store: MemoryStore, host: MemoryHost, turn: Turn): void {
  const request = host.out.get(turn.requestId ?? 0)
  if (request === undefined || turn.outcome === undefined) return
  host.out.delete(request.id)
  request.deaths = 0
  const visit = request.earlier?.visits ?? 0
  turn.items.forEach(({ json }, ordinal) => {
    const key = `${request.id}/${visit}/${ordinal}`
    if (store.itemKeys.has(key)) return
    store.itemKeys.add(key)
    store.items.push({ requestId: request.id, ordinal, json, ...(visit > 0 && { visit }) })
  })
  if (turn.outcome.kind === 'retry') {
    host.retried++
    request.record(turn.outcome)
  } else store.settle(request, host, turn.outcome)
  if (request.isSettled && !request.isAgain) return
  host.returned.add(request.id)
  host.enqueue(request)
}
