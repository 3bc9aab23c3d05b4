// Links and seeds that ask for a page in each run: what an earlier run has settled is due for its next visit.
//
// One visit in a run is enough, so links that ask for each other cannot loop, in any number of processes: each request has the number of the run in which it
// was last visited. What waits, is due or is being retried is visited anyway. What is due by a rule keeps the moment of its
// round. What was fetched since its page was modified, as the link says, is left alone.
import type { CommitResult, NewRequest } from '@avocet/core/store'
import type { Store } from '../store.ts'

type Gain = CommitResult['gained'][number]

/** Within a transaction. Returns which hosts have something due that they had not, once for each request. */
export function askAgain(store: Store, requests: readonly NewRequest[]): readonly Gain[] {
  return requests.flatMap((request) => (request.again === undefined ? [] : (ask(store, request, request.again) ?? [])))
}

function ask(store: Store, { fingerprint, parentId, modifiedAt }: NewRequest, at: number): Gain | undefined {
  const { identity, recrawls, outcomes, queue } = store
  const id = identity.idOf(fingerprint)
  const standing = id === undefined ? undefined : recrawls.standingOf(id)
  if (id === undefined || standing === undefined || standing.isVisited === 1 || standing.isAsked === 1) return undefined
  if (modifiedAt !== undefined && standing.fetchedAt !== null && standing.fetchedAt >= modifiedAt) return undefined
  const asked = { at, by: parentId }
  if (standing.state === 0) return undefined
  const { notBefore, rank } = standing
  const isDue = notBefore !== null && (notBefore <= at || standing.tries > 0)
  const host = isDue ? undefined : store.hostOf(id)
  if (host === undefined || (store.held.get(host.key)?.out.has(id) ?? false)) return undefined
  recrawls.ask(id, asked)
  if (queue.undelay(host, id)) outcomes.countAgain(host, -1)
  outcomes.renew(id)
  outcomes.countAgain(host, 1)
  queue.delay(host, { id, rank }, Math.ceil(at))
  return { hostKey: host.key, count: 1, topPriority: -rank || 0 }
}
