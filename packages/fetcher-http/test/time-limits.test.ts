// The time limits of an exchange as a law, and the one timer that applies them.
import type { Clock } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { Deadlines } from '../src/deadlines.ts'
import { Watchdog, type Watchable } from '../src/watchdog.ts'

const LIMITS = { connectMs: 100, firstByteMs: 200, idleMs: 50, totalMs: 1_000, minBytesPerSecond: 64 }

describe('deadlines', () => {
  it('count connecting from the start', () => {
    const deadlines = new Deadlines(LIMITS, 5, 300)
    expect(deadlines.dueAt).toBe(105)
    expect(deadlines.overrun(104, 'connect')).toBeUndefined()
    expect(deadlines.overrun(105, 'connect')).toMatchObject({ code: 'AVO_CONNECT_TIMEOUT', phase: 'connect' })
    expect(deadlines.overrun(105, 'tls')).toMatchObject({ code: 'AVO_CONNECT_TIMEOUT', phase: 'tls' })
    expect(deadlines.overrun(105, 'dns')).toMatchObject({ code: 'AVO_DNS_FAILED', phase: 'dns' })
  })

  it('count the first byte from sending', () => {
    const deadlines = new Deadlines(LIMITS, 0, 300)
    deadlines.sent(90)
    expect(deadlines.dueAt).toBe(290)
    expect(deadlines.overrun(290, 'connect')).toMatchObject({ code: 'AVO_FIRST_BYTE_TIMEOUT', phase: 'firstByte' })
  })

  it('count idleness from the last piece', () => {
    const deadlines = new Deadlines(LIMITS, 0, 300)
    deadlines.sent(0)
    deadlines.answered(10)
    expect(deadlines.dueAt).toBe(60)
    deadlines.bodyCame(1_000, 40)
    expect(deadlines.overrun(60, 'connect')).toBeUndefined()
    expect(deadlines.overrun(90, 'connect')).toMatchObject({ code: 'AVO_IDLE_TIMEOUT', phase: 'body' })
  })

  it('expect the least throughput in every window', () => {
    const deadlines = new Deadlines(LIMITS, 0, 300)
    deadlines.sent(0)
    deadlines.answered(0)
    deadlines.bodyCame(20, 299)
    expect(deadlines.overrun(300, 'connect')).toBeUndefined()
    deadlines.bodyCame(19, 590)
    expect(deadlines.overrun(600, 'connect')).toMatchObject({ code: 'AVO_TOO_SLOW', phase: 'body' })
  })

  it('end everything at the total', () => {
    const deadlines = new Deadlines({ ...LIMITS, connectMs: 5_000 }, 0, 300)
    expect(deadlines.overrun(1_000, 'connect')).toMatchObject({ code: 'AVO_TOTAL_TIMEOUT', phase: 'connect' })
  })

  it('leave none once the body is complete: what is left is our own work', () => {
    const deadlines = new Deadlines(LIMITS, 0, 300)
    deadlines.sent(0)
    deadlines.answered(0)
    deadlines.received()
    expect(deadlines.dueAt).toBe(Infinity)
    expect(deadlines.overrun(1_000, 'connect')).toBeUndefined()
  })

  it('are all later by as long as we let a body wait', () => {
    const deadlines = new Deadlines(LIMITS, 0, 300)
    deadlines.sent(0)
    deadlines.answered(0)
    const before = deadlines.dueAt
    deadlines.waited(700)
    expect(deadlines.dueAt).toBe(before + 700)
    expect(deadlines.overrun(before + 699, 'connect')).toBeUndefined()
    expect(deadlines.overrun(before + 700, 'connect')).toBeDefined()
  })
})

/** A clock that a test moves; `timers` are the wakes that are asked for. */
function handClock(): { clock: Clock; timers: number[]; moveTo: (ms: number) => void } {
  let now = 0
  let wakes: { at: number; wake: () => void }[] = []
  const timers: number[] = []
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    at(at, wake) {
      timers.push(at)
      const entry = { at, wake }
      wakes.push(entry)
      return { [Symbol.dispose]: () => void (wakes = wakes.filter((other) => other !== entry)) }
    },
    hold: () => ({ [Symbol.dispose]() {} }),
  }
  const moveTo = (ms: number): void => {
    now = ms
    const due = wakes.filter(({ at }) => at <= now)
    wakes = wakes.filter(({ at }) => at > now)
    for (const { wake } of due) wake()
  }
  return { clock, timers, moveTo }
}

function watched(dueAt: number, watchdog: Watchdog): Watchable & { readonly calls: string[] } {
  const calls: string[] = []
  const self = {
    dueAt,
    calls,
    overdue(now: number) {
      calls.push(`overdue ${now}`)
      watchdog.unwatch(self)
    },
    cancel: () => calls.push('cancelled'),
  }
  watchdog.watch(self)
  return self
}

describe('watchdog', () => {
  it('needs one timer for any number of exchanges', () => {
    const { clock, timers, moveTo } = handClock()
    const watchdog = new Watchdog(clock)
    const all = Array.from({ length: 100 }, (_, n) => watched(n < 50 ? 40 : 90, watchdog))
    moveTo(50)
    expect(all.filter(({ calls }) => calls.length > 0)).toHaveLength(50)
    moveTo(100)
    expect(all.every(({ calls }) => calls.length === 1)).toBe(true)
    expect(timers).toEqual([50, 100])
  })

  it('stops ticking when nothing is under way', () => {
    const { clock, timers, moveTo } = handClock()
    const watchdog = new Watchdog(clock)
    watched(10, watchdog)
    moveTo(50)
    moveTo(500)
    expect(timers).toEqual([50])
  })

  it('judges nobody at a tick that comes late, but never twice in a row', () => {
    const { clock, moveTo } = handClock()
    const watchdog = new Watchdog(clock)
    const exchange = watched(40, watchdog)
    moveTo(400)
    expect(exchange.calls).toEqual([])
    moveTo(900)
    expect(exchange.calls).toEqual(['overdue 900'])
  })

  it('cancels all when it closes', () => {
    const { clock, moveTo } = handClock()
    const watchdog = new Watchdog(clock)
    const exchange = watched(40, watchdog)
    watchdog.close()
    moveTo(50)
    expect(exchange.calls).toEqual(['cancelled'])
  })
})
