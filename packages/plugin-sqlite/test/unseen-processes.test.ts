// A process of another container that may still run: what is said while a store waits for its sign of life.
import { describe, expect, it } from 'vitest'
import { UnseenProcesses } from '../src/process/process-table.ts'

const silentFor = (silentMs: number): { id: number; heartbeat: number; isVisible: boolean } => ({
  id: 1,
  heartbeat: 100_000 - silentMs,
  isVisible: false,
})

describe('a process of another container whose clock differs', () => {
  it.each([
    [3_912_000, 12_000, '1 h 5 min ahead of this one', '12 s ago; try again in 48 s'],
    [-90_000, 4_200, '1 min 30 s behind this one', '4.2 s ago; try again in 56 s'],
    [172_800_000, 59_500, '2 d ahead of this one', '1 min ago; try again in 500 ms'],
  ])('by %d ms, is waited for, and each duration is written as in every message', (aheadMs, silentMs, off, rest) => {
    const assert = (): void =>
      new UnseenProcesses().assertKnown('shop.db', [silentFor(silentMs)], { aheadMs, monotonic: 100_000 })

    expect(assert).toThrow(
      `shop.db: expected to know whether the process of another container that had the store open still runs, for its clock is ${off}; ` +
        `got its last sign of life ${rest}`,
    )
  })

  it('is waited for no longer when it has beaten, or is visible, or its clock does not differ', () => {
    const unseen = new UnseenProcesses()
    const ahead = { aheadMs: 90_000, monotonic: 100_000 }
    expect(() => unseen.assertKnown('shop.db', [silentFor(5_000)], ahead)).toThrow()

    expect(() => unseen.assertKnown('shop.db', [silentFor(-1)], { ...ahead, monotonic: 110_000 })).not.toThrow()
    expect(() => new UnseenProcesses().assertKnown('shop.db', [{ ...silentFor(5_000), isVisible: true }], ahead)).not.toThrow()
    expect(() => new UnseenProcesses().assertKnown('shop.db', [silentFor(5_000)], { ...ahead, aheadMs: 0 })).not.toThrow()
  })
})
