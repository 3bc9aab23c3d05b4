// How long a proxy rests.
import { describe, expect, it } from 'vitest'
import { answeredNow, failedNow, holdUntil, triedBy, triedInVain, usableAt, type ProxyTrouble } from '../src/rest-law.ts'

const WHY = 'proxy-unreachable'

/** Fails again and again, at once when it may be used. */
function failing(times: number): { readonly rests: readonly number[]; readonly trouble: ProxyTrouble } {
  const rests: number[] = []
  let now = 1_000
  let trouble = failedNow(undefined, { since: now, now, why: WHY })
  for (let n = 1; n < times; n++) {
    rests.push(usableAt(trouble, now) - now)
    now = usableAt(trouble, now)
    trouble = failedNow(trouble, { since: now, now, why: WHY })
  }
  return { rests: [...rests, usableAt(trouble, now) - now], trouble }
}

describe('the rest of a proxy', () => {
  it('is 1 s, doubling to 10 min', () => {
    const { rests } = failing(17)

    expect(rests.slice(0, 11).map((ms) => ms / 1_000)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600])
    expect(rests.slice(11).map((ms) => ms / 1_000)).toEqual([600, 600, 600, 600, 600, 600])
  })

  it('is twice as long where its hosts may use another one, which they then come back to', () => {
    const first = failedNow(undefined, { since: 0, now: 100, why: WHY, hasOther: true })
    const second = failedNow(first, { since: 3_000, now: 3_100, why: WHY, hasOther: true })

    expect([first.restsUntil - 100, second.restsUntil - 3_100]).toEqual([2_000, 4_000])
  })

  it('holds a host for a minute at most, for the next run would wait as well', () => {
    expect(holdUntil(5_000, 4_000)).toBe(5_000)
    expect(holdUntil(600_000, 0)).toBe(60_000)
  })

  it('does not grow by what was in flight when it failed', () => {
    const first = failedNow(undefined, { since: 0, now: 100, why: WHY })

    expect(failedNow(first, { since: 50, now: 120, why: WHY })).toBe(first)
    expect(failedNow(first, { since: 1_100, now: 1_150, why: WHY }).failures).toBe(2)
  })

  it('ends with an answer, unless that was on its way before', () => {
    const trouble = failedNow(undefined, { since: 0, now: 100, why: WHY })

    expect(answeredNow(trouble, 50)).toBe(trouble)
    expect(answeredNow(trouble, 1_100)).toBeUndefined()
  })
})

describe('a trial', () => {
  const trouble = failedNow(undefined, { since: 0, now: 0, why: WHY })

  it('keeps all others away until it is over, or took too long', () => {
    const tried = triedBy(trouble, 'a.test 1', 181_000)

    expect(usableAt(trouble, 1_000)).toBe(0)
    expect(usableAt(tried, 1_000)).toBe(2_000)
    expect(usableAt(tried, 180_500)).toBe(181_000)
    expect(usableAt(tried, 181_000)).toBe(0)
    expect(usableAt(triedInVain(tried, 'a.test 1'), 1_000)).toBe(0)
    expect(usableAt(triedInVain(tried, 'b.test 1'), 1_000)).toBe(2_000)
  })
})
