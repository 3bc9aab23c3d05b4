// A process that posts items FROM + 1 to N, five at a time, and prints the mark after each batch: `poster.ts URL FROM N`.
import { systemClock } from '@avocet/core/store'
import { webhook } from '@avocet/sink-webhook'

const [url = '', from = '0', count = '0'] = process.argv.slice(2)
const sink = webhook({ url })
const { signal } = new AbortController()
const clock = systemClock()
await sink.open?.({
  crawl: { name: 'shop', id: 'c-1' },
  clock,
  signal,
  keep: () => Promise.resolve(),
  problem: () => undefined,
  notice: () => undefined,
})
for (let seq = Number(from) + 1; seq <= Number(count); seq += 5) {
  const items = [0, 1, 2, 3, 4].map((n) => {
    const [key, json] = [`${String(seq + n)}.0.0`, String(seq + n)]
    return { key, seq: seq + n, url: 'https://shop.example/', json, value: seq + n }
  })
  await sink.write({ items, mark: { itemSeq: seq + 4 }, signal })
  process.stdout.write(`${String(seq + 4)}\n`)
}
