// The simple laws, each as a table: what a run of answers and refusals makes of the rate.
import { delayFactor, fixedRate, textbook, type Accepted, type RateLaw, type Refused } from '@avocet/plugin-aimd'
import { describe, expect, it } from 'vitest'

const LIMITS = { startRps: 1, minRps: 0.02, maxRps: 10 }
const ANSWER: Accepted = { now: 0, counts: true, firstByteMs: 100, durationMs: 100, inFlight: 0 }
const REFUSAL: Refused = { now: 0, saysWhen: false, firstByteMs: 100, inFlight: 0, chance: 0.5 }

/** `a` an answer, `o` an answer that proves an older rate, `r` a refusal. */
function rateAfter(
  law: RateLaw,
  story: string,
  answer: Partial<Accepted> = {},
  limits: Parameters<RateLaw['fresh']>[0] = LIMITS,
): number {
  let state = law.fresh(limits)
  for (const event of story) {
    if (event === 'r') state = law.refused(state, REFUSAL, limits)
    else state = law.accepted(state, { ...ANSWER, ...answer, counts: event === 'a' }, limits)
  }
  return state.rps
}

describe('the law fixed', () => {
  it.each([
    { law: fixedRate(), story: '', rps: 1 },
    { law: fixedRate({ rps: 5, burst: 10 }), story: 'aaaraa', rps: 5 },
    { law: fixedRate({ rps: 20 }), story: 'rrr', rps: 20 },
  ])('stays at $rps after "$story"', ({ law, story, rps }) => {
    expect(rateAfter(law, story)).toBe(rps)
  })

  it("takes a host's own rate for its rate, above or below", () => {
    expect(rateAfter(fixedRate({ rps: 1 }), 'a', {}, { ...LIMITS, hostRps: 4 })).toBe(4)
    expect(rateAfter(fixedRate({ rps: 1 }), 'r', {}, { ...LIMITS, hostRps: 0.25 })).toBe(0.25)
  })
})

describe('the law aimd of the textbook', () => {
  it.each([
    { what: 'starts where it is told', story: '', rps: 1 },
    { what: 'adds a step per second: at 1 a second, per success', story: 'a', rps: 1.02 },
    { what: 'and less per success when there are more of them', story: 'aa', rps: 1.039608 },
    { what: 'cuts at a refusal', story: 'r', rps: 0.85 },
    { what: 'does not rise by what proves an older rate', story: 'oooo', rps: 1 },
    { what: 'stops at the least rate', story: 'r'.repeat(60), rps: 0.02 },
    { what: 'at most doubles by one success', story: `${'r'.repeat(60)}a`, rps: 0.04 },
    { what: 'stops at the most', story: 'a'.repeat(5_000), rps: 10 },
  ])('$what', ({ story, rps }) => {
    expect(rateAfter(textbook(), story)).toBe(rps)
  })

  it('takes other constants', () => {
    expect(rateAfter(textbook({ stepRps: 0.1, cutRatio: 0.5 }), 'ar')).toBe(0.55)
  })

  it('rises by its step per second, whatever the rate', () => {
    const law = textbook()
    let state = law.fresh({ ...LIMITS, startRps: 5 })
    for (let seconds = 0; seconds < 10;) {
      seconds += 1 / state.rps
      state = law.accepted(state, ANSWER, LIMITS)
    }

    expect(state.rps).toBeCloseTo(5.2, 2)
  })
})

describe('the law delay-factor', () => {
  const pauseAfter = (story: string, factor = 1, durationMs = 3_000): number | undefined => {
    const law = delayFactor({ factor })
    let state = law.fresh(LIMITS)
    for (const event of story)
      state = event === 'r' ? law.refused(state, REFUSAL, LIMITS) : law.accepted(state, { ...ANSWER, durationMs }, LIMITS)
    return state.afterEndMs
  }

  it.each([
    { story: '', factor: 1, pauseMs: undefined },
    { story: 'a', factor: 1, pauseMs: 3_000 },
    { story: 'a', factor: 5, pauseMs: 15_000 },
    { story: 'ar', factor: 1, pauseMs: 6_000 },
    { story: 'arr', factor: 1, pauseMs: 12_000 },
    { story: 'ara', factor: 1, pauseMs: 5_700 },
    { story: `ar${'a'.repeat(14)}`, factor: 1, pauseMs: 3_000 },
    { story: `a${'r'.repeat(20)}`, factor: 1, pauseMs: 600_000 },
  ])('pauses $pauseMs ms after "$story" with factor $factor', ({ story, factor, pauseMs }) => {
    expect(pauseAfter(story, factor)).toBe(pauseMs)
  })

  it('pauses for ten minutes at most, and stretches by 64 at most', () => {
    expect(pauseAfter('a', 1, 10_000_000)).toBe(600_000)
    expect(pauseAfter(`a${'r'.repeat(20)}a`, 1, 1_000)).toBe(60_800)
  })

  it('from start to start it is a rate', () => {
    const law = delayFactor({ factor: 2, after: 'start' })

    expect(rateAfter(law, 'a', { durationMs: 1_000 })).toBe(0.5)
    expect(rateAfter(law, 'ar', { durationMs: 1_000 })).toBe(0.25)
    expect(rateAfter(law, 'a', { durationMs: 1 })).toBe(10)
    expect(rateAfter(law, 'a', { durationMs: 10_000_000 })).toBe(0.02)
  })
})
