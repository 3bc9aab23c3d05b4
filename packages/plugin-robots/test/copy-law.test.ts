// When a robots.txt is asked for again, and what counts meanwhile.
import { describe, expect, it } from 'vitest'
import { copyAfter, isHopeless, type Copy, type FetchedRobots } from '../src/copy-law.ts'

const HOUR = 3_600_000
const NOW = 1_767_225_600_000
const AT = { now: NOW, chance: 0.5 }
const RULES: FetchedRobots = { kind: 'rules', status: 200, rules: 3, ignoredLines: 0 }
const DOWN: FetchedRobots = { kind: 'unreachable', last: 500 }

/** The copy after so many failures in a row, with the pause after each. */
function failing(times: number, start?: Copy, fetched = DOWN): { readonly copy: Copy | undefined; readonly pausesMs: number[] } {
  const pausesMs: number[] = []
  let copy = start
  let now = NOW
  for (let n = 0; n < times; n++) {
    copy = copyAfter(copy, fetched, { now, chance: 0.5 })
    pausesMs.push(copy.refreshAt - now)
    now = copy.refreshAt
  }
  return { copy, pausesMs }
}

describe('a copy', () => {
  it.each<readonly [string, FetchedRobots, Copy['kind']]>([
    ['of rules', RULES, 'rules'],
    ['of nothing', { kind: 'open', last: 404 }, 'open'],
  ])('%s is good for a day', (_what, fetched, kind) => {
    expect(copyAfter(undefined, fetched, AT)).toMatchObject({ kind, fetchedAt: NOW, refreshAt: NOW + 24 * HOUR, failures: 0 })
  })

  it('that cannot be had is unknown, and requested again after growing pauses', () => {
    const { copy, pausesMs } = failing(10)

    expect(copy).toMatchObject({ kind: 'unknown', fetchedAt: 0, failures: 10, last: 500 })
    expect(pausesMs.map((ms) => ms / 1_000)).toEqual([5, 30, 300, 600, 1_200, 2_400, 4_800, 9_600, 19_200, 21_600])
  })

  it('that cannot be had for about a day is hopeless, and requested no more often than every six hours', () => {
    const { copy, pausesMs } = failing(12)

    expect(pausesMs.slice(0, 11).reduce((a, b) => a + b) / HOUR).toBeCloseTo(22.6, 1)
    expect(pausesMs[11]).toBe(6 * HOUR)
    expect([copy, failing(11).copy].map((each) => each && isHopeless(each, NOW + 23 * HOUR))).toEqual([true, false])
  })

  it('that cannot be renewed stays what it was, however long, and is requested every six hours', () => {
    const good = copyAfter(undefined, { ...RULES, crawlDelayMs: 2_000 }, AT)
    const { copy, pausesMs } = failing(40, good)

    expect(copy).toMatchObject({ kind: 'rules', fetchedAt: NOW, rules: 3, crawlDelayMs: 2_000, failures: 40 })
    expect(pausesMs.at(-1)).toBe(6 * HOUR)
    expect(copy && isHopeless(copy, NOW + 1e12)).toBe(false)
  })

  it('that is refused is requested every five minutes, and not hopeless before a day, for its limiter may have a thousand hosts', () => {
    const { copy, pausesMs } = failing(20, undefined, { kind: 'unreachable', last: 429 })

    expect(pausesMs.slice(0, 5).map((ms) => ms / 1_000)).toEqual([5, 30, 300, 300, 300])
    expect(copy && [isHopeless(copy, NOW + HOUR), isHopeless(copy, NOW + 24 * HOUR)]).toEqual([false, true])
  })

  it('is requested again a quarter earlier or later, by chance', () => {
    const pausesMs = [0, 0.5, 1].map((chance) => copyAfter(undefined, DOWN, { now: NOW, chance }).refreshAt - NOW)

    expect(pausesMs).toEqual([3_750, 5_000, 6_250])
  })

  it('is not requested before the server allows it', () => {
    expect(copyAfter(undefined, { ...DOWN, retryAfterAt: NOW + HOUR }, AT).refreshAt).toBe(NOW + HOUR)
    expect(copyAfter(undefined, { ...DOWN, retryAfterAt: NOW + 1_000 }, AT).refreshAt).toBe(NOW + 5_000)
  })

  it('forgets failures, and rules that are gone', () => {
    const before = failing(3, copyAfter(undefined, { ...RULES, crawlDelayMs: 2_000 }, AT)).copy

    expect(copyAfter(before, { kind: 'open', last: 404 }, AT)).toEqual({
      kind: 'open',
      fetchedAt: NOW,
      refreshAt: NOW + 24 * HOUR,
      failures: 0,
      last: 404,
    })
  })
})
