// When each process of a crawl was seen last: it shows itself four times a second, from the opening of the store to the end of its crawl.
import type { FromWorker } from './process-messages.ts'

/** By the monotonic clock, in ms. */
export class SignsOfLife {
  readonly #seenAt = new Map<number, number>()
  #hasOpened = false

  /** Whether this is the first opening of all. */
  heard(number: number, kind: FromWorker['kind'], monotonicMs: number): boolean {
    if (kind === 'opened' || kind === 'scene') this.#seenAt.set(number, monotonicMs)
    else if (kind === 'over' || kind === 'ended') this.#seenAt.delete(number)
    const isFirst = kind === 'opened' && !this.#hasOpened
    this.#hasOpened ||= kind === 'opened'
    return isFirst
  }

  /** It is another one that starts in its place. */
  died(number: number): void {
    this.#seenAt.delete(number)
  }

  /** Whether each that crawls was seen within so many ms. */
  areAll(withinMs: number, monotonicMs: number): boolean {
    return [...this.#seenAt.values()].every((at) => monotonicMs - at < withinMs)
  }
}
