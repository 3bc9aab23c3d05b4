// How long the n-th answer of a host takes. Pure: the law, a source of chance, the number of the request.
import type { Chance } from '../seeded.ts'
import type { LatencyLaw } from './host-spec.ts'

/** Of a host that says nothing of it. */
export const DEFAULT_LATENCY: LatencyLaw = { law: 'fixed', ms: 50 }

/** Ms from the `n`-th request to its headers. */
export function latencyMs(law: LatencyLaw, chance: Chance, n: number): number {
  if (law.law === 'fixed') return law.ms
  if (law.law === 'uniform') return law.minMs + (law.maxMs - law.minMs) * chance(n)
  return law.medianMs * Math.exp(law.spread * normal(chance, n))
}

/** A number of the standard normal distribution. Box and Muller 1958. */
function normal(chance: Chance, n: number): number {
  // 1 - chance is in (0, 1], so the logarithm is finite.
  return Math.sqrt(-2 * Math.log(1 - chance(2 * n))) * Math.cos(2 * Math.PI * chance(2 * n + 1))
}
