// The law harm-budget: what answers and refusals make of the rate. Whole simulations stand in test/control/rate.test.ts.
import { harmBudget, type HarmBudgetState, type RateLimits } from '@avocet/plugin-aimd'
import { describe, expect, it } from 'vitest'

const LIMITS: RateLimits = { startRps: 1, minRps: 0.02, maxRps: 100 }
const law = harmBudget()

interface Answers {
  readonly count: number
  readonly everyMs: number
  readonly inFlight?: number
  readonly counts?: boolean
  readonly limits?: RateLimits
}

/** A host under the law, on its own clock. */
class Host {
  state: HarmBudgetState
  now = 1_000_000

  constructor(state: Partial<HarmBudgetState> = {}) {
    this.state = { ...law.fresh(LIMITS), ...state }
  }

  answers({ count, everyMs, inFlight = 0, counts = true, limits = LIMITS }: Answers): this {
    for (let n = 0; n < count; n++) {
      this.now += everyMs
      const event = { now: this.now, counts, firstByteMs: 100, durationMs: 100, inFlight }
      this.state = law.accepted(this.state, event, limits)
    }
    return this
  }

  refusal({ saysWhen = false, afterMs = 100, inFlight = 1 } = {}): this {
    this.now += afterMs
    this.state = law.refused(this.state, { now: this.now, saysWhen, firstByteMs: 100, inFlight, chance: 0.5 }, LIMITS)
    return this
  }
}

/** Known to take 5 a second, the last refusal a moment ago. */
function settledAt5(more: Partial<HarmBudgetState> = {}): Host {
  return new Host({ rps: 5, baseRps: 5, knownRps: 5, interval: 390, sinceAt: 1_000_000, latencyMs: 100, ...more })
}

describe('harm-budget under a clock that went back', () => {
  it('measures no rate over negative time', () => {
    const host = settledAt5().answers({ count: 100, everyMs: 200 })
    host.now -= 60_000

    host.answers({ count: 3, everyMs: 200 }).refusal()

    expect(host.state.knownRps).toBeLessThan(10)
    expect(host.state.rps).toBeGreaterThan(1)
    expect(host.state.rps).toBeLessThanOrEqual(5.1)
  })
})

describe('harm-budget at its start', () => {
  it.each([
    { count: 1, rps: 2 },
    { count: 2, rps: 4 },
    { count: 4, rps: 5.6 },
    { count: 6, rps: 7.84 },
  ])('asks for $rps a second after $count answers', ({ count, rps }) => {
    expect(new Host().answers({ count, everyMs: 100 }).state.rps).toBe(rps)
  })

  it('takes no answer for a proof of a rate to requests at the rate before', () => {
    const host = new Host().answers({ count: 1, everyMs: 100, inFlight: 3 })

    expect(host.answers({ count: 3, everyMs: 100 }).state.rps).toBe(2)
    expect(host.answers({ count: 1, everyMs: 100 }).state.rps).toBe(4)
  })

  it('does not rise by answers that prove an older epoch, or that came more seldom than the rate allows', () => {
    expect(new Host().answers({ count: 50, everyMs: 100, counts: false }).state.rps).toBe(1)
    expect(new Host({ rps: 4 }).answers({ count: 50, everyMs: 2_000 }).state.rps).toBe(4)
  })

  it('ends at the limit of the user, and stays there', () => {
    const limits = { ...LIMITS, maxRps: 6 }

    expect(new Host().answers({ count: 500, everyMs: 50, limits }).state).toMatchObject({ rps: 6, baseRps: 6 })
  })

  it('ends at the first refusal with what the host took until then', () => {
    const host = new Host({ rps: 20, taken: 30, sinceAt: 996_000 }).refusal({ afterMs: 0 })

    expect(host.state).toMatchObject({ rps: 7.5, baseRps: 7.5 })
  })

  it('goes far down if it knows next to nothing, and soon back to a third', () => {
    const host = new Host({ rps: 4, taken: 2, sinceAt: 999_000 }).refusal({ afterMs: 0 })

    expect(host.state).toMatchObject({ rps: 0.5, baseRps: 1.4 })
  })
})

describe('harm-budget between two refusals', () => {
  it('holds its rate for three quarters of the interval', () => {
    expect(settledAt5().answers({ count: 290, everyMs: 200 }).state.rps).toBeLessThan(5.001)
  })

  it('is 1.5 % above at the end of it, and has doubled after a third more', () => {
    expect(settledAt5().answers({ count: 390, everyMs: 200 }).state.rps).toBeCloseTo(5.075, 3)
    expect(settledAt5().answers({ count: 510, everyMs: 100 }).state.rps).toBeGreaterThan(10)
  })

  it('adds no more than 6 % in a round trip, however long the round trip', () => {
    const host = settledAt5().answers({ count: 460, everyMs: 200, inFlight: 29 })
    const { rps } = host.state

    expect(host.answers({ count: 30, everyMs: 100, inFlight: 29 }).state.rps / rps).toBeLessThan(1.065)
  })

  it('goes back to its base in a few requests', () => {
    expect(settledAt5({ rps: 1.25 }).answers({ count: 60, everyMs: 200 }).state.rps).toBeGreaterThan(4.9)
  })
})

describe('harm-budget at a refusal', () => {
  it('goes to what was accepted since the last one, if it was due', () => {
    const host = settledAt5({ rps: 5.3, accepted: 400, taken: 402, firstAt: 1_000_300 })
    host.now = 1_080_300

    expect(host.refusal({ afterMs: 0 }).state).toMatchObject({ rps: 5, knownRps: 5, interval: 390, accepted: 0 })
  })

  it('stays just below the rate that was refused, if the host keeps no credit of pauses', () => {
    const host = settledAt5({ rps: 5.3, stores: false, accepted: 400, taken: 402, firstAt: 1_000_300 })
    host.now = 1_080_300

    expect(host.refusal({ afterMs: 0, inFlight: 0 }).state.rps).toBeCloseTo(0.985 * 5.3, 3)
  })

  it('takes a refusal at the very rate of the one before for a host that keeps no credit', () => {
    const host = settledAt5({ rps: 5.3, peakRps: 5.3, accepted: 400, taken: 402, firstAt: 1_000_300 })
    host.now = 1_080_300

    expect(host.refusal({ afterMs: 0, inFlight: 0 }).state.stores).toBe(false)
  })

  it('measures a surprise, and looks again soon', () => {
    const host = settledAt5().answers({ count: 6, everyMs: 400 }).refusal()

    expect(host.state).toMatchObject({ rps: 2.4, baseRps: 2.4, interval: 30 })
  })

  it('never goes below two fifths by one surprise', () => {
    expect(settledAt5().answers({ count: 1, everyMs: 5_000 }).answers({ count: 1, everyMs: 100 }).refusal().state.rps).toBe(2)
  })

  it('knows that capacity grew by what was accepted, and that a burst is no growth', () => {
    const far = { rps: 9, inFlight: 0, accepted: 540, firstAt: 1_000_300 }
    const grown = settledAt5({ ...far, taken: 540 })
    const burst = settledAt5({ ...far, taken: 500 })
    grown.now = burst.now = 1_100_300

    expect(grown.refusal({ afterMs: 0, inFlight: 0 }).state).toMatchObject({ rps: 8.1, safeRps: 5.4 })
    expect(burst.refusal({ afterMs: 0, inFlight: 0 }).state).toMatchObject({ rps: 6.3, safeRps: 0 })
  })

  it('falls back to the rate before a discovery that is refuted at once', () => {
    const host = settledAt5({ rps: 8.1, baseRps: 8.1, safeRps: 5.4 }).answers({ count: 2, everyMs: 300 }).refusal()

    expect(host.state).toMatchObject({ rps: 5.4, safeRps: 0 })
  })
})

describe('harm-budget when nothing is accepted any more', () => {
  it('halves twice, then waits 1 s doubling to 60 s at the same rate', () => {
    const host = settledAt5()
    const steps = Array.from({ length: 10 }, () => {
      const { rps, restMs } = host.refusal({ afterMs: 1_000 }).state
      return [rps, restMs]
    })

    expect(steps.map(([rps]) => rps)).toEqual([2.5, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25])
    expect(steps.map(([, restMs]) => restMs)).toEqual([0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  })

  it('adds nothing of its own to what the host asked for', () => {
    const host = settledAt5({ dry: 5 })

    expect(host.refusal({ saysWhen: true }).state.restMs).toBe(0)
  })

  it('goes back to its base with the first answers, and rests no longer', () => {
    const host = settledAt5().refusal().refusal().refusal().answers({ count: 60, everyMs: 200 })

    expect(host.state.rps).toBeGreaterThan(4.9)
    expect(host.state.restMs).toBe(0)
  })

  it('counts the wait as a part of what the host takes: 300 a minute are 5 a second', () => {
    const host = settledAt5({ rps: 40, baseRps: 40, knownRps: 40 })
    host.refusal().refusal().refusal().refusal().answers({ count: 1, everyMs: 48_000 }).answers({ count: 299, everyMs: 40 })
    host.refusal({ afterMs: 0 })

    expect(host.state.rps).toBeCloseTo(5, 0)
  })
})

describe('harm-budget among others on one limit', () => {
  /** Refused at `rps` after `count` answers that came as fast as they were asked for. */
  const refusedAfter = (host: Host, count: number): Host => {
    const everyMs = 1_000 / host.state.rps
    return host.answers({ count, everyMs }).refusal({ afterMs: everyMs })
  }
  const inCrowd = (crowd: number, more: Partial<HarmBudgetState> = {}): Host =>
    settledAt5({ rps: 1, baseRps: 1, knownRps: 1, interval: 110, crowd, ...more })

  it('finds others after three refusals in a row that it did not provoke', () => {
    const host = settledAt5()
    const crowds = [1, 2, 3].map(() => refusedAfter(host, 25).state.crowd)

    expect(crowds).toEqual([undefined, undefined, 1])
  })

  it.each([
    { what: 'one that was due among them', stories: [25, 25, 390, 25, 25] },
    { what: 'a rate that was not held for four seconds', stories: [6, 6, 6, 6, 6] },
  ])('takes itself for alone with $what', ({ stories }) => {
    const host = settledAt5()
    for (const count of stories) refusedAfter(host, count)

    expect(host.state.crowd).toBeUndefined()
  })

  it('does not count a refusal before which less was taken than it asked: capacity fell', () => {
    expect(settledAt5().answers({ count: 25, everyMs: 200 }).refusal().state.contrary).toBe(1)
    expect(settledAt5().answers({ count: 25, everyMs: 800 }).refusal().state.contrary).toBeUndefined()
  })

  it.each([
    { crowd: 1, rps: 0.75 },
    { crowd: 2, rps: 0.8 },
    { crowd: 7, rps: 0.9 },
    { crowd: 500, rps: 0.9 },
  ])('gives up a step at refusal $crowd, whatever it was served: $rps of its rate', ({ crowd, rps }) => {
    expect(inCrowd(crowd, { accepted: 20, taken: 20 }).refusal().state.rps).toBe(rps)
  })

  it('takes the step back within an interval, by as much with each answer', () => {
    expect(inCrowd(7).answers({ count: 55, everyMs: 1_000 }).state.rps).toBeCloseTo(1.05, 3)
    expect(inCrowd(7).answers({ count: 110, everyMs: 1_000 }).state.rps).toBeCloseTo(1.1, 3)
  })

  it('hastens after two intervals without a refusal', () => {
    expect(inCrowd(7).answers({ count: 220, everyMs: 1_000 / 1.2 }).state.rps).toBeCloseTo(1.2, 3)
    expect(inCrowd(7).answers({ count: 440, everyMs: 1_000 / 1.7 }).state.rps).toBeGreaterThan(1.6)
  })

  it.each([
    { rps: 0.1, interval: 10 },
    { rps: 1, interval: 99 },
    { rps: 10, interval: 638 },
  ])('is refused as seldom as alone at a large rate, and more often at a small one: $rps', ({ rps, interval }) => {
    expect(inCrowd(7, { rps, baseRps: rps, accepted: 1 }).refusal().state.interval).toBe(interval)
  })

  it('keeps its rate while nothing is accepted, and waits 1 s doubling', () => {
    const host = inCrowd(7)
    const steps = [1, 2, 3].map(() => host.refusal().state).map(({ rps, restMs }) => [rps, restMs])

    expect(steps).toEqual([
      [1, 1_000],
      [1, 2_000],
      [1, 4_000],
    ])
  })

  it('is alone again once refusals come where the last one was, or none comes', () => {
    const host = inCrowd(7)
    for (let refusals = 0; refusals < 4; refusals++) refusedAfter(host, Math.round(1.1 * host.state.interval))

    expect(host.state).toMatchObject({ crowd: undefined, interval: 149 })
    expect(inCrowd(7).answers({ count: 1_330, everyMs: 100 }).state.crowd).toBeUndefined()
  })
})

describe('the memory of harm-budget', () => {
  it('is plain, finite and small after any story', () => {
    const host = new Host()
    for (let round = 0; round < 300; round++) {
      host.answers({ count: (round * 7) % 31, everyMs: 1 + ((round * 137) % 900), inFlight: round % 5 })
      host.refusal({ afterMs: (round * 53) % 700, inFlight: round % 4 })

      expect(JSON.parse(JSON.stringify(host.state))).toEqual(host.state)
      expect(host.state.rps).toBeGreaterThanOrEqual(0.02)
      expect(host.state.rps).toBeLessThanOrEqual(100)
    }
    expect(JSON.stringify(host.state).length).toBeLessThan(340)
  })
})

describe('the options of harm-budget', () => {
  it('looks more seldom for a smaller budget', () => {
    const state = { ...settledAt5().state, rps: 5.3, accepted: 400, taken: 402, firstAt: 1_000_300 }
    const event = { now: 1_080_300, saysWhen: false, firstByteMs: 100, inFlight: 0, chance: 0.5 }

    expect(harmBudget({ refusedRatio: 0.001 }).refused(state, event, LIMITS).interval).toBe(1_170)
  })

  it.each([{ refusedRatio: 0 }, { refusedRatio: 0.5 }, { refusedRatio: '1 %' }, { ratio: 0.01 }, 5])('refuses %j', (options) => {
    expect(() => harmBudget(options as never)).toThrow(expect.objectContaining({ code: 'AVO_CONFIG_INVALID' }))
  })
})
