// Samples of hosts: how many are what, and what was counted of each of those that have a name, with all others as one.
import type { HostCounts } from './counted.ts'
import type { Sample } from './family.ts'
import type { SamplesByName } from './process-samples.ts'
import type { MeasuredCrawl } from './measured-crawl.ts'

/** All hosts without a name. No host is called so. */
const OTHERS = '(other)'

/** Of a crawl. */
export function hostSamples({ conditions = {}, book }: MeasuredCrawl): SamplesByName {
  const { named, others } = book.hosts.counts
  const countsOf = (what: keyof HostCounts): readonly Sample[] => [
    ...[...named].map(([host, counts]) => ({ labels: { host }, value: counts[what] })),
    { labels: { host: OTHERS }, value: others[what] },
  ]
  return {
    avocet_hosts: Object.entries(conditions).map(([judgement, value]) => ({ labels: { judgement }, value })),
    avocet_host_requests_total: countsOf('requests'),
    avocet_host_refusals_total: countsOf('refusals'),
    avocet_host_failures_total: countsOf('failures'),
  }
}
