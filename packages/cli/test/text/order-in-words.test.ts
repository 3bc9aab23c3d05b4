// What an order is called, by the command that gave it and where orders are listed.
import { describe, expect, it } from 'vitest'
import { orderInWords } from '../../src/text/orders-in-words.ts'

const HOUR = 3_600_000

describe('a pause of a host', () => {
  it.each([
    [2 * HOUR, 'shop.test: paused for 2 h'],
    [2 * HOUR - 0.4, 'shop.test: paused for 2 h'],
    [2 * HOUR - 900, 'shop.test: paused for 2 h'],
    [HOUR - 300, 'shop.test: paused for 1 h'],
    [90 * 60_000, 'shop.test: paused for 1 h 30 min'],
    [60_000 - 0.4, 'shop.test: paused for 1 min'],
    [90_000 - 0.4, 'shop.test: paused for 1 min 30 s'],
    [1_500, 'shop.test: paused for 1.5 s'],
    [-1, 'shop.test: paused for 0 ms'],
  ])('is called by the length that was asked for, also a moment later: %d ms', (ms, words) => {
    const now = 1_795_759_361_480.25
    expect(orderInWords({ kind: 'pause-host', hostKey: 'shop.test', until: now + ms }, now)).toBe(words)
  })

  it('without an end is called so', () => {
    expect(orderInWords({ kind: 'pause-host', hostKey: 'shop.test' }, 0)).toBe('shop.test: paused until it is resumed')
  })
})
