// The figures of a bench, from what was counted. Plain JSON.
import type { Crawl } from '@avocet/core'
import { isRefusal } from '@avocet/core/plugin'
import { KINDS, type Kind } from './hostile-world.ts'

/** What was measured. */
interface Measured {
  readonly elapsedMs: number
  /** Of this process, user and system. */
  readonly cpuMicros: number
  readonly peakRssBytes: number
  readonly hosts: readonly HostCount[]
  readonly node: string
  readonly cpus: number
}

/** Of all hosts of one kind. */
interface KindFigures {
  readonly hosts: number
  readonly requests: number
  readonly refusals: number
  readonly pages: number
}

/** The document of `avocet bench --json`. */
export interface Figures {
  readonly schema: 1
  readonly elapsedMs: number
  readonly pages: number
  readonly pagesPerSecond: number
  /** Jain's index over the pages of the hosts of one kind: 1 = all alike, 1/n = one got all. null: not one page. */
  readonly fairness: { readonly fast: number | null; readonly slow: number | null }
  readonly refusedRatio: number
  readonly cpuMicrosPerPage: number | null
  /** Of one core, that the crawl took. */
  readonly cpuRatio: number
  readonly peakRssBytes: number
  readonly kinds: Readonly<Record<Kind, KindFigures>>
  readonly machine: { readonly node: string; readonly cpus: number }
}

/** Puts the figures together. */
export function figuresOf({ elapsedMs, cpuMicros, peakRssBytes, hosts, node, cpus }: Measured): Figures {
  const of = (kind: Kind): readonly HostCount[] => hosts.filter((host) => host.kind === kind)
  const all = kindFigures(hosts)
  return {
    schema: 1,
    elapsedMs: Math.round(elapsedMs),
    pages: all.pages,
    pagesPerSecond: round(all.pages / Math.max(0.001, elapsedMs / 1_000), 1),
    fairness: { fast: jain(of('fast').map(({ pages }) => pages)), slow: jain(of('slow').map(({ pages }) => pages)) },
    refusedRatio: round(all.refusals / Math.max(1, all.requests), 4),
    cpuMicrosPerPage: all.pages === 0 ? null : Math.round(cpuMicros / all.pages),
    cpuRatio: round(cpuMicros / 1_000 / Math.max(1, elapsedMs), 3),
    peakRssBytes,
    kinds: Object.fromEntries(KINDS.map((kind) => [kind, kindFigures(of(kind))])) as Record<Kind, KindFigures>,
    machine: { node, cpus },
  }
}

/**
 * Jain's fairness index; null when there is nothing to share.
 *
 * @example
 * ```ts
 * jain([3, 3, 3]) // 1
 * jain([9, 0, 0]) // 0.333
 * ```
 * Source: R. Jain, D. Chiu, W. Hawe 1984: (Σx)² / (n Σx²).
 */
export function jain(shares: readonly number[]): number | null {
  const sum = shares.reduce((total, share) => total + share, 0)
  const squares = shares.reduce((total, share) => total + share * share, 0)
  return squares === 0 ? null : round((sum * sum) / (shares.length * squares), 3)
}

function kindFigures(hosts: readonly HostCount[]): KindFigures {
  const sum = (of: (host: HostCount) => number): number => hosts.reduce((total, host) => total + of(host), 0)
  return {
    hosts: hosts.length,
    requests: sum(({ requests }) => requests),
    refusals: sum(({ refusals }) => refusals),
    pages: sum(({ pages }) => pages),
  }
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}

/** Of one host. */
interface HostCount {
  readonly kind: Kind
  readonly requests: number
  readonly refusals: number
  readonly pages: number
}

/** Counts for one crawl. `kinds` by host key. */
export class HostTally {
  readonly #counts: Map<string, { kind: Kind; requests: number; refusals: number; pages: number }>

  constructor(kinds: ReadonlyMap<string, Kind>) {
    this.#counts = new Map([...kinds].map(([key, kind]) => [key, { kind, requests: 0, refusals: 0, pages: 0 }]))
  }

  /** Counts what the trace of `run` tells: requests that were written, let go of at the end or not, and those for which there was no connection. */
  follow(run: Pick<Crawl, 'hooks'>): void {
    run.hooks.onTrace.tap('bench', (event) => {
      const add = (hostKey: string, what: 'requests' | 'refusals' | 'pages'): void => {
        const count = this.#counts.get(hostKey)
        if (count) count[what]++
      }
      const isRequest = event.kind === 'sent' || (event.kind === 'failed' && !event.failure.sent)
      if (isRequest) add(event.exchange.hostKey, 'requests')
      else if (event.kind === 'answered' && isRefusal(event.response.status)) add(event.exchange.hostKey, 'refusals')
      else if (event.kind === 'committed' && event.outcome.kind === 'done') add(event.request.hostKey, 'pages')
    })
  }

  /** Every host, those that were never asked as well. */
  get hosts(): readonly HostCount[] {
    return [...this.#counts.values()]
  }
}
