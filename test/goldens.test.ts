// What crawls of simulated worlds decide is what they decided before: a change of that is meant, told in its commit, and kept by `npm run goldens -- --write`.
import { describe, expect, it } from 'vitest'
import { GOLDEN_CRAWLS, QUICK_CRAWLS } from './goldens/crawls.ts'
import { difference, differenceFromKept, abridged } from './goldens/kept-logs.ts'

describe('the decisions of a crawl', () => {
  it.each(QUICK_CRAWLS)('of the world %s are as before', async (name) => {
    const log = await GOLDEN_CRAWLS[name]?.()

    expect(differenceFromKept(name, log ?? [])).toBeUndefined()
  })
})

describe('a log that is kept', () => {
  const log = Array.from({ length: 500 }, (_, n) => `line ${String(n + 1)}`)
  const changed = (at: number): string[] => log.map((line, n) => (n === at - 1 ? 'another' : line))

  it('is the same as itself', () => {
    expect(difference(abridged(log), log)).toBeUndefined()
  })

  it('shows a difference in its beginning, and where one is in the rest', () => {
    expect(difference(abridged(log), changed(7))).toMatch(/^line 7:\n {4}line 2\n[^]* {2}- line 7\n[^]* {2}\+ another\n/)
    expect(difference(abridged(log), changed(420))).toMatch(
      /^one of the lines 401 to 450, which are today:\n[^]* {2}\+ another\n/,
    )
    expect(difference(abridged(log), log.slice(0, -1))).toMatch(/- 500 lines\n {2}- line 500\n {2}\+ 499 lines\n/)
  })
})
