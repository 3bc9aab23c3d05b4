// What the other parts of a crawl decide about the hosts of the window.
import type { MemoryParts } from '../ports/frontier-reader.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { Leased } from '../ports/request.ts'

/** What others have a say in. */
export interface WindowRules {
  /** Of requests that are handed out, those to be sent, in the form in which they are sent. */
  readonly wanted: (host: LiveHost, requests: readonly Leased[]) => readonly Leased[]
  /** The queue of this host is full, and the store has more: what cannot go for long may be put off. */
  readonly full: (host: LiveHost) => void
  /** Other processes wrote this into their crawl memories. */
  readonly hears: (crawlMemories: readonly MemoryParts[]) => void
  /** Another process has this host now. */
  readonly lost: (host: LiveHost) => void
}
