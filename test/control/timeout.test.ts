// The bars of timeouts, with few seeds: bench/control/timeout.ts is the whole of it.
import { fixedTimeout } from '@avocet/plugin-adaptive-timeout'
import { describe, expect, it } from 'vitest'
import { timeoutRun, timeoutTable } from '../../bench/control/timeout.ts'

describe('the default timeout law', () => {
  it('gives up at most 1.5 % of the answers that would have come within the minute, on each of eight hosts', () => {
    const missed = timeoutTable({ seeds: 5, quick: true }).filter(({ holds }) => !holds)

    expect(missed).toEqual([])
  })

  it('is compared with one that gives up everything on a healthy host of 15 s', () => {
    const slow = { name: 'slow', tookMs: () => 15_000 }

    expect(timeoutRun(fixedTimeout({ ms: 10_000 }), slow, { seed: 1, maxMs: 60_000 })).toMatchObject({
      falseAll: 100,
      isLost: true,
    })
  })
})
