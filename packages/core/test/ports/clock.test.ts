// The machine's clock: monotone whatever the wall clock does, right again after a suspend, and time that runs faster for benches.
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { systemClock, type Clock, type ClockSources } from '../../src/ports/clock.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const START = 1_767_225_600_000

/** A machine whose two clocks and timers a test moves by hand. */
class Machine {
  wallMs = START
  monotonicMs = 5_000
  readonly #timers = new Set<{ at: number; fire: () => void }>()
  readonly clock: Clock

  constructor() {
    const sources: ClockSources = {
      wall: () => this.wallMs,
      monotonic: () => this.monotonicMs,
      timer: (fire, delayMs) => {
        const timer = { at: this.monotonicMs + delayMs, fire }
        this.#timers.add(timer)
        return { [Symbol.dispose]: () => void this.#timers.delete(timer) }
      },
    }
    this.clock = systemClock({ sources })
  }

  get timers(): number {
    return this.#timers.size
  }

  /** Both clocks run for `ms`, and what is due fires. */
  run(ms: number): void {
    const until = this.monotonicMs + ms
    for (;;) {
      const next = [...this.#timers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0]
      const to = next?.at ?? until
      this.wallMs += to - this.monotonicMs
      this.monotonicMs = to
      if (next === undefined) return
      this.#timers.delete(next)
      next.fire()
    }
  }

  /** The machine sleeps: its monotonic clock stands still, and so do its timers. */
  suspend(ms: number): void {
    this.wallMs += ms
  }

  /** Somebody sets the wall clock. */
  setBack(ms: number): void {
    this.wallMs -= ms
  }
}

describe('the clock of a machine', () => {
  it('shows the wall clock as it was at the start, and the time since', () => {
    const machine = new Machine()
    machine.run(90_000)
    expect(machine.clock.now()).toBe(START + 90_000)
  })

  it('counts whole milliseconds: moments are kept in stores and reports', () => {
    const machine = new Machine()

    machine.run(7.9)

    expect(machine.clock.now()).toBe(START + 7)
  })

  it('that was suspended for eight hours is right again within a minute, and what was due meanwhile is woken', () => {
    const machine = new Machine()
    const woken: number[] = []
    machine.clock.at(START + 2 * HOUR, () => woken.push(machine.clock.now()))
    machine.clock.at(START + 20 * HOUR, () => woken.push(machine.clock.now()))
    machine.run(MINUTE)

    machine.suspend(8 * HOUR)
    machine.run(MINUTE)

    expect(machine.clock.now()).toBe(START + 8 * HOUR + 2 * MINUTE)
    expect(woken).toHaveLength(1)
    machine.run(12 * HOUR)
    expect(woken).toHaveLength(2)
    expect(woken[1]).toBe(START + 20 * HOUR)
    expect(machine.clock.trouble).toBeUndefined()
  })

  it('is compared with the wall clock once a second', () => {
    const machine = new Machine()
    machine.suspend(HOUR)
    machine.run(999)
    expect(machine.clock.now()).toBe(START + 999)

    machine.run(1)
    expect(machine.clock.now()).toBe(START + 1_000 + HOUR)
  })

  it.each([2 * MINUTE, 2 * HOUR, 365 * 24 * HOUR])(
    'set back by %i ms never goes back: it continues by itself, and says so',
    (ms) => {
      const machine = new Machine()
      machine.run(MINUTE)
      machine.setBack(ms)
      machine.run(10 * MINUTE)

      expect(machine.clock.now()).toBe(START + 11 * MINUTE)
      expect(machine.clock.trouble).toMatch(
        /^the machine's clock was set back by (2 min|2 h|365 d); this run continues by its own time/,
      )
    },
  )

  it('adopts the wall clock when that was set back and is put right again', () => {
    const machine = new Machine()
    machine.setBack(5 * HOUR)
    machine.run(10 * MINUTE)
    machine.setBack(-5 * HOUR)
    machine.run(10 * MINUTE)

    expect(machine.clock.now()).toBe(machine.wallMs)
  })

  it('goes its own way by a few ms: a step of NTP moves nothing', () => {
    const machine = new Machine()
    machine.suspend(40)
    machine.run(10 * MINUTE)
    expect(machine.clock.now()).toBe(START + 10 * MINUTE)
  })

  it('keeps no timer when nobody waits', () => {
    const machine = new Machine()
    const wake = machine.clock.at(START + HOUR, () => {})
    expect(machine.timers).toBeGreaterThan(0)
    wake[Symbol.dispose]()
    expect(machine.timers).toBe(0)
  })
})

describe('a scaled clock', () => {
  it('lets an hour pass in a moment', async () => {
    const clock = systemClock({ scale: 1_000_000 })
    const from = clock.now()

    await new Promise<void>((resolve) => clock.at(from + 3_600_000, resolve))

    expect(clock.now() - from).toBeGreaterThanOrEqual(3_600_000)
  })

  it.each([0, -1, Number.NaN, Infinity])('refuses a scale of %s', (scale) => {
    expect(() => systemClock({ scale })).toThrow(/expected the scale of time to be a number above 0/)
  })
})

describe('monotonic time', () => {
  it('is the same in all processes of a machine', () => {
    const code = "import { systemClock } from '@avocet/core/store'; console.log(systemClock().monotonic())"
    const before = systemClock().monotonic()
    const said = execFileSync(process.execPath, ['--conditions=@avocet/source', '--input-type=module', '-e', code], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    })
    expect(Number(said)).toBeGreaterThan(before)
    expect(Number(said)).toBeLessThan(systemClock().monotonic())
  })
})
