// What bench:orders makes of the requests that arrive at a site. The whole of it: npm run bench:orders.
import { describe, expect, it } from 'vitest'
import { firstArrival, lastArrival, lastTooSoon } from '../bench/orders/arrivals.ts'
import { orderRow, orderTable } from '../bench/orders/figures.ts'

const ARRIVALS = [100, 200, 300, 400, 900, 1_400]

describe('an order at a site', () => {
  it('that holds requests back is felt with the last one, at once where none came after it', () => {
    expect(lastArrival(ARRIVALS, 350)).toBe(1_400)
    expect(lastArrival(ARRIVALS, 1_500)).toBe(1_500)
    expect(lastArrival([], 350)).toBe(350)
  })

  it('that lets requests go on is felt with the first one', () => {
    expect(firstArrival(ARRIVALS, 350)).toBe(400)
    expect(firstArrival(ARRIVALS, 1_500)).toBeUndefined()
  })

  it('that slows requests down is felt with the last one that came too soon', () => {
    expect(lastTooSoon(ARRIVALS, 150, 450)).toBe(400)
    expect(lastTooSoon(ARRIVALS, 500, 450)).toBe(500)
  })
})

describe('a row of bench:orders', () => {
  it('holds while its slowest try is within a second', () => {
    expect(orderRow('pause', [900, -20, 1_000])).toEqual({ order: 'pause', tries: 3, medianMs: 900, maxMs: 1_000, holds: true })
    expect(orderRow('stop', [10, 20, 1_000.4])).toMatchObject({ medianMs: 20, maxMs: 1_000, holds: false })
  })

  it('without tries does not hold', () => {
    expect(orderRow('pause', []).holds).toBe(false)
  })

  it('is a line of a table', () => {
    expect(orderTable([orderRow('host pause', [3]), orderRow('stop', [1_700])])).toEqual([
      'order       tries   median  maximum',
      'host pause      1     3 ms     3 ms  PASS',
      'stop            1  1700 ms  1700 ms  MISS',
    ])
  })
})
