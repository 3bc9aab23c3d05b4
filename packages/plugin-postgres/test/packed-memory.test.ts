// Packed parts of a memory come back as they were, whatever is in them.
import { describe, expect, it } from 'vitest'
import { packed, unpacked } from '../src/schema/packed-memory.ts'

const PARTS = {
  journal: '{"runs":[1]}',
  core: '[1,{"name":"é𝒳"}]',
  '#robots': 'User-agent: *\nDisallow: /a',
  broken: '"\0 \ud800"',
  empty: '',
}

describe('packed memory', () => {
  it('comes back as it was, also a text with line breaks or with what PostgreSQL cannot keep', () => {
    expect(unpacked(packed(PARTS))).toEqual(PARTS)
    expect(unpacked(packed(PARTS), ['empty', 'broken'])).toEqual({ broken: PARTS.broken, empty: '' })
    expect(unpacked(packed({}))).toEqual({})
  })

  it("has core's part first, alone in the line after the header", () => {
    const [header = '', core] = packed(PARTS).split('\n')

    expect(header.startsWith('["core",')).toBe(true)
    expect(core).toBe(PARTS.core)
    expect(unpacked(`${header}\n${String(core)}`, ['core'])).toEqual({ core: PARTS.core })
  })
})
