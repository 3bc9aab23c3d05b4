// Samples of hosts: how many are what, and each of those that have a name, with all others as one.
import type { HostCounts } from './counted.ts'
import type { Sample } from './family.ts'
import type { SamplesByName } from './process-samples.ts'
import type { ShownHost, MeasuredCrawl } from './measured-crawl.ts'

/** All hosts without a name. No host is called so. */
const OTHERS = '(other)'

/** Of a crawl. */
export function hostSamples({ status, conditions = {}, book, processes }: MeasuredCrawl): SamplesByName {
  const { counts } = book.hosts
  const held = mergedHosts([...processes.values()].flatMap(({ named }) => named))
  return {
    avocet_hosts: Object.entries(conditions).map(([judgement, value]) => ({ labels: { judgement }, value })),
    avocet_host_requests_total: countsOf(counts, 'requests'),
    avocet_host_refusals_total: countsOf(counts, 'refusals'),
    avocet_host_failures_total: countsOf(counts, 'failures'),
    ...gaugesOf({ status, book, processes }, held),
    avocet_host_found_requests_per_second: [...held].flatMap(([host, { foundRps }]) =>
      foundRps === undefined ? [] : [{ labels: { host }, value: foundRps }],
    ),
  }
}

/** A host that changes hands may be told of by two for a moment: where something is in flight it is held. */
function mergedHosts(all: readonly ShownHost[]): ReadonlyMap<string, ShownHost> {
  const byKey = new Map<string, ShownHost>()
  for (const host of all) {
    const other = byKey.get(host.hostKey)
    if (other === undefined || host.inFlight > other.inFlight) byKey.set(host.hostKey, host)
  }
  return byKey
}

function countsOf({ named, others }: MeasuredCrawl['book']['hosts']['counts'], what: keyof HostCounts): readonly Sample[] {
  return [
    ...[...named].map(([host, counts]) => ({ labels: { host }, value: counts[what] })),
    { labels: { host: OTHERS }, value: others[what] },
  ]
}

/** The others are the rest of what the whole crawl has. */
function gaugesOf({ status, book }: MeasuredCrawl, held: ReadonlyMap<string, ShownHost>): SamplesByName {
  const named = book.hosts.names.map((host) => {
    const { inFlight = 0, waiting = book.hosts.waitingAt(host) } = held.get(host) ?? {}
    return { host, inFlight, waiting }
  })
  const others = (all: number, of: (host: (typeof named)[number]) => number): Sample => ({
    labels: { host: OTHERS },
    value: Math.max(
      0,
      named.reduce((rest, host) => rest - of(host), all),
    ),
  })
  return {
    avocet_host_in_flight_requests: [
      ...named.map(({ host, inFlight }) => ({ labels: { host }, value: inFlight })),
      others(status.inFlight, ({ inFlight }) => inFlight),
    ],
    avocet_host_waiting_requests: [
      ...named.flatMap(({ host, waiting }) => (waiting === undefined ? [] : [{ labels: { host }, value: waiting }])),
      others(status.waiting, ({ waiting = 0 }) => waiting),
    ],
  }
}
