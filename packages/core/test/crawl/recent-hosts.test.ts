// What hosts said within a span of time.
import { describe, expect, it } from 'vitest'
import { RecentHosts } from '../../src/faults/trouble.ts'

describe('recent hosts', () => {
  it('are heard for as long as the span', () => {
    const recent = new RecentHosts<string>(10_000)
    recent.note('a', 'spoke', 1_000)

    expect(recent.words(10_999)).toEqual(['spoke'])
    expect(recent.words(11_000)).toEqual([])
  })

  it('have their last word only', () => {
    const recent = new RecentHosts<string>(10_000)
    recent.note('a', 'spoke', 1_000)
    recent.note('a', 'silent', 2_000)

    expect(recent.words(3_000)).toEqual(['silent'])
  })

  it('are all heard, however many they are', () => {
    const recent = new RecentHosts<string>(10_000)
    for (let n = 0; n < 1_000; n++) recent.note(String(n), 'spoke', n)

    expect(recent.words(1_000)).toHaveLength(1_000)
  })
})
