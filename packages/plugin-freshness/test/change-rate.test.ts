import { describe, expect, it } from 'vitest'
import { changeRate, fittedPrior, type Prior, type Seen } from '../src/change-rate.ts'

const DAILY: Prior = { shape: 1, hours: 24 }

describe('the rate of a page', () => {
  it('is that of its like until it was visited', () => {
    expect(changeRate({ changes: 0, changedHours: 0, quietHours: 0 }, DAILY)).toBeCloseTo(1 / 24)
  })

  it('falls with the hours in which it did not change', () => {
    expect(changeRate({ changes: 0, changedHours: 0, quietHours: 216 }, DAILY)).toBeCloseTo(1 / 240)
  })

  it('takes a change in a long interval for several', () => {
    const often = changeRate({ changes: 40, changedHours: 400, quietHours: 0 }, DAILY)
    const half = changeRate({ changes: 20, changedHours: 200, quietHours: 200 }, DAILY)

    // Half of the visits after 10 hours found a change: Poisson, ln 2 in 10 hours.
    expect(half).toBeCloseTo(Math.LN2 / 10, 2)
    expect(often).toBeGreaterThan(0.2)
  })
})

describe('the rates of pages of a kind', () => {
  it('are nearly the same where all pages saw the same', () => {
    const alike = Array.from({ length: 50 }, (): Seen => ({ changes: 5, changedHours: 5, quietHours: 95 }))
    const prior = fitted(alike)

    expect(prior.shape).toBeGreaterThan(5)
    expect(prior.shape / prior.hours).toBeCloseTo(0.05, 2)
  })

  it('are far apart where a few pages change and the others never do', () => {
    const pages = Array.from({ length: 50 }, (_, n): Seen =>
      n < 5 ? { changes: 40, changedHours: 40, quietHours: 60 } : { changes: 0, changedHours: 0, quietHours: 100 },
    )
    const prior = fitted(pages)

    expect(prior.shape).toBeLessThan(0.3)
  })

  it('stay as they are with a single page', () => {
    expect(fittedPrior([{ changes: 3, changedHours: 3, quietHours: 9 }], DAILY)).toEqual(DAILY)
  })
})

function fitted(pages: readonly Seen[]): Prior {
  let prior = DAILY
  for (let step = 0; step < 30; step++) prior = fittedPrior(pages, prior)
  return prior
}
