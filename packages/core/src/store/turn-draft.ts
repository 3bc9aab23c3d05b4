// A turn before it is committed: the outcome of one exchange on its way to the frontier, and who wants to hear of it.
import type { NewItem, Outcome } from '../frontier.ts'
import type { NewRequest, Request } from '../request.ts'
import type { LiveHost } from '../hosts/live-host.ts'

/** One turn to be. Without a request it only carries the host's memory. */
export interface TurnDraft {
  readonly host: LiveHost
  readonly request?: Request
  readonly outcome?: Outcome
  readonly links: readonly NewRequest[]
  readonly items: readonly NewItem[]
  /** Links that handlers offered, and pairs to remember as known once this is committed. */
  readonly offered: number
  readonly refusedLinks: number
  readonly pairs: readonly string[]
}

/** A turn of an outcome alone. */
export function bareTurn(host: LiveHost, request: Request, outcome: Outcome): TurnDraft {
  return { host, request, outcome, links: [], items: [], offered: 0, refusedLinks: 0, pairs: [] }
}

/** A turn that carries memory only. */
export function memoryTurn(host: LiveHost): TurnDraft {
  return { host, links: [], items: [], offered: 0, refusedLinks: 0, pairs: [] }
}
