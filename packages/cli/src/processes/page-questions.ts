// What the supervisor of a crawl asks its workers for its page, while somebody looks at it, and what they answer.
import type { LiveCloseUp, LiveHosts, LiveRow } from '../view/live-hosts.ts'

/** A question. `now`: epoch ms of what is counted by time, so that the answers of all workers can be put together. */
export type PageQuestion =
  | { readonly about: 'hosts'; readonly now: number }
  | { readonly about: 'rows'; readonly hostKeys: readonly string[]; readonly now: number }
  | { readonly about: 'host'; readonly hostKey: string; readonly now: number }

/** The answer to a question about the same, or to one that could not be answered. */
export type WorkerAnswer =
  | { readonly about: 'hosts'; readonly hosts: LiveHosts }
  /** In the order of the question; null where this process knows nothing of a host. */
  | { readonly about: 'rows'; readonly rows: readonly (LiveRow | null)[] }
  | { readonly about: 'host'; readonly host: LiveCloseUp }
  | { readonly about: 'nothing' }
