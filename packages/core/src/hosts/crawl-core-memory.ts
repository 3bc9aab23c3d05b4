// What core itself remembers of the whole crawl: each process writes its own, and whoever opens the store joins them.
import { blockingOf } from '../laws/blocking.ts'
import type { MemoryParts } from '../ports/frontier-reader.ts'
import { coreCrawlMemoryIn, coreMemoryIn } from '../ports/stored-json.ts'
import type { ScopeAtRest } from '../url/scope-at-rest.ts'
import { movedBack } from '../values/setback.ts'
import type { CoreHostMemory } from './core-memory.ts'
import { crawlTextOf } from './crawl-texts.ts'
import { lastRounds } from './rounds.ts'

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
  /** By how much the store was set back, ms, each time that its clock had been ahead; the last ones. Absent: it never was. */
  setBacks?: readonly number[]
}

/** Joins what another process left to `core`; `backMs`: the clock that wrote it was ahead by so much. */
export function joinCoreMemory(core: CoreCrawlMemory, left: CoreCrawlMemory, backMs: number): void {
  const { privateHosts, secretParameters, logins, loginPlaces, scope, sessions, setBacks = [] } = left
  if (privateHosts !== undefined) core.privateHosts = both(core.privateHosts, privateHosts)
  if (secretParameters !== undefined) core.secretParameters = both(core.secretParameters, secretParameters)
  if (logins !== undefined) core.logins = { ...core.logins, ...(movedBack(logins, LOGIN_MOMENTS, backMs) as typeof logins) }
  if (loginPlaces !== undefined) core.loginPlaces = both(core.loginPlaces, loginPlaces)
  if (scope !== undefined) core.scope = scope
  if (sessions !== undefined) core.sessions = sessions
  const all = both(core.setBacks, backMs > 0 ? [...setBacks, backMs] : setBacks)
  // A host that was not asked since an earlier one is moved back so that its last moment is now.
  if (all.length > 0) core.setBacks = all.slice(-10)
  joinScopeHosts(core, left)
}

/** Hosts that joined the scope elsewhere, and not here, join it here; returns them. What an older store left may lack the list. */
export function joinScopeHosts(core: CoreCrawlMemory, { scopeHosts = [] }: Partial<CoreCrawlMemory>): readonly string[] {
  const fresh = [...new Set(scopeHosts)].filter((host) => !core.scopeHosts.includes(host))
  core.scopeHosts.push(...fresh)
  return fresh
}

function both<Each>(some: readonly Each[] = [], others: readonly Each[]): readonly Each[] {
  return [...new Set([...some, ...others])]
}

// What is kept of the logins of a crawl: so that a restart neither knocks again too soon, nor logs in without need.

/** What is kept of the logins of a session. */
export interface LoginAtRest {
  /** It was logged in when it was last heard of: it is tried before it logs in again. */
  readonly isIn: boolean
  /** Some login of it led to pages that were not logged out. Absent: none so far. */
  readonly hasBeenIn?: boolean
  /** Logins that failed, in a row. */
  readonly failures: number
  /** Epoch ms before which it must not log in. */
  readonly restUntil: number
  /** Of the last login that failed: epoch ms, and why. Absent since one did not. */
  readonly failed?: { readonly at: number; readonly why: string }
}

/** Fields of `LoginAtRest` that are moments. */
const LOGIN_MOMENTS: readonly string[] = ['restUntil', 'at']

/** Why a request waits in the store whose session could not log in. It was not sent. */
export const LOGIN_AWAITED = 'login-awaited'

/** Characters as JSON: core's memory of a crawl has 64 KiB for all. */
const MAX_CHARACTERS = 40 * 1_024

/** `logins`, oldest first, as many as there is room for: a session that is forgotten logs in again, so those that must wait are forgotten last. */
export function boundedLogins(logins: readonly (readonly [string, LoginAtRest])[]): Record<string, LoginAtRest> {
  const sized = logins.map((entry) => ({ entry, size: JSON.stringify(entry).length }))
  let left = MAX_CHARACTERS
  const kept = new Set<unknown>()
  for (const isWaiting of [true, false])
    for (const { entry, size } of sized.toReversed()) {
      if (entry[1].failures > 0 !== isWaiting || size > left) continue
      left -= size
      kept.add(entry)
    }
  return Object.fromEntries(logins.filter((entry) => kept.has(entry)))
}

/** How core's own memory is read in a store, and what some of its fields mean. */
export const coreMemory: {
  /** Throws AVO_FRONTIER_CORRUPT. */
  ofHost(memory: MemoryParts): Partial<CoreHostMemory>
  /** As one process left it. */
  ofCrawl(memory: MemoryParts): Partial<CoreCrawlMemory>
  readonly textIn: typeof crawlTextOf
  readonly blockingOf: typeof blockingOf
  readonly lastRounds: typeof lastRounds
} = { ofHost: coreMemoryIn, ofCrawl: coreCrawlMemoryIn, textIn: crawlTextOf, blockingOf, lastRounds }
