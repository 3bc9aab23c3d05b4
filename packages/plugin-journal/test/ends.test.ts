// How requests ended, in few rows.
import { describe, expect, it } from 'vitest'
import { countedEnd, type EndRow } from '../src/laws/starts-and-ends.ts'

describe('ends', () => {
  it('are counted by kind, with the last moment, and the last URL of what went wrong', () => {
    const rows = [
      { how: '200', at: 1.4 },
      { how: '404', at: 2, url: 'http://a.test/1' },
      { how: '200', at: 3 },
      { how: '404', at: 4, url: 'http://a.test/2' },
    ].reduce<readonly EndRow[]>(countedEnd, [])

    expect(rows).toEqual([
      ['200', 2, 3],
      ['404', 2, 4, 'http://a.test/2'],
    ])
  })

  it('beyond sixteen kinds share a row, so that no count is lost', () => {
    const rows = Array.from({ length: 300 }, (_, n) => ({ how: String(300 + n), at: n })).reduce<readonly EndRow[]>(
      countedEnd,
      [],
    )

    expect(rows).toHaveLength(17)
    expect(rows.reduce((sum, [, count]) => sum + count, 0)).toBe(300)
    expect(rows.at(-1)).toEqual(['others', 284, 299])
  })

  it('keep of a long URL what shows where to look', () => {
    const [[, , , url = ''] = ['', 0, 0]] = countedEnd([], { how: '404', at: 1, url: `http://a.test/${'x'.repeat(2_000)}` })

    expect(url).toHaveLength(201)
  })
})
