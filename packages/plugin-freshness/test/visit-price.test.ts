import { describe, expect, it } from 'vitest'
import { dueChanges, visitPrice } from '../src/visit-price.ts'

const only = (rate: number): { own: number; all: number } => ({ own: rate, all: rate })

describe('the price of a visit', () => {
  it('splits visits by the square roots of the rates', () => {
    const price = visitPrice([only(0.01), only(0.04)], { budget: 0.3, least: 0, most: 10 })

    expect(0.01 / dueChanges(0.01, price)).toBeCloseTo(0.1, 4)
    expect(0.04 / dueChanges(0.04, price)).toBeCloseTo(0.2, 4)
  })

  it('leaves no page below the least, for which the others pay', () => {
    const price = visitPrice([only(0.000_001), only(0.04)], { budget: 0.3, least: 0.1, most: 10 })

    expect(0.04 / dueChanges(0.04, price)).toBeCloseTo(0.2, 4)
  })
})
