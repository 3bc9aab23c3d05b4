// Chance that depends on a text alone.
import { describe, expect, it } from 'vitest'
import { chanceOf } from '../src/run/run.ts'

describe('chance', () => {
  it('is the same for the same text', () => {
    expect(chanceOf('seed\nshop.test\n17\nretry')).toBe(chanceOf('seed\nshop.test\n17\nretry'))
  })

  it('spreads like texts evenly over [0, 1)', () => {
    const tenths = Array.from({ length: 10 }, () => 0)
    for (let seq = 0; seq < 10_000; seq++) {
      const tenth = Math.floor(10 * chanceOf(`seed\nshop.test\n${seq}\nretry`))
      tenths[tenth] = (tenths[tenth] ?? 0) + 1
    }

    // Each expects 1,000 with a standard deviation of 30.
    for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(120)
  })

  it('has neighbours that tell nothing of each other', () => {
    const pairs = Array.from(
      { length: 5_000 },
      (_, seq) => [chanceOf(`h\n${seq}\nx`) - 0.5, chanceOf(`h\n${seq + 1}\nx`) - 0.5] as const,
    )
    const covariance = pairs.reduce((sum, [a, b]) => sum + a * b, 0) / pairs.length

    // Of independent ones: 0, with a standard deviation of 1/12 / sqrt(5,000) = 0.0012.
    expect(Math.abs(covariance)).toBeLessThan(0.005)
  })
})
