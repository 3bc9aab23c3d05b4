// The judge of a run: by the log of the servers, the file of items and the store at its end, and by nothing that a process says of itself.
import type { Counts } from '@avocet/core/store'
import type { ServedRequest } from '@avocet/stress/rough-web'
import { sharedHosts, type Encounter } from '@avocet/stress/hosts'
import type { Befallen } from './fault-lanes.ts'
import type { FaultWorld } from './fault-world.ts'
import type { Ended } from './workers.ts'

/** What there is to judge by. */
export interface Evidence {
  readonly world: FaultWorld
  readonly requests: readonly ServedRequest[]
  readonly items: readonly string[]
  readonly counts: Pick<Counts, 'waiting' | 'failed' | 'items'>
  readonly befallen: readonly Befallen[]
  /** All processes have ended by themselves. */
  readonly isOver: boolean
  readonly ended: readonly Ended[]
  readonly scale: number
  /** The longest that the machine kept a process waiting, ms. */
  readonly starvedMs: number
}

/** What came of a run. */
export interface Judgement {
  readonly wrong: readonly string[]
  /** Wrong as well, unless it is the machine's fault, which kept its processes waiting. */
  readonly unsure: readonly string[]
  readonly requests: number
  readonly repeated: number
  /** As many requests may be repeated for what befell. */
  readonly mostRepeated: number
  /** Of all hosts, the least of what lay between two starts, less what the host wants, in ms. */
  readonly shortestMs: number
}

/** Concurrency of a process, and the turns of a group. */
const LOST_AT_MOST = 8 + 64
const PROCESSES = 4
/** Crawl time for which hosts are held without a word; what takes more than half of it may cost them, for whoever waits for the store rests between its calls. */
const HELD_MS = 20_000
/** Crawl time for which the end of a crawl waits for the store. */
const DRAIN_MS = 30_000
/** A request may be late where it arrives: it may have to connect, and here six processes share a machine. */
const LATE_MS = 120
/** Those of a process's first second are later: nothing of it has run before. And its own clock keeps the gaps that are its own: virtual time tests them. */
const OWN_LATE_MS = 300
const COLD_MS = 1_000
/** Crawl time between the moment up to which a process counts as alive, and that at which others may take it for dead. */
const MARGIN_MS = 10_000
const MOST_EXAMPLES = 3

/** Judges. */
export function judged(evidence: Evidence): Judgement {
  const { requests, world } = evidence
  const { overlaps, inARow, repeated } = sharedHosts(requests)
  const gaps = inARow.map((one) => ({ one, spareMs: one.gapMs - world.delayMs(one.second.host) }))
  const begun = new Map(requests.toSorted((a, b) => b.at - a.at).map(({ agent, at }) => [agent, at]))
  const lateMs = ({ first, second }: Encounter): number =>
    first.agent === second.agent || first.at - (begun.get(first.agent) ?? 0) < COLD_MS ? OWN_LATE_MS : LATE_MS
  const mostRepeated = mostRepeatedIn(evidence)
  const atOnce = examples(
    'a host heard two processes at once',
    overlaps.map((one) => shown(one, requests)),
  )
  const tooClose = examples(
    'two starts were too close',
    gaps.filter(({ one, spareMs }) => spareMs < -lateMs(one)).map(({ one }) => shown(one, requests)),
  )
  const isSlow = evidence.starvedMs > LATE_MS
  // A process that is not run for so long ends no exchange in time.
  const isStill = evidence.starvedMs > MARGIN_MS / 2 / evidence.scale
  return {
    unsure: [...(isStill ? atOnce : []), ...(isSlow ? tooClose : [])],
    wrong: [
      ...(isStill ? [] : atOnce),
      ...(isSlow ? [] : tooClose),
      ...(evidence.isOver ? itemFaults(evidence) : []),
      ...evidence.ended
        .filter((end) => !endedWell(end, evidence))
        .map(({ agent, code, said }) => `${agent} ended with exit code ${String(code)}: ${said}`),
      ...(repeated.length > mostRepeated
        ? [`${String(repeated.length)} requests were repeated, at most ${String(mostRepeated)} may be`]
        : []),
    ],
    requests: requests.length,
    repeated: repeated.length,
    mostRepeated,
    shortestMs: Math.round(Math.min(...gaps.map(({ spareMs }) => spareMs))),
  }
}

/** By a signal, or as it should; or there was no server as it began, which is said at once, or as it ended, which is waited for as long as for a drain. */
function endedWell({ agent, code, at, said }: Ended, { requests, befallen, scale }: Evidence): boolean {
  if (code === 0 || code === null) return true
  if (code !== 7 || !said.includes('AVO_FRONTIER_AWAY') || said.includes('paused')) return false
  const hasAsked = requests.some((request) => request.agent.split(' ')[0] === agent)
  const isAway = befallen.some(
    ({ agent: process, from, until }) => process === undefined && at > from + DRAIN_MS / scale && at < until,
  )
  return !hasAsked || isAway
}

function itemFaults({ world, items, counts, ended }: Evidence): string[] {
  const { model } = world
  const expected = new Set(model.hosts.flatMap(({ name }) => model.expected.pages(name)))
  const urls = items.map((line) => (JSON.parse(line) as { readonly url: string }).url)
  const found = new Set(urls)
  const missing = [...expected].filter((url) => !found.has(url))
  const twice = urls.filter((url, n) => urls.indexOf(url) !== n)
  return [
    ...examples(`${String(missing.length)} of ${String(expected.size)} pages have no item in the file`, missing),
    ...examples('pages have their item in the file twice', twice),
    ...(counts.items === expected.size ? [] : [`the store has ${String(counts.items)} items of ${String(expected.size)} pages`]),
    ...(counts.waiting === 0 ? [] : [`${String(counts.waiting)} requests wait in the store`]),
    ...(ended.some(({ code }) => code === 0) ? [] : ['no process ended with exit code 0']),
  ]
}

function mostRepeatedIn({ befallen, scale }: Evidence): number {
  return befallen.reduce((sum, { fault, from, until }) => {
    const isLong = until - from > HELD_MS / 2 / scale
    if (fault.kind === 'kill') return sum + LOST_AT_MOST
    return sum + (isLong ? LOST_AT_MOST * (fault.kind === 'stop' ? 1 : PROCESSES) : 0)
  }, 0)
}

/** With moments since the first request. */
function shown({ first, second, gapMs }: Encounter, requests: readonly ServedRequest[]): string {
  const begin = Math.min(...requests.map(({ at }) => at))
  const told = ({ agent, path, at, endedAt }: ServedRequest): string =>
    `${agent.split(' ')[0] ?? ''} ${path} ${(at - begin).toFixed(0)}..${(endedAt - begin).toFixed(0)}`
  return `${first.host}: ${told(first)} and ${told(second)} (${gapMs.toFixed(0)} ms)`
}

function examples(what: string, cases: readonly string[]): string[] {
  if (cases.length === 0) return []
  return [`${what} (${String(cases.length)}): ${cases.slice(0, MOST_EXAMPLES).join('; ')}`]
}
