// The number of the newest item of a store, with gaps and without.
import { describe, expect, it } from 'vitest'
import { lastItemNumber } from '../src/visits/read-item.ts'

/** A store of items with these numbers; counts how often it is asked. */
function numbered(seqs: readonly number[]): {
  readonly reader: Parameters<typeof lastItemNumber>[0]
  readonly looks: () => number
} {
  let looks = 0
  const about = { requestId: 1, url: 'https://a.example/', ordinal: 0, json: '1' }
  const reader = {
    counts: async () => ({
      known: 1,
      waiting: 0,
      done: 1,
      moved: 0,
      failed: 0,
      items: seqs.length,
      hosts: 1,
      retiredHosts: 0,
      retired: 0,
    }),
    items: async ({ afterSeq, limit }: { readonly afterSeq: number; readonly limit: number }) => {
      looks++
      return seqs
        .filter((seq) => seq > afterSeq)
        .slice(0, limit)
        .map((seq) => ({ seq, ...about }))
    },
  }
  return { reader, looks: () => looks }
}

describe('the number of the last item', () => {
  it('is how many there are where numbers have no gaps, which takes one look', async () => {
    for (const count of [0, 1, 7]) {
      const { reader, looks } = numbered(Array.from({ length: count }, (_, n) => n + 1))

      expect([await lastItemNumber(reader), looks()]).toEqual([count, 1])
    }
  })

  it('is found behind any gap', async () => {
    for (let last = 4; last < 70; last++) expect(await lastItemNumber(numbered([1, 3, last]).reader)).toBe(last)
    const { reader, looks } = numbered([1, 1_000_000])
    expect(await lastItemNumber(reader)).toBe(1_000_000)
    expect(looks()).toBeLessThan(50)
  })
})
