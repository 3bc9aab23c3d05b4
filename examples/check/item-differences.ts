// Compares items that a crawl found with those that it should find.
import { isDeepStrictEqual } from 'node:util'

/** Each item is there once, whatever the order of its keys, and nothing else is. In words, at most four; empty when all is well. */
export function itemDifferences(found: readonly unknown[], expected: readonly unknown[]): readonly string[] {
  const left = [...found]
  const missing = expected.filter((item) => {
    const n = left.findIndex((one) => isDeepStrictEqual(one, item))
    if (n !== -1) left.splice(n, 1)
    return n === -1
  })
  return [
    ...missing.slice(0, 2).map((item) => `missing: ${JSON.stringify(item)}`),
    ...left.slice(0, 2).map((item) => `unexpected: ${JSON.stringify(item)}`),
  ]
}
