// The window law as a table: how a host answers, and how many exchanges may be in flight then.
import { describe, expect, it } from 'vitest'
import { vegasWindow, type VegasWindowOptions, type VegasWindowState } from '../src/laws/vegas-window.ts'
import type { WindowTrouble } from '../src/window-law.ts'

/** One host under the law, with as many exchanges under way as the law allows, or `asks` of them. */
class Host {
  readonly #law
  readonly #limits
  #seq = 0
  #now = 1_767_225_600_000
  state: VegasWindowState

  constructor(options: VegasWindowOptions = {}, maxInFlight = 64) {
    this.#law = vegasWindow(options)
    this.#limits = { maxInFlight }
    this.state = this.#law.fresh(this.#limits)
  }

  get inFlight(): number {
    return Math.floor(this.state.limit)
  }

  /** `count` answers, one after the other, each sent after the one before it was seen. */
  answers(count: number, firstByteMs: number | ((inFlight: number) => number), asks: number = Infinity): this {
    for (let n = 0; n < count; n++) {
      const others = Math.min(asks, this.inFlight) - 1
      const ms = typeof firstByteMs === 'number' ? firstByteMs : firstByteMs(others + 1)
      this.#now += ms / (others + 1)
      const event = { ...this.#ended(), inFlight: others, firstByteMs: ms }
      this.state = this.#law.answered(this.state, event, this.#limits)
    }
    return this
  }

  fails(trouble: WindowTrouble, seq: number = this.#seq + 1): this {
    this.state = this.#law.failed(this.state, { ...this.#ended(), seq, inFlight: this.inFlight - 1, trouble }, this.#limits)
    return this
  }

  /** All that is in flight fails together. */
  failAll(trouble: WindowTrouble): this {
    const [first, count] = [this.#seq + 1, this.inFlight]
    this.#seq += count
    for (let n = 0; n < count; n++) {
      const event = { now: this.#now, seq: first + n, lastSeq: this.#seq, inFlight: count - 1 - n, trouble }
      this.state = this.#law.failed(this.state, event, this.#limits)
    }
    return this
  }

  #ended(): { readonly now: number; readonly seq: number; readonly lastSeq: number } {
    this.#seq++
    return { now: this.#now, seq: this.#seq, lastSeq: this.#seq }
  }
}

/** Answers of a host with so many workers, each of which takes 400 ms. */
const queueing =
  (workers: number, serviceMs = 400) =>
  (inFlight: number): number =>
    serviceMs * Math.max(1, inFlight / workers)

describe('an answer', () => {
  it('that was sent before the window changed says nothing about it', () => {
    const law = vegasWindow()
    const state = { ...law.fresh({ maxInFlight: 8 }), changedAtSeq: 10 }
    const answer = (seq: number): VegasWindowState =>
      law.answered(state, { now: 1_000, seq, lastSeq: 12, inFlight: 0, firstByteMs: 200 }, { maxInFlight: 8 })

    expect(answer(10)).toBe(state)
    expect(answer(11)).not.toBe(state)
  })
})

describe('the start of vegas-window', () => {
  it('begins with one, goes to two after the first answer, then doubles with each half round trip in which nothing waits', () => {
    const seen: number[] = []
    const host = new Host({ max: 8 })
    for (let n = 0; n < 18; n++) seen.push(host.answers(1, 15_000).inFlight)

    expect(seen).toEqual([2, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8])
  })

  it('stays at what the user allows, and at its own maximum', () => {
    expect(new Host({ max: 64 }, 3).answers(100, 200).inFlight).toBe(3)
    expect(new Host({ max: 5 }, 64).answers(100, 200).inFlight).toBe(5)
  })

  it('does not grow while fewer are under way than it allows', () => {
    expect(new Host().answers(1, 200).answers(200, 200, 1).inFlight).toBe(2)
  })

  it('takes a single late answer for chance', () => {
    const host = new Host().answers(1, 400).answers(1, 4_000)

    expect(host.inFlight).toBe(2)
    expect(host.answers(3, 400).inFlight).toBe(4)
  })

  it('is not misled by a first answer that comes at once, such as a robots.txt', () => {
    const host = new Host({ max: 8 }).answers(1, 50).answers(19, 15_000)

    expect(host.state.mode).toBe('start')
    expect(host.inFlight).toBeGreaterThanOrEqual(5)
  })

  it.each([
    [1, 1],
    [2, 2],
    [4, 5],
  ])('ends at the first queue: %i workers', (workers, inFlight) => {
    const host = new Host({ max: 64 }).answers(200, queueing(workers))

    expect(host.state.mode).not.toBe('start')
    expect(Math.abs(host.inFlight - inFlight)).toBeLessThanOrEqual(1)
  })
})

describe('vegas-window, once it is steady', () => {
  const steady = (over: Partial<VegasWindowState> = {}, options: VegasWindowOptions = { spare: 1, max: 64 }): Host => {
    const host = new Host(options)
    host.state = { ...host.state, mode: 'steady', baseMs: 400, limit: 10, probes: 9, probedAt: 1_767_225_600_000, ...over }
    return host
  }

  it.each<[string, number, number]>([
    ['no queue: up by one', 400, 11],
    ['a queue of 1: room for more', 444, 11],
    ['a queue of 2: as it should be', 500, 10],
    ['a queue of 5: down by one', 800, 9],
  ])('%s', (_, ms, inFlight) => {
    expect(steady().answers(20, ms).inFlight).toBe(inFlight)
  })

  it('does nothing before a round of twenty is over', () => {
    expect(steady().answers(19, 800).inFlight).toBe(10)
  })

  it('wants less of a queue with less spare', () => {
    expect(steady({}, { spare: 0.5, max: 64 }).answers(20, 500).inFlight).toBe(10)
    expect(steady({}, { spare: 0.5, max: 64 }).answers(20, 520).inFlight).toBe(9)
  })

  it('does not grow when the window was never full', () => {
    expect(steady().answers(60, 400, 9).inFlight).toBe(10)
  })

  it('knows at once that no queue of ours makes answers come forty times as late', () => {
    expect(steady().answers(20, 16_000).state).toMatchObject({ limit: 11, baseMs: 16_000 })
  })

  it('finds out that a host became slower by itself, and goes back', () => {
    const host = steady()
    const fallen = Math.min(...Array.from({ length: 20 }, () => host.answers(20, 1_200).inFlight))

    expect(fallen).toBeGreaterThanOrEqual(7)
    expect(host.inFlight).toBeGreaterThanOrEqual(10)
    expect(host.state.baseMs).toBe(1_200)
  })

  it('goes on falling while falling helps', () => {
    const host = steady({ limit: 20 }).answers(400, queueing(4))

    expect(host.inFlight).toBeLessThanOrEqual(7)
    expect(host.state.baseMs).toBe(400)
  })

  it('seeks its base again with half the window, after 400 answers and five minutes', () => {
    const due = { baseMs: 200, sinceProbe: 399, probedAt: 1_767_225_600_000 - 300_000, limit: 8 }
    const host = steady(due).answers(20, 230)

    expect(host.state).toMatchObject({ mode: 'probe', limit: 4 })
    expect(host.answers(20, 210).state).toMatchObject({ mode: 'steady', limit: 8, baseMs: 210, probes: 10, sinceProbe: 0 })
    expect(steady({ ...due, probedAt: due.probedAt + 100_000 }).answers(20, 230).state.mode).toBe('steady')
    expect(steady({ ...due, sinceProbe: 300 }).answers(20, 230).state.mode).toBe('steady')
  })

  it('lowers its base when three quarters of a round were quicker', () => {
    expect(steady().answers(20, 300).state.baseMs).toBe(300)
  })
})

describe('vegas-window in trouble', () => {
  const wide = (): Host => new Host({ max: 16 }).answers(200, 200)

  it.each<[WindowTrouble, number]>([
    ['refused', 11],
    ['reset', 11],
    ['server-error', 11],
    ['timeout', 11],
    ['connect', 1],
  ])('cuts once when all of sixteen end with %s', (trouble, inFlight) => {
    expect(wide().failAll(trouble).inFlight).toBe(inFlight)
  })

  it('lets one page be slow, or broken behind a gateway', () => {
    expect(wide().fails('timeout').inFlight).toBe(16)
    expect(wide().fails('server-error').inFlight).toBe(16)
  })

  it('cuts again for what was sent after the cut', () => {
    expect(wide().failAll('reset').failAll('reset').inFlight).toBe(7)
  })

  it('does not count what was sent before the cut, neither as answer nor as trouble', () => {
    const host = wide().fails('reset')
    const { changedAtSeq } = host.state

    expect(host.fails('reset', changedAtSeq).state.limit).toBe(11.2)
    expect(host.state.round).toEqual([])
  })

  it('never goes below one', () => {
    const host = wide()
    for (let n = 0; n < 20; n++) host.failAll('refused')

    expect(host.state.limit).toBe(1)
  })

  it('begins anew with one after a connection failed, and grows again while nothing waits', () => {
    expect(wide().fails('connect').answers(12, 200).inFlight).toBeGreaterThanOrEqual(4)
  })
})

describe('vegas-window', () => {
  it('remembers a host in plain JSON of less than 400 characters', () => {
    const host = new Host({ max: 64 }).answers(399, queueing(4, 12_345))

    expect(JSON.parse(JSON.stringify(host.state))).toEqual(host.state)
    expect(JSON.stringify(host.state).length).toBeLessThan(400)
  })

  it.each([{ spare: 0 }, { spare: 5 }, { spare: NaN }, { max: 0 }, { max: 1.5 }, { limit: 3 } as never])(
    'refuses %j',
    (options) => {
      expect(() => vegasWindow(options)).toThrow(expect.objectContaining({ code: 'AVO_CONFIG_INVALID' }))
    },
  )
})
