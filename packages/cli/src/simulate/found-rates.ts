// The rate that a crawl found at each host that has one, beside the rate that the host's law serves.
import { explainHost, hostKeyOf, type CrawlConfig, type HostRecord, type Plugin } from '@avocet/core'
import type { CapacityLaw, SiteModel } from '@avocet/simulator'

/** One host whose capacity is a rate. */
export interface FoundRate {
  readonly host: string
  readonly foundRps: number
  readonly capacityRps: number
}

/** What is compared. */
export interface Comparison {
  readonly model: SiteModel
  readonly config: Pick<CrawlConfig, 'hosts' | 'hostKeying'> & { readonly plugins: readonly Plugin[] }
  readonly records: readonly HostRecord[]
  /** Epoch ms. */
  readonly now: number
}

/** Any plugin that explains a `foundRps` has found a rate; hosts that it never met are left out. */
export function foundRates({ model, config, records, now }: Comparison): readonly FoundRate[] {
  const { plugins, hosts, hostKeying = 'host' } = config
  const byKey = new Map(records.map((record) => [record.hostKey, record]))
  return model.hosts.flatMap(({ name, capacity, death }) => {
    const capacityRps = rateOf(capacity)
    const record = byKey.get(hostKeyOf(`${model.baseOf(name)}/`, hostKeying))
    if (capacityRps === undefined || death !== undefined || record === undefined || record.done === 0) return []
    const { values } = explainHost({ plugins, ...(hosts && { hosts }), record, now })
    const found = Object.values(values).find(({ foundRps }) => typeof foundRps === 'number')?.['foundRps']
    return typeof found === 'number' ? [{ host: name, foundRps: found, capacityRps }] : []
  })
}

/** In the long run, before any change; undefined where nothing is refused. */
function rateOf(law: CapacityLaw | undefined): number | undefined {
  if (law === undefined || law.law === 'servers') return undefined
  return 'perSecond' in law ? law.perSecond : law.requests / law.seconds
}
