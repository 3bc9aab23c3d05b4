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

  it('looks for no slip in words of more than 100 letters: ten thousand long URLs take no time', () => {
    const urls = Array.from({ length: 10_000 }, (_, n) => `https://shop.test/${'catalogue/'.repeat(150)}${n}`)

    expect(closest((urls[7_300] ?? '').replace('shop.test', 'shpo.test'), urls)).toBeUndefined()
  })
})
