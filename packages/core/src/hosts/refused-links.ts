// Links that were not followed, by the rule that refused them and the host that they led to: kept in core's memory of the host whose pages have them, so they
// commit with those pages, in all runs, and add up to the links that were refused. A few hosts each are named; a footer names the same ones on every page.
import type { MemoryParts, FrontierReader } from '../ports/frontier-reader.ts'
import type { RefusalRule, RefusedByRule } from '../ports/report.ts'
import { coreMemoryIn } from '../ports/stored-json.ts'

/** Hosts and rules that are told apart, of the links of one host; further hosts are counted by rule alone. */
const MAX_ROWS = 16
/** Hosts that are told apart where those of a whole store are added up, and those that are listed of one rule. */
const MAX_HOSTS = 10_000
const MAX_LISTED = 10
/** No host: it has none, or is one of many. */
const OTHERS = ''
/** Plugins have names, and a host may be long: neither may fill the memory of a host. */
const MAX_CHARACTERS = 100
/** Core's own part of the memory of a host, and what it has in it if there are any. */
const PART = 'core'
const FIELD = '"refused":'
/** Half a kilobyte each. */
const PAGE = 10_000

/** As they are kept: rule, host or nothing, links. */
export type RefusalRow = [RefusalRule, string, number]

/** A host of whose pages they are kept. */
export interface RefusingHost {
  readonly core: { refused?: RefusalRow[] }
}

/** Adds what the pages of a unit had, and takes it back where `times` is -1. */
export function countRefused({ core }: RefusingHost, refused: readonly RefusalRow[], times: 1 | -1): void {
  for (const [rule, host, count] of refused) addTo((core.refused ??= []), [rule, host, times * count])
}

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

  /** Of all pages that `reader` knows. `hostKey`: those that led to this host, as far as they are counted by host, at least. Throws AVO_FRONTIER_CORRUPT. */
  static async of(reader: Pick<FrontierReader, 'memories'>, hostKey?: string): Promise<RefusedLinks> {
    const refused = new RefusedLinks()
    const mentioning = hostKey === undefined ? FIELD : JSON.stringify(hostKey)
    for (let after: string | undefined; ;) {
      const page = await reader.memories({ part: PART, mentioning, limit: PAGE, ...(after !== undefined && { after }) })
      for (const core of page.texts) refused.addOf({ core })
      if (page.next === undefined) return refused
      after = page.next
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

  /**
   * Adds those of the pages of a host, of which this is the memory.
   *
   * @throws AVO_FRONTIER_CORRUPT.
   */
  addOf(memory: MemoryParts): void {
    const { refused = [] } = coreMemoryIn<RefusingHost['core']>(memory)
    for (const row of refused) this.add(...row)
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

/** Hosts beyond the first rows are counted by rule; there are few rules. */
function addTo(rows: RefusalRow[], [rule, host, count]: RefusalRow): void {
  const cut = rule.slice(0, MAX_CHARACTERS)
  const isNamed = find(rows, cut, host) !== undefined || (rows.length < MAX_ROWS && host.length <= MAX_CHARACTERS)
  const name = isNamed ? host : OTHERS
  const known = find(rows, cut, name)
  if (known !== undefined) known[2] += count
  else rows.push([cut, name, count])
}

function find(rows: readonly RefusalRow[], rule: RefusalRule, host: string): RefusalRow | undefined {
  return rows.find((row) => row[0] === rule && row[1] === host)
}
