// The bars of the in-flight law, with few seeds: bench/control/window.ts is the whole of it.
import { describe, expect, it } from 'vitest'
import { windowRun, windowTable } from '../../bench/control/window.ts'
import { vegasWindow } from '../../packages/plugin-aimd/src/laws/vegas-window.ts'

describe('the default window law', () => {
  it('uses hosts that queue, without making anybody wait for longer than they work, and reads slow hosts quickly', () => {
    const missed = windowTable({ seeds: 2, quick: true }).filter(({ holds }) => !holds)

    expect(missed).toEqual([])
  })

  it('is not deceived by a host that becomes slower by itself', () => {
    const host = { workers: Infinity, serviceMs: 1_000, spread: 0.3 }
    const [before, after] = windowRun(vegasWindow(), host, { seed: 1, minutes: 30, maxInFlight: 8 })

    expect(before.limit).toBeGreaterThan(7)
    expect(after.limit).toBeGreaterThan(7)
  })
})
