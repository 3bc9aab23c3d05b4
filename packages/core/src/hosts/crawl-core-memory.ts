// What core itself remembers of the whole crawl: each process writes its own, and whoever opens the store joins them.
import type { ScopeAtRest } from '../url/scope-at-rest.ts'

/** What core keeps of the whole crawl. */
export interface CoreCrawlMemory {
  /** Hosts of seeds' sites that joined the scope because a seed redirected to them. */
  scopeHosts: string[]
  /** Names of seeds that led to private addresses when the crawl was made. Absent: not looked up yet. */
  privateHosts?: readonly string[]
  /** Names of the sessions that the configuration of the last run had, this one once it is open. Absent while there was none. */
  sessions?: readonly string[]
  /** Names of query parameters whose values some run hides. */
  secretParameters?: readonly string[]
  /** Of the last run, this one once it is open. Absent until then. */
  scope?: ScopeAtRest
  /** By how much the store was set back, ms, each time that its clock had been ahead; the last ones. Absent: it never was. */
  setBacks?: readonly number[]
}

/** Joins what another process left to `core`; `backMs`: the clock that wrote it was ahead by so much. */
export function joinCoreMemory(core: CoreCrawlMemory, left: CoreCrawlMemory, backMs: number): void {
  const { privateHosts, secretParameters, scope, sessions, setBacks = [] } = left
  if (privateHosts !== undefined) core.privateHosts = both(core.privateHosts, privateHosts)
  if (secretParameters !== undefined) core.secretParameters = both(core.secretParameters, secretParameters)
  if (scope !== undefined) core.scope = scope
  if (sessions !== undefined) core.sessions = sessions
  const all = both(core.setBacks, backMs > 0 ? [...setBacks, backMs] : setBacks)
  // A host that was not asked since an earlier one is moved back so that its last moment is now.
  if (all.length > 0) core.setBacks = all.slice(-10)
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
