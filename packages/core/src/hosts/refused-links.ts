// Links that were not followed, by the rule that refused them and the host that they led to.
import type { FrontierReader, MemoryParts } from '../ports/frontier-reader.ts'
import type { RefusalRow, RefusalRule, RefusedByRule } from '../ports/report.ts'
import type { HostFindings } from '../ports/unit.ts'

/** Hosts that are told apart where those of a whole store are added up, and those that are listed of one rule. */
const MAX_HOSTS = 10_000
const MAX_LISTED = 10
/** No host: it has none, or is one of many. */
const OTHERS = ''
/** Hosts that are read at once. */
const PAGE = 1_000

/** How many links these are. */
export function refusedCount(refused: readonly RefusalRow[]): number {
  return refused.reduce((sum, [, , count]) => sum + count, 0)
}

/**
 * Links that were not followed, counted by rule and by the host that they led to.
 *
 * @example
 * ```ts
 * const refused = new RefusedLinks()
 * refused.add('denied', 'shop.example')
 * refused.to('shop.example') // [{ rule: 'denied', count: 1 }]
 * ```
 */
export class RefusedLinks {
  readonly #rules = new Map<RefusalRule, Map<string, number>>()
  #hosts = 0

  /** Of all pages, as plugins have kept them. Throws AVO_FRONTIER_CORRUPT. */
  static async of(reader: Pick<FrontierReader, 'hosts'>, findings: readonly HostFindings[]): Promise<RefusedLinks> {
    const refused = new RefusedLinks()
    const wish = { limit: PAGE, parts: findings.flatMap(({ parts }) => parts) }
    for (let afterHostKey: string | undefined; ;) {
      const page = await reader.hosts({ ...wish, ...(afterHostKey !== undefined && { afterHostKey }) })
      for (const { memory } of page) refused.addOf(memory, findings)
      if (page.length < PAGE) return refused
      afterHostKey = page.at(-1)?.hostKey
    }
  }

  /** One link or several; `host`: empty where there is none. */
  add(rule: RefusalRule, host: string, count = 1): void {
    const hosts = this.#rules.get(rule) ?? new Map<string, number>()
    this.#rules.set(rule, hosts)
    const isNew = host !== OTHERS && !hosts.has(host)
    const name = isNew && this.#hosts >= MAX_HOSTS ? OTHERS : host
    if (name !== OTHERS && isNew) this.#hosts++
    hosts.set(name, (hosts.get(name) ?? 0) + count)
  }

  /** Adds those of the pages of a host, of which this is the memory. Throws AVO_FRONTIER_CORRUPT. */
  addOf(memory: MemoryParts, findings: readonly HostFindings[]): void {
    for (const each of findings) for (const row of each.refused?.(memory) ?? []) this.add(...row)
  }

  /** How many links to `hostKey` each rule refused, most first: of those that are counted by host. */
  to(hostKey: string): readonly { readonly rule: RefusalRule; readonly count: number }[] {
    return [...this.#rules]
      .map(([rule, hosts]) => ({ rule, count: hosts.get(hostKey) ?? 0 }))
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count)
  }

  /** As they are kept. */
  get rows(): readonly RefusalRow[] {
    return [...this.#rules].flatMap(([rule, hosts]) => [...hosts].map(([host, count]): RefusalRow => [rule, host, count]))
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
