// Single faults whose price is promised, each as a run of its own: what is checked beside the judge of all runs (fault-books.ts) is that price.
import type { ServedRequest } from '@avocet/stress/rough-web'
import type { FaultPlan, Moment, ServerFault, WorkerFault } from './fault-plan.ts'
import type { FaultRun } from './fault-run.ts'
import type { WorkersPlan } from './workers.ts'

/** A run, and what must be so after it. */
export interface FaultCase {
  readonly name: string
  readonly plan: FaultPlan
  /** Of a host that is well, where the case needs another number than other runs. */
  readonly pages?: number
  /** How many times as fast seconds go by. */
  readonly scale: number
  /** What is wrong. */
  readonly check: (run: FaultRun) => readonly string[]
}

const HOUR_MS = 3_600_000
/** Crawl time: a process counts for dead after 30 s without a beat, which is seen by a beat of 5 s, and its hosts are asked for a second later at most. */
const BURIED_WITHIN_MS = 36_000
/** Ms of the machine, whatever the scale: the system says at once who is dead. */
const PROVEN_WITHIN_MS = 1_000
const HELD_MS = 20_000
/** When the fault begins, ms of the machine at ten times the speed. */
const AT_MS = 1_500
/** When hosts are shared, crawl time: before, they change hands because some processes begin later. */
const SHARED_AT_MS = 15_000
/** So many that no host has ended half a minute later: where one has, its process is given another's host, as it should be. */
const PAGES_BEYOND = 20
/** A server takes half a second of the machine to come back, and three where that is busy: at more than this speed, its 5 s were as long as hosts are held. */
const MOST_SCALE = 2
/** What a request may be late where it arrives. */
const LATE_MS = 150

/** All cases. `scale`: how many times as fast seconds go by. */
export function faultCases(scale: number): readonly FaultCase[] {
  const atMs = (AT_MS * 10) / scale
  const worker = (kind: WorkerFault['kind'], seconds: number): Moment<WorkerFault> => ({
    atMs,
    fault: { kind, place: 0, ms: (seconds * 1_000) / scale },
  })
  const server = (seconds: number): Moment<ServerFault> => ({
    atMs,
    fault: { kind: 'server killed', ms: (seconds * 1_000) / scale },
  })
  const make = (name: string, rest: Partial<FaultPlan>, check: FaultCase['check']): FaultCase => ({
    name,
    scale,
    plan: {
      seed: `case ${name}`,
      machines: machines([0, 0, 0, 0], true),
      workerFaults: [],
      serverFaults: [],
      rates: {},
      ...rest,
    },
    check,
  })
  const slower = Math.min(scale, MOST_SCALE)
  const apart = machines([0, 0, 0, 0], false)
  return [
    make('killed here', { workerFaults: [worker('kill', 40)] }, (run) => goneOn(run, PROVEN_WITHIN_MS)),
    make('killed elsewhere', { machines: apart, workerFaults: [worker('kill', 60)] }, (run) =>
      goneOn(run, BURIED_WITHIN_MS / scale),
    ),
    make('stopped for 60 s', { machines: apart, workerFaults: [worker('stop', 60)] }, afterwards),
    {
      ...make(
        'server away for 5 s',
        { serverFaults: [{ fault: { kind: 'server killed', ms: 5_000 / slower }, atMs: SHARED_AT_MS / slower }] },
        (run) => sameHands(run, HELD_MS / slower),
      ),
      ...{ scale: slower, pages: PAGES_BEYOND },
    },
    make('server away for 60 s', { serverFaults: [server(60)] }, (run) => silentFrom(run, HELD_MS / scale)),
    make('clocks an hour apart', { machines: machines([-HOUR_MS, 0, HOUR_MS, 0], false) }, () => []),
  ]
}

function machines(clocksMs: readonly number[], isOne: boolean): WorkersPlan['machines'] {
  return clocksMs.map((clockMs, place) => ({ boot: isOne ? '' : `machine-${String(place)}`, clockMs }))
}

/** Each host of a process that died is asked by another one within so many ms, and its delay. */
function goneOn({ befallen, served, delayMs }: FaultRun, withinMs: number): readonly string[] {
  const [one] = befallen
  if (one?.agent === undefined) return ['the process had ended before it was to be killed']
  const { agent, from } = one
  const late = hostsOf(served, agent, from).flatMap(({ host, last }) => {
    const next = served.filter((request) => request.host === host && request.at > from).toSorted((a, b) => a.at - b.at)[0]
    const waitedMs = next === undefined ? 0 : next.at - Math.max(from, last.at + delayMs(host))
    return waitedMs > withinMs + LATE_MS ? [`${host} was asked again after ${waitedMs.toFixed(0)} ms of ${String(withinMs)}`] : []
  })
  return late
}

/** After it goes on, a process asks no host but those that another one had meanwhile, or nobody. */
function afterwards({ befallen, served }: FaultRun): readonly string[] {
  const [one] = befallen
  if (one?.agent === undefined) return ['the process had ended before it was to be stopped']
  const { agent, from, until } = one
  const own = new Set(hostsOf(served, agent, from).map(({ host }) => host))
  const meanwhile = new Set(served.filter((request) => name(request) !== agent && request.at > from).map(({ host }) => host))
  const after = served.filter((request) => name(request) === agent && request.at > until)
  return after
    .filter(({ host }) => own.has(host) && !meanwhile.has(host))
    .map(({ host, path }) => `${agent} asked ${host}${path} after it went on, as if it held the host`)
}

/** No host changes hands, and nothing is asked for twice, where the server was away for less than hosts are held. */
function sameHands({ befallen, served, repeated }: FaultRun, heldMs: number): readonly string[] {
  const [one] = befallen
  if (one === undefined) return ['the server was not killed']
  const awayMs = one.until - one.from
  // Up to a quarter of that time may have passed since the last beat, and whoever waits for the store rests between its calls.
  if (awayMs > 0.6 * heldMs)
    return [`the server was away for ${String(awayMs)} ms: this machine is too slow for the case, try a smaller --scale`]
  const sorted = served.toSorted((a, b) => a.at - b.at)
  const before = new Map(sorted.filter(({ at }) => at < one.from).map((request) => [request.host, name(request)]))
  const after = new Map(
    sorted
      .filter(({ at }) => at > one.until)
      .toReversed()
      .map((request) => [request.host, name(request)]),
  )
  const changed = [...after].filter(([host, agent]) => (before.get(host) ?? agent) !== agent)
  return [
    ...changed.map(([host, agent]) => `${host} went from ${before.get(host) ?? ''} to ${agent}`),
    ...(repeated === 0 ? [] : [`${String(repeated)} requests were repeated`]),
  ]
}

/** Nothing is sent once hosts are held no longer, until the server is back. */
function silentFrom({ befallen, served }: FaultRun, heldMs: number): readonly string[] {
  const [one] = befallen
  if (one === undefined) return ['the server was not killed']
  const sent = served.filter(({ at }) => at > one.from + heldMs + LATE_MS && at < one.until)
  return sent.map(
    (request) =>
      `${name(request)} asked ${request.host}${request.path} ${(request.at - one.from).toFixed(0)} ms after the server was gone`,
  )
}

/** Hosts whose last request before a moment was this process's. */
function hostsOf(
  served: readonly ServedRequest[],
  agent: string,
  before: number,
): readonly { readonly host: string; readonly last: ServedRequest }[] {
  const sorted = served.filter(({ at }) => at < before).toSorted((a, b) => a.at - b.at)
  const last = new Map(sorted.map((request) => [request.host, request]))
  return [...last].filter(([, request]) => name(request) === agent).map(([host, request]) => ({ host, last: request }))
}

function name({ agent }: ServedRequest): string {
  return agent.split(' ')[0] ?? ''
}
