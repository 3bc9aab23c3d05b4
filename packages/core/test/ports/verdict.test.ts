// Votes join like a semilattice, so the order of plugins cannot matter.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Verdict, louder } from '../../src/ports/exchange.ts'
import { LoudestVote } from '../../src/hooks/votes.ts'

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

describe('whose vote counts', () => {
  /** The verdict and its plugin, of votes in this order. */
  function joined(votes: readonly (readonly [by: string, vote: Verdict])[]) {
    const loudest = new LoudestVote()
    for (const [by, vote] of votes) loudest.add(vote, by)
    return { verdict: loudest.verdict, by: loudest.by }
  }
  const retry = (at: number): Verdict => ({ kind: 'retry', at, counted: true, reason: 'later' })

  it('is that of the later moment, and of a drop before any retry', () => {
    const votes = [
      ['patient', retry(9)],
      ['hasty', retry(5)],
    ] as const
    expect(joined(votes).by).toBe('patient')
    expect(joined([...votes, ['strict', { kind: 'drop', reason: 'gone' }]]).by).toBe('strict')
    expect(joined([]).by).toBeUndefined()
  })

  it('is that of the alphabetically first of equals, whoever votes first', () => {
    expect(
      joined([
        ['b', retry(5)],
        ['a', retry(5)],
      ]).by,
    ).toBe('a')
    const voted = verdict.filter(({ kind }) => kind !== 'accept')
    fc.assert(
      fc.property(fc.array(voted, { minLength: 1, maxLength: 5 }), fc.nat(), (votes, by) => {
        const named = votes.map((vote, index) => [`plugin-${index}`, vote] as const)
        const turned = [...named.slice(by % named.length), ...named.slice(0, by % named.length)]
        expect(joined(turned)).toEqual(joined(named))
        expect(joined(named.toReversed())).toEqual(joined(named))
      }),
    )
  })
})
