// The scope of the last run, as a store keeps it: what it removed from URLs, for the next run, and its rules, for those who ask why a URL is not in the store.
import type { Scope } from '../ports/spider.ts'

/** Memory of the crawl is read and written as a whole: what would take more is left out. */
const MAX_HOSTS = 500
const MAX_RULES_CHARACTERS = 16_384

/** A scope in JSON. */
export interface ScopeAtRest {
  /** As they are compared. */
  readonly dropped: readonly string[]
  /** Absent: too large to keep. */
  readonly rules?: RulesAtRest
}

type PlainRules = Pick<Scope, 'within' | 'hosts' | 'blockedHosts' | 'maxDepth'>
interface RulesAtRest extends PlainRules {
  readonly allow?: readonly PatternAtRest[]
  readonly deny?: readonly PatternAtRest[]
  /** Keys. */
  readonly seedHosts: readonly string[]
}
type PatternAtRest = readonly [source: string, flags: string]

/** What is kept of `scope`; `seedHosts`: the keys of the hosts of all seeds. */
export function scopeAtRest(
  scope: Scope,
  { dropped, seedHosts }: { readonly dropped: readonly string[]; readonly seedHosts: readonly string[] },
): ScopeAtRest {
  const { within, hosts, blockedHosts, maxDepth, allow, deny } = scope
  const hostsOnce = new Set(seedHosts)
  const rules: RulesAtRest = {
    ...(within !== undefined && { within }),
    ...(hosts && { hosts }),
    ...(blockedHosts && { blockedHosts }),
    // JSON has no Infinity, which is no limit.
    ...(maxDepth !== undefined && Number.isFinite(maxDepth) && { maxDepth }),
    ...(allow && { allow: allow.map(patternAtRest) }),
    ...(deny && { deny: deny.map(patternAtRest) }),
    seedHosts: [...hostsOnce],
  }
  const isSmall = hostsOnce.size <= MAX_HOSTS && JSON.stringify(rules).length <= MAX_RULES_CHARACTERS
  return { dropped, ...(isSmall && { rules }) }
}

function patternAtRest({ source, flags }: RegExp): PatternAtRest {
  return [source, flags]
}
