// The timeout laws as tables: what was seen, and how long is waited then.
import { fixedTimeout, quantile, type TimeoutLaw } from '@avocet/plugin-adaptive-timeout'
import { describe, expect, it } from 'vitest'

/** `200` = an answer after 200 ms; `'x'` = a timeout; `'old'` = one more of the same moment; `'old 200'` = an answer that was sent before it. */
type Seen = number | 'x' | 'old' | 'old 200'

const AROUND = { failedAttempts: 0, prior: [] }

function after<State extends Parameters<TimeoutLaw['inTime']>[0]>(law: TimeoutLaw<State>, seen: readonly Seen[]): State {
  const state = law.fresh()
  let waitedMs = 0
  for (const what of seen) {
    if (typeof what === 'number') law.inTime(state, { tookMs: what, isNews: true })
    else if (what === 'old 200') law.inTime(state, { tookMs: 200, isNews: false })
    else {
      if (what === 'x') waitedMs = law.timeoutMs(state, AROUND)
      law.timedOut(state, { waitedMs, isNews: what === 'x' })
    }
  }
  return state
}

const times = (n: number, ms: number): number[] => Array.from({ length: n }, () => ms)

describe('quantile', () => {
  const law = quantile()
  it.each<[string, readonly Seen[], number]>([
    ['a host that nothing is known of', [], 30_000],
    ['one answer: five times as careful', [800], 8_000],
    ['four answers: twice as careful', times(4, 800), 3_200],
    ['many answers of a quick host: never below 2 s', times(50, 200), 2_000],
    ['many slow ones', times(100, 6_400), 13_312],
    ['a timeout doubles', [...times(100, 200), 'x'], 4_000],
    ['two double twice', [...times(100, 200), 'x', 'x'], 8_000],
    ['those of one moment count as one', [...times(100, 200), 'x', 'old', 'old'], 4_000],
    ['an answer that fits into less ends the back-off', [...times(100, 200), 'x', 'x', 200], 2_000],
    ['an answer that was sent before does not', [...times(100, 200), 'x', 'x', 'old 200'], 8_000],
    ['a slow answer ends it only as far as there is room', [...times(100, 200), 'x', 'x', 1_500], 3_000],
    ['and the next one ends the rest', [...times(100, 200), 'x', 'x', 1_500, 200], 2_000],
  ])('%s', (_, seen, ms) => {
    expect(law.timeoutMs(after(law, seen), AROUND)).toBe(ms)
  })

  it.each<[readonly Seen[], number]>([
    [[], 30_000],
    [['x'], 60_000],
    [['x', 'x', 'x'], 60_000],
  ])('gives a host that never answered all the time that core allows, after %j %d ms', (seen, ms) => {
    expect(law.timeoutMs(after(law, seen), AROUND)).toBe(ms)
  })

  it('gives a page that failed before twice the time each time, at most eight times', () => {
    const quick = after(law, times(50, 200))
    const at = (failedAttempts: number): number => law.timeoutMs(quick, { ...AROUND, failedAttempts })

    expect([0, 1, 2, 3, 9].map(at)).toEqual([2_000, 4_000, 8_000, 16_000, 16_000])
  })

  it('waits no longer than the most, whatever failed before', () => {
    const slow = after(law, times(100, 30_000))

    expect(law.timeoutMs(slow, { ...AROUND, failedAttempts: 3 })).toBe(60_000)
    expect(law.explain(after(law, ['x', 'x', 'x']))).toMatchObject({ backOffMs: 60_000 })
  })

  it('counts a timeout as an answer that took twice as long: it is not known, but longer than what was waited', () => {
    expect(law.explain(after(law, [...times(10, 200), 'x']))).toMatchObject({ samples: 11, quantileMs: 4_525 })
  })

  it('takes other hosts into account while it has few answers of its own', () => {
    const prior = after(law, times(40, 1_600)).counts

    expect(law.timeoutMs(after(law, [200]), { ...AROUND, prior })).toBe(16_000)
    expect(law.timeoutMs(after(law, times(5, 200)), { ...AROUND, prior })).toBe(2_000)
  })

  it('waits longer for a new host where hosts are slow, and never less than the cold timeout', () => {
    const eager = quantile({ coldMs: 10_000 })
    const slow = after(law, times(40, 9_000)).counts
    const quick = after(law, times(40, 100)).counts

    expect(eager.timeoutMs(eager.fresh(), { ...AROUND, prior: slow })).toBe(18_102)
    expect(eager.timeoutMs(eager.fresh(), { ...AROUND, prior: quick })).toBe(10_000)
  })

  it('remembers a host in less than a hundred characters', () => {
    const seen = Array.from({ length: 500 }, (_, n) => 200 + ((n * 7_919) % 3_000))

    expect(JSON.stringify(after(law, seen)).length).toBeLessThan(100)
  })
})

describe('fixed', () => {
  it('is always the same', () => {
    const law = fixedTimeout({ ms: 7_500 })

    expect(law.timeoutMs(after(law, [9]), AROUND)).toBe(7_500)
  })
})
