// Durations as they are typed.
import { describe, expect, it } from 'vitest'
import { parseDuration } from '../../src/options/values.ts'

describe('a duration', () => {
  it.each([
    ['250ms', 250],
    ['90s', 90_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1d', 86_400_000],
    ['1.5s', 1_500],
    ['2', 2_000],
    ['0.5', 500],
    ['0', 0],
    [' 3s ', 3_000],
  ])('reads %s as %d ms', (text, ms) => {
    expect(parseDuration(text, '--delay')).toBe(ms)
  })

  it.each(['', 'abc', '5 m', '5x', '-1s', '1h30', 's', '1e3', 'Infinity', '99999999d'])('refuses %j', (text) => {
    expect(() => parseDuration(text, '--delay')).toThrow(
      `--delay: expected a duration such as 250ms, 90s, 5m or 1h30m (a plain number is seconds), got '${text}'`,
    )
  })
})
