// How long a body may take: strict at first, loosened for hosts that prove slow, and strict again when they no longer are.
import { describe, expect, it } from 'vitest'
import { bodyEnded, bodyGivenUp, bodyLimits, FRESH_BODY, type BodyOptions, type BodyState } from '../src/laws/body.ts'

const OPTIONS: BodyOptions = { idleMs: 15_000, minBytesPerSecond: 1_024, bodyMs: 60_000 }

/** A number is a body that ended after so many ms; `'x'` one that was given up; `-n` one that was given up because the whole took n ms. */
function after(seen: readonly (number | 'x')[]): BodyState {
  return seen.reduce<BodyState>((state, what) => {
    if (what === 'x') return bodyGivenUp(state)
    return what < 0 ? bodyGivenUp(state, -what) : bodyEnded(state, OPTIONS, what)
  }, FRESH_BODY)
}

describe('limits of bodies', () => {
  it.each<[string, readonly (number | 'x')[], number, BodyOptions]>([
    ['at first', [], 0, OPTIONS],
    ['after quick bodies', [100, 100], 0, OPTIONS],
    ['after one was given up', ['x'], 0, { idleMs: 30_000, minBytesPerSecond: 256, bodyMs: 120_000 }],
    ['after many were', ['x', 'x', 'x', 'x'], 0, { idleMs: 60_000, minBytesPerSecond: 64, bodyMs: 240_000 }],
    ['when the next is quick again', ['x', 100], 0, OPTIONS],
    ['not when it is as slow as before', ['x', 29_000], 0, { idleMs: 30_000, minBytesPerSecond: 256, bodyMs: 120_000 }],
    ['for a page that failed once', [], 1, { idleMs: 30_000, minBytesPerSecond: 256, bodyMs: 120_000 }],
    ['after a long body: four times as long', [40_000], 0, { ...OPTIONS, bodyMs: 160_000 }],
    ['which is forgotten slowly', [40_000, ...Array.from({ length: 20 }, () => 100)], 0, OPTIONS],
  ])('%s', (_, seen, failedAttempts, limits) => {
    const { idleMs, minBytesPerSecond, bodyMs } = bodyLimits(after(seen), OPTIONS, failedAttempts)

    expect({ idleMs, minBytesPerSecond }).toEqual({ idleMs: limits.idleMs, minBytesPerSecond: limits.minBytesPerSecond })
    expect(Math.abs(bodyMs - limits.bodyMs)).toBeLessThan(limits.bodyMs / 100 + 1)
  })

  it('gives the next body twice the time when the whole took too long', () => {
    expect(bodyLimits(after([-40_000]), OPTIONS, 0).bodyMs).toBe(160_000)
  })
})
