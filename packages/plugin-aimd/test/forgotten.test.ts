// What is left of a host's memory when an operator has it forgotten.
import { describe, expect, it } from 'vitest'
import { forgottenRateMemory, freshRateMemory } from '../src/host-memory.ts'

describe('a host that is forgotten', () => {
  const learned = { ...freshRateMemory(), law: 'aimd', rate: { rps: 7 }, refusals: 3, bookedSeq: 9 }

  it('keeps the quota and the wait that it asked for, and its advice', () => {
    const advice = { rps: 0.5, until: 90_000 }
    for (const pausedFor of ['quota', 'retry-after'] as const) {
      const pace = { ...learned.pace, pausedUntil: 60_000 }

      expect(forgottenRateMemory({ ...learned, pausedFor, pace, advice })).toEqual({
        ...freshRateMemory(),
        pausedFor,
        pace: { ...freshRateMemory().pace, pausedUntil: 60_000 },
        advice,
      })
    }
  })

  it('keeps no rest that the policy had decided on by itself', () => {
    const pace = { ...learned.pace, pausedUntil: 60_000 }

    expect(forgottenRateMemory({ ...learned, pausedFor: 'blocked', pace })).toEqual(freshRateMemory())
  })
})
