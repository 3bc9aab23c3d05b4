// When a crawl is over, and why.
import { describe, expect, it } from 'vitest'
import { endingOf } from '../../src/crawl/ending.ts'

const idle = {
  nextAt: Infinity,
  now: 1_000,
  patienceMs: 900_000,
  paused: false,
  watching: false,
  stopping: undefined,
}

describe('ending', () => {
  it('is done when nothing is waiting', () => {
    expect(endingOf(idle)?.ended).toBe('done')
  })

  it('waits for what is ready within the patience, and no longer', () => {
    expect(endingOf({ ...idle, nextAt: 901_000 })).toBeUndefined()
    expect(endingOf({ ...idle, nextAt: 901_001 })?.ended).toBe('patience')
  })

  it('says how long what is left would have to be waited for', () => {
    expect(endingOf({ ...idle, nextAt: 3_601_000 })?.why).toBe(
      'all that is left waits for at least 1 h, which is longer than the patience of 15 min',
    )
  })

  it('does not take a pause for an end', () => {
    expect(endingOf({ ...idle, paused: true })).toBeUndefined()
  })

  it('stops when it is asked to, also while it is paused', () => {
    const stopping = { ended: 'stopped', why: 'asked to stop' } as const

    expect(endingOf({ ...idle, paused: true, stopping })).toEqual(stopping)
  })

  it('waits for pages that are due again, however far away that is', () => {
    expect(endingOf({ ...idle, nextAt: 1e12, watching: true })).toBeUndefined()
  })

  it('is done when nothing is left to watch', () => {
    expect(endingOf({ ...idle, watching: true })?.ended).toBe('done')
  })
})
