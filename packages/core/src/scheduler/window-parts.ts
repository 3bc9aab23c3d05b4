// What the window needs of the crawl around it.
import type { Clock } from '../clock.ts'
import type { Frontier } from '../frontier.ts'
import type { HostOptions } from '../host-options.ts'
import type { Memories } from '../hosts/memories.ts'
import type { Leased } from '../request.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { Scheduler } from './scheduler.ts'

/** Makes a call to the frontier, in its order among all calls, and again while the store cannot be used for a time. */
export type MakeCall = <Answer>(name: string, call: () => Promise<Answer>) => Promise<Answer>

/** The surroundings of a window. */
export interface WindowParts {
  readonly frontier: Frontier
  readonly make: MakeCall
  /** The same for a call that brings so many requests, in a turn of the event loop that has room for them. */
  readonly bring: <Answer>(name: string, requests: number, call: () => Promise<Answer>) => Promise<Answer>
  readonly memories: Memories
  readonly optionsOf: (hostKey: string) => HostOptions
  /** Of requests that are handed out, those to be asked for, where their redirects have led. */
  readonly handedOut: (host: LiveHost, requests: readonly Leased[]) => readonly Leased[]
  /** A host that another process has now. */
  readonly lost: (host: LiveHost) => void
  readonly clock: Clock
  readonly concurrency: number
  readonly scheduler: () => Scheduler
  readonly answered: () => void
  readonly failed: (error: unknown) => void
}
