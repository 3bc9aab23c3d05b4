// What a simulation has shown: how quick the crawl was, how its hosts were treated, and where its slots went. Plain JSON, and the same for the same seed.
import type { CrawlConfig, CrawlReport, Crawl } from '@avocet/core'
import { hostKeyOf, type HostRecord, DEFAULTS } from '@avocet/core/store'
import { activePlugins } from 'avocet'
import { makespanBound, type Felt, type HostSpec, type SiteModel } from '@avocet/simulator'
import type { TracedExchange, TraceEvent } from '@avocet/core/plugin'
import type { Treatment } from '@avocet/project/plan'

/** The document of `avocet simulate --json`. Times in ms of virtual time. */
export interface Result {
  readonly schema: 1
  readonly web: string
  readonly seed: string
  readonly slots: number
  readonly policies: readonly string[]
  /** Plugins that did not run, for they have effects outside the crawl, or may have. */
  readonly leftOut: readonly string[]
  readonly ended: CrawlReport['ended']
  readonly elapsedMs: number
  readonly pages: number
  readonly pagesPerHour: number
  /** Pages of hosts that are not dead for good: how many of those known wait, and how many were given up. */
  readonly live: { readonly waiting: number; readonly failed: number }
  /** From the beginning to the last page; null = pages of live hosts are left. */
  readonly makespanMs: number | null
  /** The least time that a crawl of perfect knowledge needs, and how many times as long this one took. */
  readonly oracle: { readonly boundMs: number; readonly times: number } | null
  readonly requests: number
  readonly refused: number
  readonly refusedRatio: number
  readonly banned: number
  readonly bannedHosts: number
  readonly duringRetryAfter: number
  readonly deadRequests: number
  readonly deadHosts: number
  readonly falseTimeouts: number
  /** The ten hosts that refused the largest share of what they were asked, of those asked ten times. */
  readonly refusedMost: readonly { readonly host: string; readonly requests: number; readonly refused: number }[]
  /** Found rate over capacity. */
  readonly rates: { readonly hosts: number; readonly median: number; readonly low: number; readonly high: number } | null
  readonly slotSeconds: SlotSeconds
  readonly failures: CrawlReport['failures']
  readonly problems: CrawlReport['problems']
}

/** Where slots went. `failed`: dead hosts, resets, timeouts; `parked`: booked, and nothing on the wire. */
export interface SlotSeconds {
  readonly all: number
  readonly served: number
  readonly refused: number
  readonly banned: number
  readonly failed: number
  readonly parked: number
}

/** One host whose capacity is a rate. */
export interface FoundRate {
  readonly host: string
  readonly foundRps: number
  readonly capacityRps: number
}

/** What the result is put together from. */
export interface SimulationEvidence {
  readonly name: string
  readonly seed: string
  readonly model: SiteModel
  readonly config: Pick<CrawlConfig, 'concurrency' | 'hostKeying'> & Treatment
  readonly leftOut: readonly string[]
  readonly report: CrawlReport
  readonly records: readonly HostRecord[]
  readonly slots: Pick<SlotWatch, 'bookedMs' | 'wireMs' | 'lastPageAt' | 'pages'>
  /** What a host saw of the crawl. */
  readonly seenBy: (host: string) => Felt
  readonly rates: readonly FoundRate[]
  readonly startedAt: number
}

const HOUR_MS = 3_600_000

/** Puts the result together. */
export function resultOf(evidence: SimulationEvidence): Result {
  const { name, seed, model, config, report, slots, startedAt } = evidence
  const hosts = model.hosts.map((spec) => ({ spec, seen: evidence.seenBy(spec.name) }))
  const sum: Sum = (of) => hosts.reduce((total, host) => total + of(host.seen), 0)
  const elapsedMs = report.endedAt - startedAt
  const live = liveOf(evidence)
  const makespanMs = live.waiting > 0 || slots.pages === 0 ? null : slots.lastPageAt - startedAt
  return {
    schema: 1,
    web: name,
    seed,
    slots: config.concurrency ?? DEFAULTS.concurrency,
    policies: activePlugins(config).map(({ name }) => name),
    leftOut: evidence.leftOut,
    ended: report.ended,
    elapsedMs: round(elapsedMs),
    pages: slots.pages,
    pagesPerHour: Math.round((slots.pages * HOUR_MS) / Math.max(1, makespanMs ?? elapsedMs)),
    live,
    makespanMs: makespanMs === null ? null : round(makespanMs),
    oracle: makespanMs === null ? null : regretOf(evidence, makespanMs),
    ...manners(hosts, sum),
    refusedMost: refusedMost(hosts),
    rates: rateSpread(evidence.rates),
    slotSeconds: slotSecondsOf(slots, sum),
    failures: report.failures,
    problems: [
      ...report.rejects.map(({ source, reason, count }) => ({ message: `${source} refused items: ${reason}`, count })),
      ...report.handlerErrors.map(({ place = '', message, count }) => ({ message: `${place} ${message}`.trim(), count })),
      ...report.problems,
    ],
  }
}

type Sum = (of: (seen: Felt) => number) => number

/** How the crawl treated the hosts. */
function manners(hosts: readonly SeenHost[], sum: Sum) {
  const requests = sum(({ attempts }) => attempts)
  const refused = sum((host) => host.refused)
  return {
    requests,
    refused,
    refusedRatio: round(refused / Math.max(1, requests), 5),
    banned: sum((host) => host.banned),
    bannedHosts: hosts.filter((host) => host.seen.banned > 0).length,
    duringRetryAfter: sum((host) => host.duringRetryAfter),
    deadRequests: sum((host) => host.deadAttempts),
    deadHosts: hosts.filter((host) => host.seen.deadAttempts > 0).length,
    falseTimeouts: sum((host) => host.falseTimeouts),
  } satisfies Partial<Result>
}

function liveOf({ model, config, records }: SimulationEvidence): Result['live'] {
  const keying = config.hostKeying ?? 'host'
  const dead = new Set(model.hosts.filter(isDead).map(({ name }) => hostKeyOf(`${model.baseOf(name)}/`, keying)))
  const live = records.filter(({ hostKey }) => !dead.has(hostKey))
  const sum = (of: (record: HostRecord) => number): number => live.reduce((total, record) => total + of(record), 0)
  return { waiting: sum(({ waiting }) => waiting), failed: sum(({ failed }) => failed) }
}

function isDead({ death }: HostSpec): boolean {
  return death !== undefined
}

/** The bound is that of the pages that this crawl got: a spider need not want all of them. */
function regretOf({ model, config, records }: SimulationEvidence, makespanMs: number): Result['oracle'] {
  const done = new Map(records.map((record) => [record.hostKey, record.done]))
  const requestsTo = (host: string): number => done.get(hostKeyOf(`${model.baseOf(host)}/`, config.hostKeying ?? 'host')) ?? 0
  const { ms } = makespanBound(model, { slots: config.concurrency ?? DEFAULTS.concurrency, requestsTo })
  return ms === 0 ? null : { boundMs: round(ms), times: round(makespanMs / ms, 4) }
}

interface SeenHost {
  readonly spec: HostSpec
  readonly seen: Felt
}

const LEAST_REQUESTS = 10
const MOST_SHOWN = 10

function refusedMost(hosts: readonly SeenHost[]): Result['refusedMost'] {
  const share = ({ seen }: SeenHost): number => seen.refused / seen.requests
  return hosts
    .filter(({ seen }) => seen.requests >= LEAST_REQUESTS && seen.refused > 0)
    .toSorted((a, b) => share(b) - share(a) || (a.spec.name < b.spec.name ? -1 : 1))
    .slice(0, MOST_SHOWN)
    .map(({ spec, seen }) => ({ host: spec.name, requests: seen.requests, refused: seen.refused }))
}

/** Median, and what a tenth of the hosts is below or above. */
function rateSpread(rates: readonly FoundRate[]): Result['rates'] {
  const shares = rates.map(({ foundRps, capacityRps }) => foundRps / capacityRps).toSorted((a, b) => a - b)
  const at = (part: number): number => round(shares[Math.floor(part * (shares.length - 1))] ?? 0, 4)
  return shares.length === 0 ? null : { hosts: shares.length, median: at(0.5), low: at(0.1), high: at(0.9) }
}

function slotSecondsOf({ bookedMs, wireMs }: SimulationEvidence['slots'], sum: Sum): SlotSeconds {
  const seconds = (ms: number): number => round(ms / 1_000)
  return {
    all: seconds(bookedMs),
    served: seconds(sum(({ slotMs }) => slotMs.served)),
    refused: seconds(sum(({ slotMs }) => slotMs.refused)),
    banned: seconds(sum(({ slotMs }) => slotMs.banned)),
    failed: seconds(sum(({ slotMs }) => slotMs.failed)),
    parked: seconds(Math.max(0, bookedMs - wireMs)),
  }
}

function round(value: number, digits = 3): number {
  return Number(value.toFixed(digits))
}

// Watches a simulated crawl from both sides of its slots: what is booked, and what is on the wire. The difference is a slot that waits.

/** Counts for one crawl. */
export class SlotWatch {
  /** Ms that slots were taken, from booking to end. */
  bookedMs = 0
  /** Of them, ms with an exchange in flight. */
  wireMs = 0
  /** Epoch ms at which the last page was done; 0 before the first. */
  lastPageAt = 0
  pages = 0
  /** Of exchanges in flight, by id: epoch ms. */
  readonly #begunAt = new Map<string, number>()

  /** Reads the trace of `run`. */
  follow(run: Crawl): void {
    run.hooks.onTrace.tap('simulate', (event: TraceEvent) => {
      if (event.kind === 'begun') this.#begunAt.set(event.exchange.id, event.at)
      else if (event.kind === 'answered' || event.kind === 'failed' || event.kind === 'unsent')
        this.#ended(event.exchange, event.at)
      else if (event.kind === 'committed' && event.outcome.kind === 'done') {
        this.lastPageAt = event.at
        this.pages++
      }
    })
  }

  #ended({ id, bookedAt }: TracedExchange, at: number): void {
    this.bookedMs += at - bookedAt
    this.wireMs += at - (this.#begunAt.get(id) ?? at)
    this.#begunAt.delete(id)
  }
}
