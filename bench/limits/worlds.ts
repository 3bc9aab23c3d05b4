// The worlds L and H: 80 hosts, each with a token bucket; the same in the server and in the bench.
import { shuffled } from '@avocet/simulator'

/** Of the two worlds: L is below what one core serves many times over, so it judges control alone; H asks for speed as well. */
export type WorldName = 'L' | 'H'

/** A host with a limit. */
export interface LimitedHost {
  readonly address: string
  /** Requests per second in the long run. */
  readonly rps: number
  /** Requests at once, after a rest. */
  readonly burst: number
  /** Whether its refusals say `Retry-After: 1`. */
  readonly saysRetryAfter: boolean
  /** Mean; each answer takes 0.5 to 1.5 times as long, refusals too. */
  readonly latencyMs: number
}

const HOSTS = 80

/** What distinguishes the worlds. */
export const WORLDS: Readonly<Record<WorldName, { readonly factor: number; readonly seconds: number }>> = {
  L: { factor: 0.2, seconds: 50 },
  H: { factor: 1, seconds: 60 },
}

/** Rates spread evenly in the logarithm over 1 to 50, times the factor; latencies over 20 to 500 ms, in an order of their own. */
export function hostsOf(world: WorldName): readonly LimitedHost[] {
  const { factor } = WORLDS[world]
  const shares = Array.from({ length: HOSTS }, (_, n) => n / (HOSTS - 1))
  const slowness = shuffled(shares, 'limits latency')
  const ranks = shuffled([...shares.keys()], 'limits retry-after')
  return shares.map((share, n) => {
    const rps = factor * 50 ** share
    return {
      address: `127.43.0.${String(n + 1)}`,
      rps,
      burst: Math.max(2, rps),
      saysRetryAfter: (ranks[n] ?? n) % 2 === 0,
      latencyMs: 20 * 25 ** (slowness[n] ?? 0.5),
    }
  })
}
