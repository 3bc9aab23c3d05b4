// The crawl now, from its scene and from the totals of its store; pure.
import type { Orders } from '@avocet/at-rest'
import type { CrawlPhase, LivePicture, NamedCount, NowPicture, OrderLine, SinkLine, WaitGroup } from '@avocet/dashboard'
import type { Explanation, SinkStatus } from '@avocet/core/tools'
import type { WholeTotals } from '../processes/whole-crawl.ts'
import { seedsInWords } from '../text/left-undone.ts'
import { orderInWords } from '../text/orders-in-words.ts'
import type { Scene, TroubleCount } from '../view/scene.ts'

/** What the store says of the whole crawl. */
export interface StoreTotals extends WholeTotals {
  readonly sinks: readonly Pick<SinkStatus, 'name' | 'written' | 'behind' | 'error'>[]
  readonly orders: Orders
  /** Of a crawl that no process of ours runs. */
  readonly phase: CrawlPhase
}

/** What its hosts are like, also those that nothing is asked of now. */
function judgedHosts({ judged }: WholeTotals): Pick<NowPicture, 'conditions' | 'inTrouble'> {
  const conditions = Object.entries(judged?.conditions ?? {}).map(([name, count]) => ({ name, count }))
  return {
    conditions: conditions.filter(({ count }) => count > 0),
    inTrouble: (judged?.inTrouble ?? []).map(({ hostKey, state, why }) => ({ hostKey, state, why })),
  }
}

/** Of a store that no process of ours crawls. `now`: epoch ms. What waits there but by orders is not known. */
export function nowAtRest(totals: StoreTotals, now: number): NowPicture {
  const { counts, liveProcesses, failures, sinks, orders } = totals
  const { known, waiting, done, moved, failed, items, rejects = 0, hosts, retiredHosts } = counts
  return {
    ...{ known, waiting, done, moved, failed, items, rejects, hosts },
    givenUpHosts: retiredHosts,
    processes: liveProcesses,
    startedAt: null,
    seeds: null,
    live: null,
    ...judgedHosts(totals),
    failures: failures.map(({ reason, count }) => ({ name: reason, count })).slice(0, MAX_KINDS),
    troubles: [],
    waits: waitGroups(orderedHolds(orders, now)),
    sinks: sinks.map(sinkLine),
    orders: orderLines(orders),
  }
}

/** Of a crawl of ours. `stored`: as the store was a few seconds ago. */
export function nowOfScene(scene: Scene, stored: StoreTotals): NowPicture {
  const { glance, failures, troubles } = scene
  const { status } = glance
  const { rejects = 0, hosts, retiredHosts } = stored.counts
  return {
    ...{ known: status.known, waiting: status.waiting, done: status.done, moved: status.moved, failed: status.failed },
    items: status.items,
    rejects,
    hosts: Math.max(hosts, status.liveHosts),
    givenUpHosts: retiredHosts,
    processes: scene.processes ?? 1,
    startedAt: status.startedAt,
    seeds: status.seeds === undefined ? null : seedsInWords(status.seeds),
    live: liveOf(scene, isOpenEnded(stored, status.now)),
    ...judgedHosts(stored),
    failures: failures.map(named).slice(0, MAX_KINDS),
    troubles: troubles.map(named).slice(0, MAX_KINDS),
    waits: waitGroups(allHolds(holdsIn(scene), stored, status.now)),
    sinks: (status.sinks ?? []).map(sinkLine),
    orders: orderLines(stored.orders),
  }
}

/** Orders that are shown. */
const MAX_ORDERS = 20

function orderLines({ listed }: Orders): readonly OrderLine[] {
  return listed
    .slice(-MAX_ORDERS)
    .toReversed()
    .map(({ at, control }) => ({ at, words: orderInWords(control, at) }))
}

const MAX_KINDS = 20
const MAX_GROUPS = 20
/** Shorter waits are those of a pace. */
const WORTH_SAYING_MS = 1_000

function liveOf({ glance, heldHosts, refusals }: Scene, hasNoEnd: boolean): LivePicture {
  const { status, pagesPerSecond, averagePagesPerSecond, restMs } = glance
  const { inFlight, slots, handlersRunning, connections, liveHosts, run } = status
  return {
    pagesPerSecond: rounded(pagesPerSecond),
    averagePagesPerSecond: rounded(averagePagesPerSecond),
    restMs: restMs === undefined || hasNoEnd ? null : Math.round(restMs / 1_000) * 1_000,
    ...{ inFlight, slots, handlersRunning, liveHosts, heldHosts },
    connections: connections?.open ?? null,
    requests: run.requests,
    refusals,
    retried: run.retried,
    wireBytes: run.wireBytes,
  }
}

function rounded(rate: number): number {
  return Number(rate.toPrecision(3))
}

function named({ kind, count }: TroubleCount): NamedCount {
  return { name: kind, count }
}

function sinkLine({ name, written, behind, error }: StoreTotals['sinks'][number]): SinkLine {
  return { name, written, behind, error: error ?? null }
}

/** What orders hold; those whose time is over hold nothing. */
function orderedHolds(orders: Orders, now: number): Explanation['holds'] {
  return orders
    .hostsAt(now)
    .flatMap(({ pausedUntil }) =>
      pausedUntil === undefined ? [] : [{ by: 'operator', why: 'paused', until: pausedUntil ?? Infinity }],
    )
}

/** Whether the crawl waits for what nobody has said the end of: also for a host that was paused before this run. */
function isOpenEnded({ orders }: StoreTotals, now: number): boolean {
  return orderedHolds(orders, now).some(({ until }) => until === Infinity)
}

/** A host that was paused before this run has it is in the orders alone. */
function allHolds(seen: Explanation['holds'], { orders }: StoreTotals, now: number): Explanation['holds'] {
  const ordered = orderedHolds(orders, now)
  const ofOperator = seen.filter(({ by }) => by === 'operator')
  return [...seen.filter(({ by }) => by !== 'operator'), ...(ordered.length > ofOperator.length ? ordered : ofOperator)]
}

function holdsIn({ glance: { status }, parkedHolds }: Scene): Explanation['holds'] {
  const { hosts, now } = status
  const held = hosts.flatMap(({ hold, inFlight, waiting }) =>
    hold && inFlight === 0 && waiting > 0 && hold.until > now + WORTH_SAYING_MS ? [hold] : [],
  )
  // What is over holds nothing: another process may have gone on with the host, and be through with it.
  return [...held, ...parkedHolds.filter(({ until }) => until > now)]
}

/** Those that hold most hosts first. */
function waitGroups(holds: Explanation['holds']): readonly WaitGroup[] {
  const groups = new Map<string, { readonly by: string; readonly why: string; hosts: number; until: number }>()
  for (const { by, why, until } of holds) {
    const key = `${by}\n${why}`
    const group = groups.get(key) ?? { by, why, hosts: 0, until: Infinity }
    group.hosts++
    group.until = Math.min(group.until, until)
    groups.set(key, group)
  }
  return [...groups.values()]
    .sort((a, b) => b.hosts - a.hosts || a.until - b.until)
    .slice(0, MAX_GROUPS)
    .map(({ until, ...group }) => ({ ...group, until: Number.isFinite(until) ? until : null }))
}
