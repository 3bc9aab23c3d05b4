// What core itself remembers of the whole crawl: each process writes its own, and whoever opens the store joins them.
import type { ScopeAtRest } from '../url/scope-at-rest.ts'
import { movedBack } from '../setback.ts'
import { LOGIN_MOMENTS, type LoginAtRest } from './login-at-rest.ts'

/** What core keeps of the whole crawl. */
export interface CoreCrawlMemory {
  /** Hosts of seeds' sites that joined the scope because a seed redirected to them. */
  scopeHosts: string[]
  /** Names of seeds that led to private addresses when the crawl was made. Absent: not looked up yet. */
  privateHosts?: readonly string[]
  /** Names of the sessions that the configuration of the last run had, this one once it is open. Absent while there was none. */
  sessions?: readonly string[]
  /** Names of query parameters that are secret in some run. */
  secretParameters?: readonly string[]
  /** What is known of the logins of its sessions, by session. Absent while there was none. */
  logins?: Readonly<Record<string, LoginAtRest>>
  /** Where logins found their form, if not where they were told: host and path. Absent while there was none. */
  loginPlaces?: readonly string[]
  /** Of the last run, this one once it is open. Absent of an older store. */
  scope?: ScopeAtRest
}

/** Joins what another process left to `core`; `backMs`: the clock that wrote it was ahead by so much. */
export function joinCoreMemory(core: CoreCrawlMemory, left: CoreCrawlMemory, backMs: number): void {
  const { privateHosts, secretParameters, logins, loginPlaces, scope, sessions } = left
  if (privateHosts !== undefined) core.privateHosts = both(core.privateHosts, privateHosts)
  if (secretParameters !== undefined) core.secretParameters = both(core.secretParameters, secretParameters)
  if (logins !== undefined) core.logins = { ...core.logins, ...(movedBack(logins, LOGIN_MOMENTS, backMs) as typeof logins) }
  if (loginPlaces !== undefined) core.loginPlaces = both(core.loginPlaces, loginPlaces)
  if (scope !== undefined) core.scope = scope
  if (sessions !== undefined) core.sessions = sessions
  joinScopeHosts(core, left)
}

/** Hosts that joined the scope elsewhere, and not here, join it here; returns them. What an older store left may lack the list. */
export function joinScopeHosts(core: CoreCrawlMemory, { scopeHosts = [] }: Partial<CoreCrawlMemory>): readonly string[] {
  const fresh = [...new Set(scopeHosts)].filter((host) => !core.scopeHosts.includes(host))
  core.scopeHosts.push(...fresh)
  return fresh
}

function both(some: readonly string[] = [], others: readonly string[]): readonly string[] {
  return [...new Set([...some, ...others])]
}
