// Compiles a scope to a question that is asked of every link: does this URL belong to the crawl, and if not, why?
import type { PatternAtRest, RulesAtRest, Scope, ScopeAtRest } from '../ports/spider.ts'
import { badPortOf } from './host-limits.ts'
import { hostKeyOf, hostnameOf, siteOf } from './host-key.ts'
import { parseUrl } from './parse-url.ts'

/** A scope that grows by the hosts of seeds' sites that seeds redirect to. */
export interface CompiledScope {
  /** Why `url` (WHATWG form) of `hostKey` is not followed, a short kebab-case word; undefined when it is. */
  refusal(url: string, hostKey: string, depth: number): string | undefined
  /** The host joined the scope elsewhere, because a seed redirected to it. */
  takeJoined(hostKey: string): void
  /** A seed is on the host: it belongs to the crawl, and so does its site where that is in scope. */
  takeSeed(hostKey: string): void
  /** Why a request that an earlier run let in is not sent: it is excluded by name now. Whose host it is, and how deep, does not matter. */
  exclusion(url: string): string | undefined
  /** Why a document of a plugin at `url` is not requested, whatever the rest of the scope says. */
  documentRefusal(url: string): string | undefined
  /**
   * Takes in the host of `url`, which a seed redirected to, when it is of the site (the registrable domain) of a seed. Of another site that one URL
   * belongs to the crawl, and no other: `refusal` is why it does not even so, and `isElsewhere` that its host is out of scope.
   */
  admitTarget(url: string, hostKey: string): { readonly refusal: string | undefined; readonly isElsewhere: boolean }
}

/** Calendars and broken relative links pass them within an hour, people's URLs never. */
const MAX_PATH_SEGMENTS = 32
const MAX_QUERY_PARAMETERS = 64
const MAX_EQUAL_SEGMENTS = 4

/**
 * Compiles `scope`. `seedHosts` are the host keys of the seeds and of what joined in earlier runs; `joined` is called with each that
 * joins, to be kept for the next run.
 *
 * Reasons: `too-deep`, `blocked-host`, `off-host`, `denied`, `not-allowed`, `bad-port`, `url-limit`, `trap`.
 */
export function compileScope(scope: Scope, seedHosts: readonly string[], joined: (hostKey: string) => void): CompiledScope {
  const { within = 'seed-hosts', maxDepth = Infinity } = scope
  const allow = (scope.allow ?? []).map(stateless)
  const deny = (scope.deny ?? []).map(stateless)
  const blocked = new Set((scope.blockedHosts ?? []).map(plainHost))
  const named = new Set((scope.hosts ?? []).map(plainHost))
  const hosts = new Set(seedHosts)
  let domains: Set<string> | undefined
  /** Not asked of hosts that are in scope: to load the list of public suffixes takes a twentieth of a start. What has joined is of a seed's site, too. */
  const isOfSeedSite = (hostKey: string): boolean => (domains ??= new Set([...hosts].map(siteOf))).has(siteOf(hostKey))

  const isInside = (url: string, hostKey: string): boolean => {
    if (within === 'any' || hosts.has(hostKey) || named.has(hostKey)) return true
    if (within === 'seed-domains' && isOfSeedSite(hostKey)) return true
    // With hosts keyed by domain, the key is not the host that the user named.
    return named.size > 0 && named.has(hostKeyOf(url, 'host'))
  }

  const isOfBlockedHost = (url: string): boolean => blocked.size > 0 && isBlocked(hostKeyOf(url, 'host'), blocked)

  /** Why it does not belong to the crawl, however deep it is. */
  const unwanted = (url: string, hostKey: string, mustBeInside: boolean): string | undefined => {
    if (isOfBlockedHost(url)) return 'blocked-host'
    if (mustBeInside && !isInside(url, hostKey)) return 'off-host'
    if (hasBadPort(url)) return 'bad-port'
    return excludedBy(url) ?? trapReason(url)
  }

  const excludedBy = (url: string): string | undefined => {
    if (deny.some((pattern) => pattern.test(url))) return 'denied'
    return allow.length > 0 && !allow.some((pattern) => pattern.test(url)) ? 'not-allowed' : undefined
  }

  return {
    exclusion: (url) => (isOfBlockedHost(url) ? 'blocked-host' : excludedBy(url)),
    // What is both out of scope and too deep is out of scope: a larger maxDepth would not bring it in.
    refusal: (url, hostKey, depth) => unwanted(url, hostKey, true) ?? (depth > maxDepth ? 'too-deep' : undefined),
    takeJoined: (hostKey) => void hosts.add(hostKey),
    takeSeed(hostKey) {
      hosts.add(hostKey)
      domains?.add(siteOf(hostKey))
    },
    documentRefusal: (url) => (isOfBlockedHost(url) ? 'blocked-host' : hasBadPort(url) ? 'bad-port' : undefined),
    admitTarget(url, hostKey) {
      const refusal = unwanted(url, hostKey, false)
      const isInScope = isInside(url, hostKey)
      const isOfSite = isInScope || isOfSeedSite(hostKey)
      if (refusal === undefined && isOfSite && !isInScope) {
        hosts.add(hostKey)
        joined(hostKey)
      }
      return { refusal, isElsewhere: !isInScope && !isOfSite }
    },
  }
}

/** Those of the hosts that joined in earlier runs that are of a site of `seedHosts`: those runs may have had other seeds. */
export function joinedOf(scopeHosts: readonly string[], seedHosts: readonly string[]): readonly string[] {
  // Without any, the list of public suffixes is not loaded.
  if (scopeHosts.length === 0) return []
  const sites = new Set(seedHosts.map(siteOf))
  return scopeHosts.filter((host) => sites.has(siteOf(host)))
}

/** Whether its port is not for HTTP. Looked at in the URL, for hosts keyed by domain have no port. Most URLs have no colon after that of the scheme. */
export function hasBadPort(url: string): boolean {
  return url.includes(':', 'https:'.length) && badPortOf(hostKeyOf(url, 'host')) !== undefined
}

/** `g` and `y` make a pattern remember where it stopped: every second test would fail. */
function stateless(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''))
}

/** Whether the host, with its port or without, or a domain above it, is in `blocked`. */
function isBlocked(host: string, blocked: ReadonlySet<string>): boolean {
  if (blocked.has(host)) return true
  let name = hostnameOf(host)
  while (!blocked.has(name)) {
    const dot = name.indexOf('.')
    if (dot === -1) return false
    name = name.slice(dot + 1)
  }
  return true
}

/** A host that a person wrote, as WHATWG writes it, so that `Bücher.example` names what its links name; what is no host stays, and matches nothing. */
export function plainHost(host: string): string {
  const url = parseUrl(`http://${host}`)
  return url === undefined ? host : hostKeyOf(url, 'host')
}

/** Why `url` (WHATWG form) looks like a trap: `url-limit`, `trap`, or undefined when it does not. Empty segments do not count as equal. */
export function trapReason(url: string): 'url-limit' | 'trap' | undefined {
  const question = url.indexOf('?')
  if (question !== -1 && url.split('&', MAX_QUERY_PARAMETERS + 1).length > MAX_QUERY_PARAMETERS) return 'url-limit'
  // Before the path are the scheme, nothing, and the host.
  const segments = (question === -1 ? url : url.slice(0, question)).split('/').slice(3)
  if (segments.length > MAX_PATH_SEGMENTS) return 'url-limit'
  if (segments.length <= MAX_EQUAL_SEGMENTS) return undefined
  const counts = new Map<string, number>()
  for (const segment of segments) if (segment !== '') counts.set(segment, (counts.get(segment) ?? 0) + 1)
  return Math.max(0, ...counts.values()) > MAX_EQUAL_SEGMENTS ? 'trap' : undefined
}

// The scope of the last run, as a store keeps it: what it removed from URLs, and its rules, for those who ask why a URL is not in the store.

/** Memory of the crawl is read and written as a whole: what would take more is left out. */
const MAX_HOSTS = 500
const MAX_RULES_CHARACTERS = 16_384

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
