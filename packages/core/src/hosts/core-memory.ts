// What core itself remembers of a host, and of the whole crawl: of that each process writes its own, and whoever opens the store joins them.
import type { ForbiddenAnswers } from './blocking.ts'
import type { ClosedPattern, Given } from '../ports/discovery-limits.ts'
import type { RoundRow } from './rounds.ts'
import type { ScopeAtRest } from '../ports/spider.ts'

/** Persisted with the plugins' memory, as the part `core`. */
export interface CoreHostMemory {
  seq: number
  lastStartAt: number
  /** When a request was last sent, epoch ms: delays count from it, also of the process that has the host next. Absent = none was. */
  lastSentAt?: number
  lastEndAt: number
  lastDurationMs: number
  /** Answered with a success, ever. */
  proven: boolean
  /** Answered with anything at all, ever. */
  answered: boolean
  consecutiveFailures: number
  /** Why the last of them failed, such as `connect-refused`. Absent while there is none without an answer. */
  failedFor?: string | undefined
  /** A page of it was served, ever: what was never open cannot have been closed on us. */
  served?: true
  /** Absent while nothing was forbidden. */
  forbidden?: ForbiddenAnswers | undefined
  /** Of a host that was given up: probes in vain since then, of crawls that watch. Absent = none. */
  probes?: number
  /** When an exchange was last taken back, epoch ms: its plugins learned from it, though the host was not asked. Absent = never. */
  takenBackAt?: number
  /** Refusals (429, 503) since its last other answer. Absent while there was none. */
  refusals?: number | undefined
  /** Until when the host asked not to be requested (Retry-After of a refusal), epoch ms. Absent = it did not. */
  askedUntil?: number
  /** What held it when it was last given back. `until` null = until one of its exchanges ended. */
  heldFor?: { readonly by: string; readonly why: string; readonly until: number | null }
  /** The rate policy under which it was last leased, by its plugin's name. Absent: under none. */
  rate?: string
  /** What its pages have brought. Absent while there was none. */
  gave?: Given
  /** Budgets that its pages have met. Absent while there was none. */
  met?: ClosedPattern[]
  /** The last round of visits of each interval; read them with `lastRounds`. Absent before the second visit. */
  rounds?: RoundRow[]
  /** Documents of plugins that it gave. Absent while there was none. */
  documents?: number
  /** The order to forget what policies had learned that was last carried out, epoch ms. Absent = none was. */
  forgottenAt?: number
}

/** Memory of a host that was never met. */
export function freshCoreMemory(): CoreHostMemory {
  return { seq: 0, lastStartAt: 0, lastEndAt: 0, lastDurationMs: 0, proven: false, answered: false, consecutiveFailures: 0 }
}

/** What core keeps of the whole crawl. */
export interface CoreCrawlMemory {
  /** Hosts of seeds' sites that joined the scope because a seed redirected to them. */
  scopeHosts: string[]
  /** Names of query parameters whose values some run hides. */
  secretParameters?: readonly string[]
  /** Of the last run, this one once it is open. Absent until then. */
  scope?: ScopeAtRest
}

/** Joins what another process left to `core`. */
export function joinCoreMemory(core: CoreCrawlMemory, left: CoreCrawlMemory): void {
  const { secretParameters, scope } = left
  if (secretParameters !== undefined) core.secretParameters = both(core.secretParameters, secretParameters)
  if (scope !== undefined) core.scope = scope
  joinScopeHosts(core, left)
}

/** Hosts that joined the scope elsewhere, and not here, join it here; returns them. */
export function joinScopeHosts(core: CoreCrawlMemory, { scopeHosts = [] }: Partial<CoreCrawlMemory>): readonly string[] {
  const fresh = [...new Set(scopeHosts)].filter((host) => !core.scopeHosts.includes(host))
  core.scopeHosts.push(...fresh)
  return fresh
}

function both<Each>(some: readonly Each[] = [], others: readonly Each[]): readonly Each[] {
  return [...new Set([...some, ...others])]
}
