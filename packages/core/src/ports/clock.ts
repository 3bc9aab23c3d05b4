// Time as the crawl sees it: the port, and the real clock behind it. The only file of this package that touches timers.
//
// The real clock counts monotonic time from the wall clock at its start, so that a step of the machine's clock moves nothing; but monotonic time stands
// still while a machine is suspended, and a crawl of weeks would be hours behind until its restart. So once a second it is compared with the wall clock:
// - ahead (a suspend, a clock that was put right): adopted at once, and what was due meanwhile is woken;
// - behind: `now` never goes back, so this run continues by its own time and says so. The next run finds the store ahead of its clock (setback.ts).
// Less than a second is left alone. There is no timer for it: calls of `now()` compare, and waits are cut into minutes.
import { AvocetError } from '../values/errors.ts'
import { formatDuration } from '../values/duration-text.ts'
import { shown } from '../values/shown.ts'

/** Where all time comes from. Tests put virtual time here, and a whole crawl of a day passes in seconds. */
export interface Clock {
  /** Epoch ms, whole ones by the clock of the machine. Never goes back. */
  now(): number
  /** Ms since a point that all processes of one machine share until it is started again, with a fraction. */
  monotonic(): number
  /** How many of its ms go by in one of the machine's. Default 1. */
  readonly scale?: number
  /** Calls `wake` once, at `epochMs` or as soon after it as possible; dispose to forget it. Never calls it before returning. */
  at(epochMs: number, wake: () => void): Disposable
  /**
   * Says that something is going on which takes no time of its own (a promise of a handler, hook or store), until disposed.
   * Virtual time stands still meanwhile. `name` is what an error calls it when it never ends.
   */
  hold(name: string): Disposable
  /** What is wrong with it, in one line for the report; absent when nothing is. */
  readonly trouble?: string | undefined
}

const NOTHING: Disposable = { [Symbol.dispose]() {} }

/** A clock that is off by less is right. */
const TOLERANCE_MS = 1_000
/** How often to compare: processes of one machine differ for no longer. */
const COMPARE_MS = 1_000
const LONGEST_TIMER_MS = 60_000

/** Options of the machine's clock. */
export interface SystemClockOptions {
  /**
   * Runs so many times as fast: every wait, deadline, cool-down, Retry-After and Crawl-delay is over that much sooner. For benches against servers
   * that run as fast; never against anybody else's. Default 1.
   */
  readonly scale?: number
  /** Where it takes its time from. Default: the machine. */
  readonly sources?: ClockSources
}

/** What a machine has to tell the time by. All in ms. */
export interface ClockSources {
  /** Epoch ms; goes where anybody sets it. */
  wall(): number
  /** Since a point that all processes of the machine share; may stand still while it is suspended. */
  monotonic(): number
  /** Calls `fire` once after `delayMs` of monotonic time, or a little earlier or later. */
  timer(fire: () => void, delayMs: number): Disposable
}

/** Read from `process` at each call it takes twice as long. */
const { bigint: nanoseconds } = process.hrtime

const MACHINE: ClockSources = {
  wall: () => Date.now(),
  // CLOCK_MONOTONIC or its like. The clock of `performance` counts from the start of its thread, and loads ten modules of Node.
  monotonic: () => Number(nanoseconds()) / 1e6,
  timer(fire, delayMs) {
    const timer = setTimeout(fire, delayMs)
    return { [Symbol.dispose]: () => clearTimeout(timer) }
  },
}

/**
 * The machine's own clock.
 *
 * @throws AVO_CONFIG_INVALID for a scale that is not a number above 0.
 * @example
 * ```ts
 * const clock = systemClock()
 * clock.at(clock.now() + 1_000, () => console.log('a second later'))
 * ```
 */
export function systemClock({ scale = 1, sources = MACHINE }: SystemClockOptions = {}): Clock {
  if (!(scale > 0 && scale < Infinity))
    throw new AvocetError('AVO_CONFIG_INVALID', `expected the scale of time to be a number above 0, got ${shown(scale)}`)
  const openedAt = sources.wall()
  const elapsed = new Elapsed(sources)

  const clock: Clock = {
    now: () => Math.floor(openedAt + elapsed.ms() * scale),
    monotonic: () => sources.monotonic() * scale,
    scale,
    at(epochMs, wake) {
      const delayMs = (): number => Math.min(Math.max(0, Math.ceil((epochMs - clock.now()) / scale)), LONGEST_TIMER_MS)
      // Node may fire a timer up to 1 ms early: ask again rather than wake before the time.
      const check = (): void => {
        if (epochMs <= clock.now()) wake()
        else timer = sources.timer(check, delayMs())
      }
      let timer = sources.timer(check, delayMs())
      return { [Symbol.dispose]: () => timer[Symbol.dispose]() }
    },
    hold: () => NOTHING,
    get trouble() {
      return elapsed.trouble
    },
  }
  return clock
}

/** Real time since the start, in ms: never less than before, and never behind the wall clock for long. */
class Elapsed {
  readonly #sources: ClockSources
  readonly #openedAt: number
  readonly #startedAt: number
  #comparedAt: number
  /** What is added to monotonic time. */
  #offsetMs = 0
  trouble: string | undefined

  constructor(sources: ClockSources) {
    this.#sources = sources
    this.#openedAt = sources.wall()
    this.#startedAt = this.#comparedAt = sources.monotonic()
  }

  ms(): number {
    const at = this.#sources.monotonic()
    if (at - this.#comparedAt >= COMPARE_MS) this.#compare(at)
    return at - this.#startedAt + this.#offsetMs
  }

  #compare(at: number): void {
    this.#comparedAt = at
    const aheadMs = this.#sources.wall() - this.#openedAt - (at - this.#startedAt + this.#offsetMs)
    if (aheadMs > TOLERANCE_MS) this.#offsetMs += aheadMs
    else if (aheadMs < -TOLERANCE_MS)
      this.trouble ??= `the machine's clock was set back by ${formatDuration(-aheadMs)}; this run continues by its own time, the next one uses the machine's`
  }
}

/** A promise that resolves at `epochMs` on `clock`. */
export function sleepUntil(clock: Clock, epochMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.at(epochMs, resolve)
  })
}

/**
 * A promise that resolves in the next turn of the event loop, when what waited for this one had its turn. Takes no time of any clock.
 *
 * @example
 * ```ts
 * for (let slice = 0; slice < 3; slice++) await nextTurn()
 * ```
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/**
 * A promise that resolves in this turn of the event loop, when all promises that follow from what was done so far have had theirs. By way of one: called from
 * I/O, a tick of Node's comes before all promises, called from a promise after them.
 */
export function nextTick(): Promise<void> {
  return new Promise((resolve) => {
    void Promise.resolve().then(() => process.nextTick(resolve))
  })
}
