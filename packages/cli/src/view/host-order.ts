// The orders in which the table can show hosts. By trouble, its own, it shows some of each kind that matters (host-picks.ts); by the others, those first
// that have most.
import type { HostStatus } from '@avocet/core/tools'
import type { AnswerHistory } from './answer-history.ts'

/** In the order in which a key goes through them. */
export const HOST_ORDERS = ['trouble', 'requests', 'rate', 'errors', 'waiting', 'name'] as const

/** One of them. */
export type HostOrder = (typeof HOST_ORDERS)[number]

/** What it is about. */
interface Ordered {
  readonly status: HostStatus
  readonly history: AnswerHistory
  readonly now: number
}

/** `hosts` in this order; those with equally much by name. */
export function inOrder<Host extends Ordered>(hosts: readonly Host[], order: Exclude<HostOrder, 'trouble'>): readonly Host[] {
  const ranked = hosts.map((host) => ({ host, much: MUCH[order](host), name: host.status.hostKey }))
  return ranked.sort((a, b) => b.much - a.much || (a.name < b.name ? -1 : 1)).map(({ host }) => host)
}

/** By how much `host` comes first in this order. */
export function muchOf(host: Ordered, order: HostOrder): number {
  return order === 'trouble' ? 0 : MUCH[order](host)
}

const MUCH: Readonly<Record<Exclude<HostOrder, 'trouble'>, (host: Ordered) => number>> = {
  requests: ({ status }) => status.answered + status.failed + status.inFlight,
  rate: ({ history, now }) => history.lastMinute(now, 'good'),
  errors: ({ status }) => status.failed + status.refused,
  waiting: ({ status }) => status.waiting,
  name: () => 0,
}
