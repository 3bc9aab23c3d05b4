// Lines that several processes say of one thing.
import { describe, expect, it } from 'vitest'
import { OnceTold } from '../../src/crawl/supervise-processes.ts'

describe('a line of several processes', () => {
  it('is told once, though each says it at another moment, and of another length of time', () => {
    const told = new OnceTold()

    expect(told.isNew(1, '2026-11-26 12:00:01 UTC problem: the disk is full')).toBe(true)
    expect(told.isNew(2, '2026-11-26 12:00:02 UTC problem: the disk is full')).toBe(false)
    expect(told.isNew(1, 'the store can be used again after 3.2 s; resuming')).toBe(true)
    expect(told.isNew(2, 'the store can be used again after 3.4 s; resuming')).toBe(false)
  })

  it('is told again where one of them says it again', () => {
    const told = new OnceTold()
    told.isNew(1, 'paused: the disk is full')
    told.isNew(2, 'paused: the disk is full')

    expect([told.isNew(2, 'paused: the disk is full'), told.isNew(1, 'paused: the disk is full')]).toEqual([true, false])
  })

  it('is told where it is of another host', () => {
    const told = new OnceTold()
    told.isNew(1, 'a.example asked for more than 30 days')

    expect(told.isNew(2, 'b.example asked for more than 30 days')).toBe(true)
  })
})
