// What a host's memory keeps of the pages that were asked for a secret in vain.
import { describe, expect, it } from 'vitest'
import {
  forgetInVain,
  passedOverMs,
  rememberInVain,
  type AskedPage,
  type InVainMemory,
} from '../../src/secret-renewal/asked-in-vain.ts'

const pages = (from: number, to: number): readonly AskedPage[] =>
  Array.from({ length: to - from }, (_, n) => ({ url: `https://shop.test/l${from + n}`, name: 'sid' }))
const page = (n: number, name = 'sid'): AskedPage => ({ url: `https://shop.test/l${n}`, name })

describe('pages that were asked in vain', () => {
  it('are passed over, the one that was asked longest ago for the shortest time', () => {
    const memory: InVainMemory = {}
    rememberInVain(memory, pages(0, 3))
    rememberInVain(memory, pages(0, 1))

    expect([1, 2, 0].map((n) => passedOverMs(memory, page(n)))).toEqual([30_000, 31_000, 32_000])
    expect([passedOverMs(memory, page(3)), passedOverMs(memory, page(0, 'token'))]).toEqual([0, 0])
  })

  it('are a hundred at most, in less than two kilobytes', () => {
    const memory: InVainMemory = {}
    for (let n = 0; n < 200; n += 5) rememberInVain(memory, pages(n, n + 5))

    expect(memory.askedInVain).toHaveLength(100)
    expect(JSON.stringify(memory).length).toBeLessThan(2_000)
    expect([passedOverMs(memory, page(99)), passedOverMs(memory, page(100))]).toEqual([0, 30_000])
  })

  it('leave no trace once they led to a value', () => {
    const memory: InVainMemory = {}
    rememberInVain(memory, [])
    rememberInVain(memory, pages(0, 2))
    forgetInVain(memory, pages(0, 1))
    expect(passedOverMs(memory, page(1))).toBe(30_000)
    forgetInVain(memory, pages(1, 2))

    expect(memory).toEqual({})
  })
})
