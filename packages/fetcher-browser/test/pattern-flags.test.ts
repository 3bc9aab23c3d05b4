// Flags of the patterns of rules: `g` changes nothing, `y` is refused, for it would match at the beginning of a URL alone.
import { browser } from '@avocet/fetcher-browser'
import { expect, it } from 'vitest'

it('a pattern with the flag y is refused, for it would match no URL', () => {
  expect(() => browser({ rules: [{ match: /\/p\//y }] })).toThrow('without the flag y')
})

it('a pattern with the flag g matches each time', () => {
  const rendering = browser({ rules: [{ match: /\/p\//g }] })

  expect([1, 2, 3].map(() => rendering.renders('https://shop.test/p/1'))).toEqual([true, true, true])
})
