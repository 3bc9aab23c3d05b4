// The machine's clock, and time that runs faster for benches.
import { describe, expect, it } from 'vitest'
import { systemClock } from '../src/index.ts'

describe('a scaled clock', () => {
  it('lets an hour pass in a moment', async () => {
    const clock = systemClock({ scale: 1_000_000 })
    const from = clock.now()

    await new Promise<void>((resolve) => clock.at(from + 3_600_000, resolve))

    expect(clock.now() - from).toBeGreaterThanOrEqual(3_600_000)
  })

  it.each([0, -1, Number.NaN, Infinity])('refuses a scale of %s', (scale) => {
    expect(() => systemClock({ scale })).toThrow(/expected the scale of time to be a number above 0/)
  })
})
