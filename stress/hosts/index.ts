// The door of @avocet/stress/hosts: how several clients shared the hosts of a web, judged by the log of its servers. Whether two of them were at one host at
// once, and how close requests came.
import type { ServedRequest } from '../rough-web/index.ts'

/** Two requests at one host. */
export interface Encounter {
  readonly first: ServedRequest
  readonly second: ServedRequest
  /** From the start of the first to that of the second. */
  readonly gapMs: number
}

/** What the hosts felt. */
export interface SharedHosts {
  /** Exchanges of two clients that were at one host at the same moment. A client is known by its user-agent. */
  readonly overlaps: readonly Encounter[]
  /** Requests at one host, each with the one that came next, whichever client sent them. */
  readonly inARow: readonly Encounter[]
  /** Requests of what the host had served before, with a status below 400. */
  readonly repeated: readonly ServedRequest[]
}

/** Judges requests in any order. */
export function sharedHosts(requests: readonly ServedRequest[]): SharedHosts {
  const byHost = Map.groupBy(
    requests.toSorted((a, b) => a.at - b.at),
    ({ host }) => host,
  )
  const overlaps: Encounter[] = []
  const inARow: Encounter[] = []
  const repeated: ServedRequest[] = []
  for (const own of byHost.values()) {
    overlaps.push(...overlapsIn(own))
    repeated.push(...repeatedIn(own))
    inARow.push(...own.slice(1).map((second, n) => encounter(own[n] ?? second, second)))
  }
  return { overlaps, inARow, repeated }
}

function overlapsIn(sorted: readonly ServedRequest[]): Encounter[] {
  const found: Encounter[] = []
  let open: ServedRequest[] = []
  for (const second of sorted) {
    open = open.filter(({ endedAt }) => endedAt > second.at)
    for (const first of open) if (first.agent !== second.agent) found.push(encounter(first, second))
    open.push(second)
  }
  return found
}

function repeatedIn(sorted: readonly ServedRequest[]): ServedRequest[] {
  const served = new Map<string, number>()
  return sorted.filter(({ path, at, endedAt, status }) => {
    const isRepeated = (served.get(path) ?? Infinity) <= at
    if (status > 0 && status < 400) served.set(path, Math.min(served.get(path) ?? Infinity, endedAt))
    return isRepeated
  })
}

function encounter(first: ServedRequest, second: ServedRequest): Encounter {
  return { first, second, gapMs: second.at - first.at }
}
