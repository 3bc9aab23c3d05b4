// Why URLs are not in a store: the scope of the last run, and links that were not followed, by rule and by the host that they led to.
import type { Plugin, Scope } from '@avocet/core'
import type { MemoryParts } from '@avocet/core/store'
import { coreMemory, type StoredReport } from '@avocet/core/tools'

type RefusedByRule = StoredReport['refusedLinks'][number]
type RefusalRule = RefusedByRule['rule']

/** A scope that was read. */
export interface LastScope {
  /** How many links from a seed it follows. Absent: no limit that is known. */
  readonly maxDepth?: number
  /** `url` without the parameters that it removed. */
  shortened(url: string): string
  /** The rule that refuses a URL of a host, however few links from a seed it is; undefined: none that is known. */
  refusal(url: string, hostKey: string): RefusalRule | undefined
}

/**
 * The scope of the last run that left one, by core's memory of the crawl. What cannot be read says nothing: a reader is no judge of a store.
 */
export function lastScope(left: readonly ReturnType<typeof coreMemory.ofCrawl>[]): LastScope {
  const { scope: { dropped, rules } = { dropped: [] }, scopeHosts = [] } = left.findLast(({ scope }) => scope !== undefined) ?? {}
  const { seedHosts, allow = [], deny = [], ...plain } = rules ?? { within: 'any' as const, seedHosts: [] }
  const parameters = new coreMemory.DroppedParameters(dropped)
  const read = (scope: Scope, hosts: readonly string[]): LastScope => ({
    ...(scope.maxDepth !== undefined && { maxDepth: scope.maxDepth }),
    shortened: (url) => parameters.from(url),
    refusal: (url, hostKey) => coreMemory.compileScope(scope, hosts, () => {}).refusal(parameters.from(url), hostKey, 0),
  })
  try {
    const patterns = { allow: allow.map(pattern), deny: deny.map(pattern) }
    return read({ ...plain, ...patterns }, [...seedHosts, ...coreMemory.joinedOf(scopeHosts, seedHosts)])
  } catch {
    return read({ within: 'any' }, scopeHosts)
  }
}

function pattern([source, flags]: readonly [source: string, flags: string]): RegExp {
  return new RegExp(source, flags)
}

/** Hosts that are told apart, and those that are listed of one rule. */
const MAX_HOSTS = 10_000
const MAX_LISTED = 10
/** No host: it has none, or is one of many. */
const OTHERS = ''

/** Adds up what plugins have kept of refused links. */
export class RefusedInStore {
  readonly #rules = new Map<RefusalRule, Map<string, number>>()
  readonly #findings: readonly NonNullable<Plugin['findings']>[]
  #hosts = 0

  constructor(findings: readonly NonNullable<Plugin['findings']>[]) {
    this.#findings = findings
  }

  /** Adds those of the pages of a host, of which this is the memory. Throws AVO_FRONTIER_CORRUPT. */
  addOf(memory: MemoryParts): void {
    for (const each of this.#findings) for (const row of each.refused?.(memory) ?? []) this.#add(...row)
  }

  #add(rule: RefusalRule, host: string, count: number): void {
    const hosts = this.#rules.get(rule) ?? new Map<string, number>()
    this.#rules.set(rule, hosts)
    const isNew = host !== OTHERS && !hosts.has(host)
    const name = isNew && this.#hosts >= MAX_HOSTS ? OTHERS : host
    if (name !== OTHERS && isNew) this.#hosts++
    hosts.set(name, (hosts.get(name) ?? 0) + count)
  }

  /** How many links to `hostKey` each rule refused, most first: of those that are counted by host. */
  to(hostKey: string): readonly { readonly rule: RefusalRule; readonly count: number }[] {
    return [...this.#rules]
      .map(([rule, hosts]) => ({ rule, count: hosts.get(hostKey) ?? 0 }))
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count)
  }

  /** Most links first. */
  get byRule(): readonly RefusedByRule[] {
    const all = [...this.#rules].map(([rule, hosts]): RefusedByRule => {
      const named = [...hosts].filter(([host, count]) => host !== OTHERS && count > 0).toSorted(([, a], [, b]) => b - a)
      const listed = named.slice(0, MAX_LISTED).map(([hostKey, count]) => ({ hostKey, count }))
      const count = [...hosts.values()].reduce((sum, each) => sum + each, 0)
      return { rule, count, hosts: listed, others: listed.reduce((left, each) => left - each.count, count) }
    })
    return all.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count)
  }
}
