// The families of a scrape, in the order of the catalogue.
import { CATALOGUE, type MetricName } from './catalogue.ts'
import { REFUSALS, STATUS_CLASSES, type MeasuredCrawl, type OwnFigures, type ShownStatus } from './counted.ts'
import { COMMIT, distributionOf, LATENCY, type MetricFamily, type Sample } from './family.ts'

const PHASES = ['opening', 'running', 'paused', 'draining', 'closed'] as const
type PausedBy = NonNullable<ShownStatus['pausedBy']>
const PAUSERS = Object.keys({ user: 0, operator: 0, store: 0, machine: 0 } satisfies Record<PausedBy, 0>)

/** Sinks of one crawl are a handful. */
const MAX_SINKS = 50

/** What is shown beside the crawl. */
export interface ScrapeParts {
  readonly own: OwnFigures
  readonly version: string
  /** Of Node.js. */
  readonly node: string
  /** Codes of failures, as reasons: they are there from the beginning, with 0. */
  readonly reasons: readonly string[]
}

/** Of a crawl; `undefined` before one has begun. */
export function crawlFamilies(shown: MeasuredCrawl | undefined, { own, version, node, reasons }: ScrapeParts): MetricFamily[] {
  const samples: SamplesByName = {
    avocet_build_info: [{ labels: { version, node }, value: 1 }],
    ...(shown && {
      ...stateSamples(shown.status),
      ...countSamples(shown, reasons),
      avocet_hosts: Object.entries(shown.conditions ?? {}).map(([judgement, value]) => ({ labels: { judgement }, value })),
      ...sinkSamples(shown.status),
      ...roundSamples(shown.status),
      ...processSamples(shown),
    }),
    ...ownSamples(own),
  }
  return (Object.keys(CATALOGUE) as MetricName[]).flatMap((name) => familyOf(name, samples[name] ?? [], shown))
}

function familyOf(name: MetricName, samples: readonly Sample[], shown: MeasuredCrawl | undefined): MetricFamily[] {
  const { type, help } = CATALOGUE[name]
  if (type !== 'histogram') return samples.length === 0 ? [] : [{ name, type, help, samples }]
  if (shown === undefined) return []
  const buckets = name === 'avocet_response_duration_seconds' ? LATENCY : COMMIT
  return [{ name, type, help, bounds: buckets.bounds, of: distributionOf(buckets, shown.counted) }]
}

function stateSamples(status: ShownStatus): SamplesByName {
  const { name, phase, startedAt, pausedBy, known, waiting, settled, items, inFlight, slots, handlersRunning, connections } =
    status
  return {
    avocet_crawl_info: [{ labels: { crawl: name }, value: 1 }],
    avocet_crawl_start_time_seconds: one(startedAt / 1_000),
    avocet_crawl_phase: PHASES.map((each) => ({ labels: { phase: each }, value: Number(each === phase) })),
    avocet_crawl_paused: PAUSERS.map((by) => ({ labels: { by }, value: Number(by === pausedBy) })),
    avocet_known_requests: one(known),
    avocet_waiting_requests: one(waiting),
    avocet_settled_requests: one(settled),
    avocet_stored_items: one(items),
    avocet_in_flight_requests: one(inFlight),
    avocet_slots: [
      { labels: { state: 'used' }, value: inFlight },
      { labels: { state: 'free' }, value: Math.max(0, slots - inFlight) },
    ],
    avocet_running_handlers: one(handlersRunning),
    ...(connections && {
      avocet_connections: [
        { labels: { state: 'busy' }, value: connections.busy },
        { labels: { state: 'idle' }, value: Math.max(0, connections.open - connections.busy) },
      ],
    }),
  }
}

function countSamples({ status: { run }, counted }: MeasuredCrawl, reasons: readonly string[]): SamplesByName {
  return {
    avocet_pages_total: one(run.pages),
    avocet_requests_total: one(run.requests),
    avocet_responses_total: STATUS_CLASSES.map((status) => ({ labels: { status }, value: counted(`response ${status}`) })),
    avocet_refusals_total: REFUSALS.map((status) => ({
      labels: { status: String(status) },
      value: counted(`refusal ${status}`),
    })),
    avocet_failures_total: reasons.map((reason) => ({ labels: { reason }, value: counted(`failure ${reason}`) })),
    avocet_retries_total: one(run.retried),
    avocet_redirects_total: one(run.moved),
    avocet_given_up_requests_total: one(run.failed),
    avocet_received_bytes_total: one(run.wireBytes),
    avocet_items_total: one(run.items),
    avocet_dropped_items_total: one(run.dropped),
    avocet_rejected_items_total: one(run.rejects),
    avocet_held_items_total: one(run.held),
    avocet_changes_total: one(run.changes),
    avocet_handled_pages_total: one(run.handled),
    avocet_lost_pages_total: one(run.lost),
    avocet_missed_visits_total: one(run.missed),
    avocet_spoiled_pages_total: one(run.spoiled),
    avocet_links_total: one(run.links),
    avocet_new_links_total: one(run.added),
    avocet_refused_links_total: one(run.refusedLinks),
    avocet_plugin_errors_total: one(run.pluginErrors),
  }
}

function sinkSamples({ sinks = [] }: ShownStatus): SamplesByName {
  // Two of one name would make the whole scrape invalid.
  const byName = new Map(sinks.slice(0, MAX_SINKS).map((sink) => [sink.name, sink]))
  const of = (value: (sink: (typeof sinks)[number]) => number): Sample[] =>
    [...byName].map(([name, sink]) => ({ labels: { sink: name }, value: value(sink) }))
  return {
    avocet_sink_written_items: of(({ written }) => written),
    avocet_sink_behind_items: of(({ behind }) => behind),
    avocet_sink_set_aside_items: of(({ setAside }) => setAside),
    avocet_sink_failing: of(({ failingSince }) => Number(failingSince !== undefined)),
  }
}

/** One series for each interval of visits. */
function roundSamples({ rounds = [] }: ShownStatus): SamplesByName {
  const of = (what: 'due' | 'visited'): Sample[] =>
    rounds.map((round) => ({ labels: { every: String(round.everyMs / 1_000) }, value: round[what] }))
  return { avocet_round_due_visits: of('due'), avocet_round_made_visits: of('visited') }
}

function one(value: number): readonly Sample[] {
  return [{ value }]
}

// Samples of the process: of the crawl in it, and by the names that all exporters use.

/** Of a part of the catalogue. */
type SamplesByName = { readonly [Name in MetricName]?: readonly Sample[] }

/** Of the one that crawls. */
function processSamples({ live }: MeasuredCrawl): SamplesByName {
  const of = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : one(value))
  return {
    avocet_process_heap_bytes: one(live.heapBytes),
    avocet_event_loop_delay_p50_seconds: of(live.loopDelay?.p50),
    avocet_event_loop_delay_p99_seconds: of(live.loopDelay?.p99),
    avocet_event_loop_delay_max_seconds: of(live.loopDelay?.max),
  }
}

/** Of the process that answers. */
function ownSamples({ cpuSeconds, residentBytes, startedAt, openFds, maxFds }: OwnFigures): SamplesByName {
  return {
    process_cpu_seconds_total: [{ value: cpuSeconds }],
    process_resident_memory_bytes: [{ value: residentBytes }],
    process_open_fds: openFds === undefined ? [] : [{ value: openFds }],
    process_max_fds: maxFds === undefined ? [] : [{ value: maxFds }],
    process_start_time_seconds: [{ value: startedAt }],
  }
}
