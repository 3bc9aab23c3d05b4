// Settled requests become due again, or are no longer: of those whose rule came or went while nobody crawled.
import type { Frontier } from '@avocet/core'
import type { Store } from '../store.ts'

type Wanted = Parameters<Frontier['revisit']>[0][number]

/** Schedules what `wanted` names. Within a transaction. What this process has handed out is left to the outcome that is coming. */
export function revisit(store: Store, wanted: readonly Wanted[]): void {
  for (const each of wanted) revisitOne(store, each)
  store.save()
}

function revisitOne(store: Store, { id, at }: Wanted): void {
  const { queue, outcomes, visitTable } = store
  const host = outcomes.isSettled(id) ? store.hostOf(id) : undefined
  if (host === undefined || (store.visits.get(host.key)?.out.has(id) ?? false)) return
  if (queue.undelay(host, id)) outcomes.countAgain(host, -1)
  if (at === undefined) return
  visitTable.schedule(id, at)
  outcomes.renew(id)
  outcomes.countAgain(host, 1)
  queue.delay(host, { id, rank: store.rankOf(id) }, Math.ceil(at))
}
