// Votes join like a semilattice, so the order of plugins cannot matter.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { louder, type Verdict } from '@avocet/core'

const verdict: fc.Arbitrary<Verdict> = fc.oneof(
  fc.constant<Verdict>({ kind: 'accept' }),
  fc.record({ kind: fc.constant('retry' as const), at: fc.nat(100), counted: fc.boolean(), reason: fc.constantFrom('a', 'b') }),
  fc.record({ kind: fc.constant('drop' as const), reason: fc.constantFrom('a', 'b', 'c') }),
)

describe('verdict', () => {
  it('is the loudest of all votes: accept < retry < drop', () => {
    const retry: Verdict = { kind: 'retry', at: 5, counted: true, reason: 'timeout' }
    const drop: Verdict = { kind: 'drop', reason: 'gone' }

    expect(louder({ kind: 'accept' }, retry)).toEqual(retry)
    expect(louder(drop, retry)).toEqual(drop)
  })

  it('waits for the later of two retries, and counts if either counts', () => {
    const joined = louder(
      { kind: 'retry', at: 5, counted: true, reason: 'b' },
      { kind: 'retry', at: 9, counted: false, reason: 'a' },
    )

    expect(joined).toEqual({ kind: 'retry', at: 9, counted: true, reason: 'a' })
  })

  it('does not depend on who votes first, nor on how votes are grouped, nor on a vote given twice', () => {
    fc.assert(
      fc.property(verdict, verdict, verdict, (a, b, c) => {
        expect(louder(a, b)).toEqual(louder(b, a))
        expect(louder(louder(a, b), c)).toEqual(louder(a, louder(b, c)))
        expect(louder(a, a)).toEqual(a)
      }),
    )
  })
})
