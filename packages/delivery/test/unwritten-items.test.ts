// The batches of a sink: how many items of how many bytes.
import { expect, it } from 'vitest'
import { UnwrittenItems } from '../src/unwritten-items.ts'
import { DEFAULT_SINK_LIMITS } from '../src/delivery-parts.ts'

/** Of so many bytes each, as the store has them. */
async function batchOf(texts: readonly string[], limits: { maxItems?: number; maxBytes?: number }): Promise<readonly number[]> {
  const place = { requestId: 1, visit: 0, url: 'https://a.example/', hostKey: 'a.example', handler: 'start' }
  const records = texts.map((json, n) => ({ ...place, seq: n + 1, ordinal: n, json }))
  const items = new UnwrittenItems({
    filter: undefined,
    limits: { ...DEFAULT_SINK_LIMITS, ...limits },
    read: async (afterSeq) => records.filter(({ seq }) => seq > afterSeq),
    setAside: async () => undefined,
    isSuspect: () => false,
  })
  await items.read()
  return items.first(Infinity).items.map(({ seq }) => seq)
}

it.each([
  ['as many bytes as fit', ['"aaaa"', '"bbbb"', '"cccc"'], { maxBytes: 12 }, [1, 2]],
  ['bytes of UTF-8, not characters', ['"茶茶"', '"茶茶"', '"茶茶"'], { maxBytes: 16 }, [1, 2]],
  ['one byte less', ['"茶茶"', '"茶茶"', '"茶茶"'], { maxBytes: 15 }, [1]],
  ['a single item that is larger', ['"aaaaaaaaa"', '"b"'], { maxBytes: 4 }, [1]],
  ['as many items as it may have', ['1', '2', '3'], { maxItems: 2 }, [1, 2]],
] as const)('a batch has %s', async (_what, texts, limits, seqs) => {
  expect(await batchOf(texts, limits)).toEqual(seqs)
})
