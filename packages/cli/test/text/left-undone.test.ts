import { describe, expect, it } from 'vitest'
import { section } from '../../src/text/left-undone.ts'

describe('a section of a report', () => {
  it('says how many rows it leaves out, and of a list that is cut at a hundred that there may be more', () => {
    const lastOf = (rows: number): string | undefined =>
      section(
        'waiting',
        Array.from({ length: rows }, (_, n) => `row ${n}`),
        String,
      ).at(-1)

    expect(lastOf(10)).toBe('  row 9')
    expect(lastOf(99)).toBe('  and 89 more')
    expect(lastOf(100)).toBe('  and at least 90 more')
  })
})
