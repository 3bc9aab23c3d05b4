// What a mistyped word probably meant.
import { describe, expect, it } from 'vitest'
import { closest } from '../../src/values/closest.ts'

describe('did you mean', () => {
  it('finds the nearest, by swaps too, and says nothing when none is near', () => {
    const names = ['concurrency', 'config', 'max-depth', 'output']
    expect([closest('conccurency', names), closest('cofnig', names), closest('maxdepth', names), closest('foo', names)]).toEqual([
      'concurrency',
      'config',
      'max-depth',
      undefined,
    ])
  })

  it('finds a slip among ten thousand long URLs before anybody has left', () => {
    const urls = Array.from(
      { length: 10_000 },
      (_, n) => `https://shop.test/${'catalogue/'.repeat(150)}${n}?${'x'.repeat(n % 90)}`,
    )
    const meant = urls[7_300] ?? ''

    expect(closest(meant.replace('shop.test', 'shpo.test'), urls)).toBe(meant)
    expect(closest('y'.repeat(1_500), urls)).toBeUndefined()
  })
})
