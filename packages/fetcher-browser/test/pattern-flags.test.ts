// Flags of the patterns of rules: `g` changes nothing, `y` is refused, for it would match at the beginning of a URL alone.
import { DEFAULTS, systemClock } from '@avocet/core/store'
import { browser } from '@avocet/fetcher-browser'
import { undiciFetcher } from '@avocet/fetcher-http'
import { expect, it } from 'vitest'
import { browserBy } from '../src/browser.ts'

it('a pattern with the flag y is refused, for it would match no URL', () => {
  expect(() => browser({ rules: [{ match: /\/p\//y }] })).toThrow('without the flag y')
})

it('a pattern with the flag g matches each time', () => {
  const clock = systemClock()
  const made = browserBy({ rules: [{ match: /\/p\//g }] }, { launch: () => () => Promise.reject(new Error('not here')) })
  const { rendering } = made({ http: undiciFetcher({ clock }), clock, limits: DEFAULTS.sizeLimits })

  expect([1, 2, 3].map(() => rendering?.wants({ url: 'https://shop.test/p/1' }))).toEqual([true, true, true])
})
