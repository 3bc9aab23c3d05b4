// The bars of the default rate law, with few seeds: bench/control/rate.ts is the whole of it.
import { describe, expect, it } from 'vitest'
import { manyHosts, sharedBucket, steady, steppedHour } from '../../bench/control/rate-worlds.ts'
import { harmBudget } from '../../packages/plugin-aimd/src/laws/harm-budget.ts'

const law = harmBudget()
const BURSTS = [1, 5, 20]

describe('the default rate law', () => {
  it.each([0.5, 5, 50].flatMap((rps) => BURSTS.map((burst) => ({ rps, burst }))))(
    'uses a bucket of $rps a second with burst $burst, and is refused no more than its budget',
    ({ rps, burst }) => {
      const { utilisation, refusedRatio } = steady(law, 1, { rps, burst })

      expect(utilisation).toBeGreaterThan(0.96)
      expect(refusedRatio).toBeLessThan(rps < 5 ? 0.01 : 0.003)
    },
  )

  it.each(BURSTS)('follows a capacity that halves and doubles, with burst %i', (burst) => {
    const runs = [1, 2, 3].map((seed) => steppedHour(law, seed, burst))

    for (const { utilisation, settledMs, halvingRefusals } of runs) {
      expect(utilisation).toBeGreaterThan(0.91)
      expect(settledMs).toBeLessThanOrEqual(8_000)
      expect(halvingRefusals).toBeLessThanOrEqual(8)
    }
  })

  it('finds the capacity of 80 hosts within their first minute', () => {
    const low = manyHosts(law, 1, { scale: 0.2, fromMs: 0, toMs: 50_000 })
    const high = manyHosts(law, 1, { scale: 1, fromMs: 20_000, toMs: 60_000 })

    expect(low.utilisation).toBeGreaterThan(0.94)
    expect(low.refusedRatio).toBeLessThan(0.032)
    expect(high.utilisation).toBeGreaterThan(0.95)
    expect(high.refusedRatio).toBeLessThan(0.007)
  })

  it('shares a bucket with another crawler', () => {
    expect(sharedBucket(law, 1, { clients: 2, burst: 5 }).jain).toBeGreaterThan(0.95)
  })

  it('bears slow answers', () => {
    const { utilisation, refusedRatio } = steady(law, 1, { rps: 10, burst: 5, latencyMs: 3_000 })

    expect(utilisation).toBeGreaterThan(0.85)
    expect(refusedRatio).toBeLessThan(0.006)
  })
})
