// New requests of one transaction: each once, grouped by host and priority so that a group is a range of ids.
import { AvocetError } from '@avocet/core'
import { requestLaws, requestProblem, type CommitResult, type Fingerprint, type NewRequest } from '@avocet/core/store'
import { gainsOf } from '@avocet/store-sql'
import type { Store } from '../store.ts'
import type { StoredHost } from '../queue/host-table.ts'

/** What a unit offers: those of its links that are new to the store and to this transaction, or why one of them is bad. */
export interface Offer {
  readonly fresh: readonly NewRequest[]
  readonly error?: string
}

/** Adds those of `requests` that are new, in a transaction of its own. */
export function addRequests(store: Store, requests: readonly NewRequest[]): Promise<{ added: number; known: number }> {
  return store.writer.write('now', () => {
    const before = store.totals.load()
    store.identity.refresh(before)
    const rows = new NewRows(store)
    const { fresh, error } = rows.offer(requests)
    if (error !== undefined) throw new AvocetError('AVO_INTERNAL', error)
    rows.take(fresh)
    rows.insert(before.known)
    askAgain(store, requests)
    store.save()
    store.identity.merge(before, rows.size)
    return { added: fresh.length, known: requests.length - fresh.length }
  })
}

/** Collects, then inserts. */
export class NewRows {
  readonly #store: Store
  readonly #taken = new Set<Fingerprint>()
  readonly #byHost = new Map<string, NewRequest[]>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Which of `requests` are new. Takes nothing yet. */
  offer(requests: readonly NewRequest[]): Offer {
    const { identity } = this.#store
    const unmet = new Map<Fingerprint, NewRequest>()
    for (const request of requests) {
      const { fingerprint } = request
      if (typeof fingerprint !== 'string' || fingerprint.length !== 16) return badLink(request)
      if (request.again !== undefined && requestProblem(request) !== undefined) return badLink(request)
      if (!identity.isAtHand(fingerprint) && !this.#taken.has(fingerprint))
        unmet.set(fingerprint, unmet.get(fingerprint) ?? request)
    }
    if (unmet.size > 0) for (const fingerprint of identity.ask([...unmet.keys()])) unmet.delete(fingerprint)
    const fresh = [...unmet.values()]
    const bad = fresh.find((request) => requestProblem(request) !== undefined)
    return bad === undefined ? { fresh } : badLink(bad)
  }

  /** Takes what was offered; says which hosts gained how many. */
  take(fresh: readonly NewRequest[]): CommitResult['gained'] {
    for (const request of fresh) {
      this.#taken.add(request.fingerprint)
      const group = this.#byHost.get(request.hostKey)
      if (group === undefined) this.#byHost.set(request.hostKey, [request])
      else group.push(request)
    }
    return gainsOf(fresh)
  }

  /** Inserts all that was taken; the row after `lastId` is the first. */
  insert(lastId: number): void {
    const { hosts, identity, requests: table, totals, writer } = this.#store
    const fingerprints: Fingerprint[] = []
    let nextId = lastId + 1
    for (const [hostKey, requests] of this.#byHost) {
      const host = hosts.obtain(hostKey, requests[0]?.url ?? '')
      for (const group of groupsOf(requests)) {
        this.#insertGroup(host, group, nextId)
        nextId += group.length
        for (const { fingerprint } of group) fingerprints.push(fingerprint)
      }
    }
    if (fingerprints.length === 0) return
    table.flush()
    totals.count('known', fingerprints.length)
    writer.whenCommitted(() => identity.added(fingerprints))
  }

  /** Rows taken. */
  get size(): number {
    return this.#taken.size
  }

  #insertGroup(host: StoredHost, group: readonly NewRequest[], first: number): void {
    const { requests, queue } = this.#store
    group.forEach((request, index) => {
      requests.insert(first + index, host, request)
      if (request.notBefore !== undefined) {
        queue.delay(host, { id: first + index, rank: -request.priority }, Math.ceil(request.notBefore))
      }
    })
    const [one] = group
    if (one !== undefined && one.notBefore === undefined) queue.addSpan(host, -one.priority, { first, size: group.length })
  }
}

function badLink(request: NewRequest): Offer {
  return { fresh: [], error: `link ${request.url}: ${requestProblem(request)}` }
}

/** Groups that each are one span, in order of discovery within; delayed requests come last, for they are in no span. */
function groupsOf(requests: readonly NewRequest[]): NewRequest[][] {
  const byPriority = new Map<number | undefined, NewRequest[]>()
  for (const request of requests) {
    const priority = request.notBefore === undefined ? request.priority : undefined
    const group = byPriority.get(priority)
    if (group === undefined) byPriority.set(priority, [request])
    else group.push(request)
  }
  return [...byPriority].sort(([a = -Infinity], [b = -Infinity]) => b - a || 0).map(([, group]) => group)
}

// Links and seeds that ask for a page in each run: what an earlier run has settled is due for its next visit.
//
// One visit in a run is enough, so links that ask for each other cannot loop, in any number of processes: each request has the number of the run in which it
// was last visited. What waits, is due or is being retried is visited anyway. What is due by a rule keeps the moment of its
// round. What was fetched since its page was modified, as the link says, is left alone.

type Gain = CommitResult['gained'][number]

/** Within a transaction. Returns which hosts have something due that they had not, once for each request. */
export function askAgain(store: Store, requests: readonly NewRequest[]): readonly Gain[] {
  return requests.flatMap((request) => (request.again === undefined ? [] : (ask(store, request, request.again) ?? [])))
}

function ask(store: Store, { fingerprint, parentId, modifiedAt }: NewRequest, at: number): Gain | undefined {
  const id = store.identity.idOf(fingerprint)
  const was = id === undefined ? undefined : store.outcomes.read(id)
  if (was === undefined) return undefined
  const now = requestLaws.asked(was, { at: Math.ceil(at), run: store.totals.run, by: parentId ?? null, modifiedAt })
  const host = now === was ? undefined : store.hosts.get(was.host)
  if (host === undefined || (store.held.get(host.key)?.out.has(was.id) ?? false)) return undefined
  store.outcomes.change(host, was, was, now)
  return { hostKey: host.key, count: 1, topPriority: -was.rank || 0 }
}
