// The histogram: short, forgetful, and never below the truth.
import { describe, expect, it } from 'vitest'
import { addSample, joined, quantileOf, sampleCount } from '../src/laws/quantile.ts'

const of = (...ms: readonly number[]): number[] => {
  const histogram: number[] = []
  for (const each of ms) addSample(histogram, each)
  return histogram
}

describe('histogram', () => {
  it.each([
    [[50], [0, 4]],
    [[200], [4, 4]],
    [[201], [5, 4]],
    [
      [800, 200],
      [4, 4, 0, 0, 0, 4],
    ],
    [
      [1, 1e9],
      [0, 4, ...Array.from({ length: 22 }, () => 0), 4],
    ],
  ])('keeps %j as %j', (samples, histogram) => {
    expect(of(...samples)).toEqual(histogram)
  })

  it('gives quantiles that are up to √2 too long, never too short', () => {
    for (const ms of [51, 199, 1_234, 9_999, 60_000]) {
      const found = quantileOf(of(ms), 0.97)
      expect(found).toBeGreaterThanOrEqual(ms)
      expect(found).toBeLessThanOrEqual(Math.ceil(ms * Math.SQRT2))
    }
  })

  it('finds the slow one in ten', () => {
    const tenth = of(...Array.from({ length: 100 }, (_, n) => (n % 10 === 0 ? 6_400 : 400)))

    expect(quantileOf(tenth, 0.85)).toBe(400)
    expect(quantileOf(tenth, 0.97)).toBe(6_400)
  })

  it('forgets: after 128 samples each counts half, and what is worth less than a quarter is gone', () => {
    const histogram = of(6_400)
    for (let n = 0; n < 600; n++) addSample(histogram, 400)

    expect(sampleCount(histogram)).toBeLessThan(128)
    expect(histogram).toHaveLength(2)
  })

  it('counts others like so many samples, however many they are', () => {
    const others = of(...Array.from({ length: 100 }, () => 3_200))

    expect(quantileOf(of(200, 200), 0.5, others, 4)).toBe(3_200)
    expect(quantileOf(of(200, 200, 200, 200, 200), 0.5, others, 4)).toBe(200)
  })

  it('joins two into the larger counts, in any order and any number of times', () => {
    const a = of(200, 200, 800)
    const b = of(400, 12_800)
    const ab = joined(a, b)

    expect(ab).toEqual([4, 8, 0, 4, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4])
    expect(joined(b, a)).toEqual(ab)
    expect(joined(ab, a)).toEqual(ab)
    expect(joined([], b)).toEqual(b)
  })
})
