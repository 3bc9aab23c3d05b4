// What follows from quotas: always slower, never faster.
import { describe, expect, it } from 'vitest'
import { advised, saysWelcome } from '../src/rate-advice.ts'
import type { Quota } from '../src/signals/rate-limit.ts'

const NOW = 1_000_000
const requests = (quota: Omit<Quota, 'unit'>): Quota => ({ unit: 'requests', ...quota })

describe('advice', () => {
  it.each<{ what: string; quotas: Quota[]; inFlight?: number; advice?: object; pauseMs?: number }>([
    {
      what: 'spreads what is left over the time to the reset, with a twentieth in reserve',
      quotas: [requests({ remaining: 60, resetMs: 30_000 })],
      advice: { rps: 1.9, until: NOW + 60_000 },
    },
    {
      what: 'counts what is in flight as used',
      quotas: [requests({ remaining: 60, resetMs: 30_000 })],
      inFlight: 30,
      advice: { rps: 0.95, until: NOW + 60_000 },
    },
    { what: 'pauses when nothing is left', quotas: [requests({ remaining: 2, resetMs: 30_000 })], inFlight: 2, pauseMs: 30_000 },
    { what: 'pauses for an hour at most', quotas: [requests({ remaining: 0, resetMs: 9e7 })], pauseMs: 3_600_000 },
    {
      what: 'keeps to a policy alone',
      quotas: [requests({ limit: 100, windowMs: 60_000 })],
      advice: { rps: 1.583, until: NOW + 120_000 },
    },
    {
      what: 'takes the smallest of several',
      quotas: [requests({ limit: 10, windowMs: 1_000 }), requests({ remaining: 100, resetMs: 100_000 })],
      advice: { rps: 0.95, until: NOW + 200_000 },
    },
    {
      what: 'in whatever order they come',
      quotas: [requests({ remaining: 100, resetMs: 100_000 }), requests({ limit: 10, windowMs: 1_000 })],
      advice: { rps: 0.95, until: NOW + 200_000 },
    },
    {
      what: 'knows requests at once',
      quotas: [{ unit: 'concurrent', limit: 10 }],
      advice: { maxInFlight: 9, until: NOW + 86_400_000 },
    },
    { what: 'waits for bytes only when none are left', quotas: [{ unit: 'else', remaining: 9, resetMs: 5_000 }] },
    { what: 'and then it waits', quotas: [{ unit: 'else', remaining: 0, resetMs: 5_000 }], pauseMs: 5_000 },
    { what: 'has nothing to say about a limit without a window', quotas: [requests({ limit: 60, remaining: 0 })] },
    { what: 'nor about a limit of none', quotas: [requests({ limit: 0, windowMs: 1_000 })] },
  ])('$what', ({ quotas, inFlight = 0, advice, pauseMs }) => {
    expect(advised(quotas, { now: NOW, inFlight })).toEqual({
      ...(advice !== undefined && { advice }),
      ...(pauseMs !== undefined && { pauseMs }),
    })
  })

  it('says welcome only when every quota has more left than is in flight', () => {
    expect(saysWelcome([requests({ remaining: 3 })], 2)).toBe(true)
    expect(saysWelcome([requests({ remaining: 2 })], 2)).toBe(false)
    expect(saysWelcome([requests({ remaining: 3 }), requests({ remaining: 0 })], 0)).toBe(false)
    expect(saysWelcome([requests({ limit: 3 })], 0)).toBe(false)
  })
})
