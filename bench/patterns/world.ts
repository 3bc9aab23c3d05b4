// The web of the contest, whole or a part of it.
import { siteModel, type HostSpec, type SiteModel } from '@avocet/testkit'

const DEAD = ['refuse', 'blackhole', 'dns-not-found', 'hang', 'reset', 'drip', 'truncate', 'endless'] as const

/** The first `sites` of the web of 800. */
export function contestWorld(seed: string, sites = 800): SiteModel {
  return siteModel({ seed, hosts: Array.from({ length: sites }, (_, n) => site(n)) })
}

function site(n: number): HostSpec {
  // 37 has no factor in common with 100, so each hundred sites has each share exactly.
  const place = (n * 37) % 100
  const base: HostSpec = { name: `site-${String(n).padStart(3, '0')}.test`, pages: { kind: 'list', pages: 20, textBytes: 300 } }
  if (place >= 95) return { ...base, death: DEAD[n % DEAD.length] ?? 'hang' }
  const [minMs, maxMs] = place < 60 ? [200, 800] : place < 85 ? [800, 3_000] : [3_000, 15_000]
  const well: HostSpec = { ...base, latency: { law: 'uniform', minMs, maxMs } }
  if (place % 4 !== 0) return well
  const share = ((n * 71) % 200) / 200
  return {
    ...well,
    capacity: { law: 'bucket', perSecond: 0.5 * 40 ** share, burst: 1 + ((n * 7) % 10) },
    refusal: { status: 429, ...(n % 2 === 0 ? { retryAfter: 'seconds' } : {}), latencyMs: 80 },
  }
}
