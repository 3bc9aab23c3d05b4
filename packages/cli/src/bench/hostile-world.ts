// The web that `avocet bench` crawls, on loopback: 340 hosts, most of them well, the others hostile in five ways.
import { siteModel, type HostSpec, type SiteModel } from '@avocet/simulator'

/** How a host of the bench behaves. */
export type Kind = 'fast' | 'slow' | 'refusing' | 'hanging' | 'dripping' | 'resetting'

/** More pages than a polite crawl gets from one host within the longest bench. */
const PAGES: HostSpec['pages'] = { kind: 'plain', pages: 5_000 }

/** How many hosts of each kind, and what they are like. The fast ones are alike to the byte: what one gets more than another is the crawl's doing. */
const HOSTS: Readonly<Record<Kind, { readonly count: number; readonly spec: Omit<HostSpec, 'name' | 'pages'> }>> = {
  fast: { count: 240, spec: { latency: { law: 'fixed', ms: 30 } } },
  slow: { count: 30, spec: { latency: { law: 'uniform', minMs: 1_000, maxMs: 2_000 } } },
  refusing: {
    count: 30,
    spec: {
      latency: { law: 'fixed', ms: 30 },
      capacity: { law: 'bucket', perSecond: 0.5, burst: 2 },
      refusal: { status: 429, retryAfter: 'seconds' },
    },
  },
  hanging: { count: 20, spec: { death: 'hang' } },
  dripping: { count: 10, spec: { death: 'drip' } },
  resetting: { count: 10, spec: { death: 'reset' } },
}

/** The kinds. */
export const KINDS: readonly Kind[] = Object.keys(HOSTS) as Kind[]

/** The model. Named hosts: `fast-017.test`. */
export function hostileWorld(): SiteModel {
  const hosts = KINDS.flatMap((kind) =>
    Array.from({ length: HOSTS[kind].count }, (_, n): HostSpec => ({
      name: `${kind}-${String(n + 1).padStart(3, '0')}.test`,
      pages: PAGES,
      ...HOSTS[kind].spec,
    })),
  )
  return siteModel({ seed: 'bench', hosts, seedOrder: 'shuffled' })
}

/** Of a host of that model. */
export function hostKindOf(host: string): Kind {
  return KINDS.find((kind) => host.startsWith(`${kind}-`)) ?? 'fast'
}
