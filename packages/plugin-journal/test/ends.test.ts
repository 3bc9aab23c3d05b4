// How requests ended, in few rows.
import { describe, expect, it } from 'vitest'
import { countEnd, type EndRow } from '../src/laws/starts-and-ends.ts'

function counted(ends: readonly Parameters<typeof countEnd>[1][]): EndRow[] {
  const rows: EndRow[] = []
  for (const end of ends) countEnd(rows, end)
  return rows
}

describe('ends', () => {
  it('are counted by kind, with the last moment, and the last URL of what went wrong', () => {
    const rows = counted([
      { how: '200', at: 1.4 },
      { how: '404', at: 2, url: 'http://a.test/1' },
      { how: '200', at: 3 },
      { how: '404', at: 4, url: 'http://a.test/2' },
    ])

    expect(rows).toEqual([
      ['200', 2, 3],
      ['404', 2, 4, 'http://a.test/2'],
    ])
  })

  it('beyond sixteen kinds share a row, so that no count is lost', () => {
    const rows = counted(Array.from({ length: 300 }, (_, n) => ({ how: String(300 + n), at: n })))

    expect(rows).toHaveLength(17)
    expect(rows.reduce((sum, [, count]) => sum + count, 0)).toBe(300)
    expect(rows.at(-1)).toEqual(['others', 284, 299])
  })

  it('keep of a long URL what shows where to look', () => {
    const [[, , , url = ''] = ['', 0, 0]] = counted([{ how: '404', at: 1, url: `http://a.test/${'x'.repeat(2_000)}` }])

    expect(url).toHaveLength(201)
  })
})
