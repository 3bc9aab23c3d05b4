// What processes share by number.
import { describe, expect, it } from 'vitest'
import { partOf } from '../../src/processes/process-messages.ts'
import { processCount } from '../../src/crawl/crawl.ts'

describe('slots of several processes', () => {
  it('are all handed out, and no process has two more than another', () => {
    expect([1, 2, 3].map((number) => partOf(100, { number, of: 3 }))).toEqual([34, 33, 33])
    expect([1, 2].map((number) => partOf(2, { number, of: 2 }))).toEqual([1, 1])
  })

  it('are at least one for each: more processes are not started', () => {
    expect(processCount(8, { concurrency: 3 }, 4)).toBe(3)
    expect(processCount('auto', {}, 4)).toBe(4)
    expect(processCount('auto', { maxPages: 2 }, 4)).toBe(2)
    expect(processCount(undefined, {}, 4)).toBe(1)
  })
})
