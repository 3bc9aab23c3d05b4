// Each booked exchange ends exactly once, whatever the fetcher, a recall and an abort do at the same time.
import type { Request, Response } from '@avocet/core'
import { DEFAULTS, failure, systemClock } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { createHooks } from '../../src/hooks/hooks.ts'
import { LiveExchange } from '../../src/exchange/live-exchange.ts'
import { freshCoreMemory } from '../../src/hosts/core-memory.ts'
import { LiveHost } from '../../src/hosts/live-host.ts'
import { Tally } from '../../src/run/tally.ts'

function booked(): { run: LiveExchange; ends: string[]; aborted: () => number } {
  const ends: string[] = []
  let aborts = 0
  const counts = {
    ...new Tally(systemClock(), () => {}).counts,
    get requests(): number {
      return 0
    },
    set requests(_count: number) {
      ends.push('sent')
    },
  }
  const host = new LiveHost(
    { hostKey: 'h', epoch: 1, memory: {}, requests: [], waiting: 0 },
    { order: 0, core: freshCoreMemory(), options: {}, memory: [], virtualTime: 0, leasedAt: 0 },
  )
  const run = new LiveExchange({
    host,
    request: { url: 'http://h/' } as Request,
    leased: undefined,
    accepts: () => true,
    run: {
      settings: { clock: new VirtualClock({ startAt: 5 }), timeLimits: DEFAULTS.timeLimits, randomSeed: 'seed' },
      tenure: { holds: true },
      tally: { counts },
      hooks: createHooks({ speaks() {}, returned() {}, rescue() {}, promised() {} }),
    },
    ended: (_exchange, { kind }) => void ends.push(kind),
  })
  run.underWay(() => void aborts++)
  return { run, ends, aborted: () => aborts }
}

const response = {} as Response

describe('an exchange', () => {
  it('ends once: what comes after its end is not heard', () => {
    const { run, ends } = booked()
    run.sent()
    run.done(response)

    run.done(response)
    run.failed(failure('AVO_RESET', 'too late'))
    run.abort()
    run.serve(response)

    expect(ends).toEqual(['sent', 'answered'])
  })

  it('that is recalled is taken from the fetcher, and an answer that comes all the same is not heard', () => {
    const { run, ends, aborted } = booked()
    run.recall()

    run.sent()
    run.done(response)

    expect(ends).toEqual(['recalled'])
    expect(aborted()).toBe(1)
    expect(run.headers({ status: 200, headers: {} })).toBe('discard')
  })

  it('joins limits: the shortest time, the highest least throughput', () => {
    const { run } = booked()
    run.limit({ firstByteMs: 900, minBytesPerSecond: 10 })
    run.limit({ firstByteMs: 400, minBytesPerSecond: 500 })
    run.limit({ firstByteMs: 700 })

    expect(run.limits).toEqual({ ...DEFAULTS.timeLimits, firstByteMs: 400, minBytesPerSecond: 500 })
  })

  it('draws chance from its place in the crawl and the salt alone', () => {
    const { run } = booked()

    expect(run.random('jitter')).toBe(booked().run.random('jitter'))
    expect(run.random('jitter')).not.toBe(run.random('other'))
    expect(run.random('jitter')).toBeGreaterThanOrEqual(0)
    expect(run.random('jitter')).toBeLessThan(1)
  })
})
