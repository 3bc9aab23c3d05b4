// Time as the crawl sees it: the port, and the real clock behind it. The only file of this package that touches timers.
import { AvocetError } from './errors.ts'

/**
 * Where all time comes from. Tests put virtual time here, and a whole crawl of a day passes in seconds.
 *
 * `now` is the wall clock at the start plus monotonic time since, so that a step of the machine's clock moves nothing.
 */
export interface Clock {
  /** Epoch ms. Never goes back. */
  now(): number
  /** Ms since an arbitrary point, with a fraction. */
  monotonic(): number
  /** Calls `wake` once, at `epochMs` or as soon after it as possible; dispose to forget it. Never calls it before returning. */
  at(epochMs: number, wake: () => void): Disposable
  /**
   * Says that something is going on which takes no time of its own (a promise of a handler, hook or store), until disposed.
   * Virtual time stands still meanwhile. `name` is what an error calls it when it never ends.
   */
  hold(name: string): Disposable
}

const NOTHING: Disposable = { [Symbol.dispose]() {} }

/** Longest delay that Node's timers take (2^31 - 1 ms, 24.8 days); above, they fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** What the machine's clock can be told. */
export interface SystemClockOptions {
  /**
   * Runs so many times as fast: every wait, deadline, cool-down, Retry-After and Crawl-delay is over that much sooner. For benches against servers
   * that run as fast; never against anybody else's. Default 1.
   */
  readonly scale?: number
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
export function systemClock({ scale = 1 }: SystemClockOptions = {}): Clock {
  if (!(scale > 0 && scale < Infinity))
    throw new AvocetError('AVO_CONFIG_INVALID', `expected the scale of time to be a number above 0, got ${String(scale)}`)
  const startedAt = performance.now()
  const openedAt = Date.now()

  const clock: Clock = {
    now: () => openedAt + (performance.now() - startedAt) * scale,
    monotonic: () => performance.now() * scale,
    at(epochMs, wake) {
      let timer: NodeJS.Timeout
      // Node may fire a timer up to 1 ms early: ask again rather than wake before the time.
      const check = (): void => {
        const restMs = epochMs - clock.now()
        if (restMs <= 0) wake()
        else timer = setTimeout(check, Math.min(Math.ceil(restMs / scale), MAX_TIMER_MS))
      }
      timer = setTimeout(check, Math.min(Math.max(0, Math.ceil((epochMs - clock.now()) / scale)), MAX_TIMER_MS))
      return { [Symbol.dispose]: () => clearTimeout(timer) }
    },
    hold: () => NOTHING,
  }
  return clock
}

/** A promise that resolves at `epochMs` on `clock`. */
export function sleepUntil(clock: Clock, epochMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.at(epochMs, resolve)
  })
}
