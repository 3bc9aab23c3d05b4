// Lines that several processes say of one thing.
import { describe, expect, it } from 'vitest'
import { OnceTold } from '../../src/crawl/supervise-processes.ts'

describe('a line of several processes', () => {
  it('is told once, though each says it at another moment, and of another length of time', () => {
    const told = new OnceTold()

    expect(told.isNew(1, '2026-11-26 12:00:01 UTC problem: the disk is full', 1_000)).toBe(true)
    expect(told.isNew(2, '2026-11-26 12:00:02 UTC problem: the disk is full', 2_000)).toBe(false)
    expect(told.isNew(1, 'the store can be used again after 3.2 s; resuming', 5_000)).toBe(true)
    expect(told.isNew(2, 'the store can be used again after 3.4 s; resuming', 5_200)).toBe(false)
  })

  it('is told as often as the one says it that said it first', () => {
    const told = new OnceTold()

    expect([told.isNew(1, 'here', 0), told.isNew(2, 'here', 1), told.isNew(1, 'here', 2)]).toEqual([true, false, true])
  })

  it('is news of any of them ten seconds later', () => {
    const told = new OnceTold()
    told.isNew(1, 'paused: the disk is full', 0)

    expect([told.isNew(2, 'paused: the disk is full', 9_999), told.isNew(2, 'paused: the disk is full', 10_000)]).toEqual([
      false,
      true,
    ])
  })

  it('is told where it is of another host', () => {
    const told = new OnceTold()
    told.isNew(1, 'a.example asked for more than 30 days', 0)

    expect(told.isNew(2, 'b.example asked for more than 30 days', 1)).toBe(true)
  })
})
