import { describe, expect, it } from 'vitest'
import { burstRate, burstShare, noBursts, sawVisit } from '../src/burst.ts'

describe('bursts', () => {
  it('begin with a few changes of pages that rarely change', () => {
    const bursts = noBursts(0)
    const visits = [visit(bursts, 10, false), visit(bursts, 10.1, true), visit(bursts, 10.2, true)]

    expect(visits).toEqual([false, false, true])
    expect(burstShare(bursts, 9)).toBeGreaterThan(0.3)
    expect(burstShare(bursts, 10.2)).toBe(0)
  })

  it('do not begin with changes of pages that always change', () => {
    const bursts = noBursts(0)
    const visits = Array.from({ length: 50 }, (_, n) => visit(bursts, 10 + n / 10, n % 10 !== 0, 0.9))

    expect(visits).not.toContain(true)
  })

  it('are over after a dozen pages that have not changed', () => {
    const bursts = noBursts(0)
    for (let n = 0; n < 3; n++) visit(bursts, 10 + n / 10, true)
    for (let n = 0; n < 12; n++) visit(bursts, 11 + n / 10, false)

    expect(burstShare(bursts, 9)).toBe(0)
  })

  it('are expected more often at a host that had some', () => {
    const bursts = noBursts(0)
    const before = burstRate(bursts, 100)
    for (let burst = 0; burst < 3; burst++) {
      visit(bursts, 9.9 + 24 * burst, false)
      for (let n = 0; n < 20; n++) visit(bursts, 10 + 24 * burst + n / 10, true)
    }

    expect(bursts.count).toBe(2)
    expect(burstRate(bursts, 100)).toBeGreaterThan(3 * before)
  })
})

/** Of a page that was last visited before the burst of its day. */
function visit(bursts: ReturnType<typeof noBursts>, now: number, changed: boolean, own = 0.05): boolean {
  return sawVisit(bursts, { now, visitedAt: now - 8, changed, own, visitsPerHour: 10 })
}
