// The clock of one machine on virtual time: it may be wrong, stand still while the machine sleeps, and die with it.
//
// It keeps what `systemClock` promises: after a sleep it is behind, and within a minute it has adopted the time that passed. All wakes are
// kept by the machine's own time, so each of these changes books them anew on the true clock beneath.
import type { Clock } from '@avocet/core/store'

/** Looks at the wall clock so often. */
const ADOPT_MS = 60_000

interface Wake {
  readonly at: number
  readonly call: () => void
  booked: Disposable | undefined
}

/** A clock between a machine and the true time. */
export class MachineClock implements Clock {
  readonly #truth: Clock
  readonly #aheadMs: number
  readonly #wakes = new Set<Wake>()
  readonly #holds = new Set<Disposable>()
  /** Time slept through that it does not know of yet, and all that it ever slept through. */
  #behindMs = 0
  #sleptMs = 0
  #asleepSince: number | undefined
  #isDead = false

  constructor(truth: Clock, aheadMs: number) {
    this.#truth = truth
    this.#aheadMs = aheadMs
  }

  now(): number {
    return (this.#asleepSince ?? this.#truth.now()) + this.#aheadMs - this.#behindMs
  }

  monotonic(): number {
    const asleepMs = this.#asleepSince === undefined ? 0 : this.#truth.now() - this.#asleepSince
    return this.#truth.monotonic() - this.#sleptMs - asleepMs
  }

  /** Wakes that are due at some time. */
  get scheduled(): number {
    return this.#wakes.size
  }

  at(epochMs: number, call: () => void): Disposable {
    if (this.#isDead) return { [Symbol.dispose]: () => {} }
    const wake: Wake = { at: epochMs, call, booked: undefined }
    this.#wakes.add(wake)
    this.#book(wake)
    return {
      [Symbol.dispose]: () => {
        this.#wakes.delete(wake)
        wake.booked?.[Symbol.dispose]()
      },
    }
  }

  hold(name: string): Disposable {
    if (this.#isDead) return { [Symbol.dispose]: () => {} }
    const held = this.#truth.hold(name)
    this.#holds.add(held)
    return {
      [Symbol.dispose]: () => {
        this.#holds.delete(held)
        held[Symbol.dispose]()
      },
    }
  }

  /** The machine is suspended: nothing of it moves. */
  sleep(): void {
    if (this.#isDead || this.#asleepSince !== undefined) return
    this.#asleepSince = this.#truth.now()
    for (const { booked } of this.#wakes) booked?.[Symbol.dispose]()
  }

  /** It goes on, at first as if no time had passed. */
  wake(): void {
    if (this.#isDead || this.#asleepSince === undefined) return
    const sleptMs = this.#truth.now() - this.#asleepSince
    this.#asleepSince = undefined
    this.#behindMs += sleptMs
    this.#sleptMs += sleptMs
    this.#bookAll()
    this.#truth.at(this.#truth.now() + ADOPT_MS, () => {
      if (this.#isDead || this.#asleepSince !== undefined) return
      this.#behindMs = 0
      this.#bookAll()
    })
  }

  /** Nothing that was asked for will happen, and nobody waits for it. */
  kill(): void {
    this.#isDead = true
    for (const { booked } of this.#wakes) booked?.[Symbol.dispose]()
    for (const held of this.#holds) held[Symbol.dispose]()
    this.#wakes.clear()
    this.#holds.clear()
  }

  #bookAll(): void {
    for (const wake of this.#wakes) {
      wake.booked?.[Symbol.dispose]()
      this.#book(wake)
    }
  }

  #book(wake: Wake): void {
    if (this.#asleepSince !== undefined) return
    wake.booked = this.#truth.at(wake.at - this.#aheadMs + this.#behindMs, () => {
      this.#wakes.delete(wake)
      wake.call()
    })
  }
}
