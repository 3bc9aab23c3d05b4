// What happens around every tap of a crawl: who is speaking, and what a throw costs at each station.
//
// A throw costs one exchange, never the crawl. Where a plugin could not say what holds a host, the host rests; where it could not judge an
// exchange, that exchange fails, named after the plugin; where nothing depends on the answer, it is only counted. A plugin that throws
// a hundred times without one call in between that worked is broken: the crawl then stops, with everything committed. `onTrace` only watches: what it throws
// is counted, and no more, all of a tap under its first text. It hears of problems itself, so another text each time would be one problem after the other.
import { AvocetError, kindAndMessageOf, messageOf } from '../values/errors.ts'
import type { Called, TapGuard } from './hooks.ts'
import { Collector } from './collector.ts'

const BROKEN_AFTER = 100

/** Who notes problems. */
export interface ProblemNotes {
  /** All of one kind are told in the words of the first. Default: its text. */
  problem(message: string, kind?: string): void
}

/** The guard around all taps of one crawl. */
export class Stations implements TapGuard {
  /** Throws caught so far. */
  caught = 0
  /** Who was asked last: of hooks that are waited for, who is waited for. */
  lastSpoke = ''
  /** Throws of each tap since a call of it worked. */
  readonly #inARow = new Map<string, number>()
  readonly #notes: ProblemNotes
  readonly #broken: (error: AvocetError) => void

  constructor(notes: ProblemNotes, broken: (error: AvocetError) => void) {
    this.#notes = notes
    this.#broken = broken
  }

  speaks(tap: string, first: unknown): void {
    this.lastSpoke = tap
    if (first instanceof Collector) first.speaker = tap
  }

  returned(tap: string): void {
    if (this.#inARow.size > 0) this.#inARow.delete(tap)
  }

  rescue(hook: Called, tap: string, error: unknown, args: readonly unknown[]): void {
    const message = messageOf(error)
    // What a store says of itself is no fault of the plugin that asked it.
    if (hook === 'open' && error instanceof AvocetError && error.code.startsWith('AVO_FRONTIER_')) throw error
    if (hook === 'open') throw new AvocetError('AVO_PLUGIN_OPEN', `plugin ${tap} could not open: ${message}`, { cause: error })
    if (hook === 'onItem') throw this.#costsPage(tap, error)
    this.#faultOf(tap, hook, `plugin ${tap} threw in ${hook}: ${message}`)
    args.find((each) => each instanceof Collector)?.threw(tap, hook, error)
    if (hook !== 'onTrace') this.#count(tap, hook, message)
  }

  promised(hook: Called, tap: string, promise: PromiseLike<unknown>): void {
    this.#notes.problem(
      `plugin ${tap} returned a promise from ${hook}, which is not waited for; what comes after the first await comes too late`,
    )
    promise.then(undefined, (error: unknown) =>
      this.#faultOf(tap, hook, `plugin ${tap} rejected in ${hook}: ${messageOf(error)}`),
    )
  }

  /** A plugin is to blame for something, also for what happened outside its hooks. */
  fault(message: string, kind?: string): void {
    this.caught++
    this.#notes.problem(message, kind)
  }

  /** The page fails with it, and is counted among the errors in handlers: it is no problem beside that. */
  #costsPage(tap: string, error: unknown): AvocetError {
    this.caught++
    this.#count(tap, 'onItem', messageOf(error))
    return new AvocetError('AVO_PLUGIN_THREW', `plugin ${tap} threw in onItem: ${kindAndMessageOf(error)}`, { cause: error })
  }

  #faultOf(tap: string, hook: Called, message: string): void {
    this.fault(message, hook === 'onTrace' ? `onTrace of ${tap}` : undefined)
  }

  #count(tap: string, hook: Called, message: string): void {
    const inARow = (this.#inARow.get(tap) ?? 0) + 1
    this.#inARow.set(tap, inARow)
    if (inARow !== BROKEN_AFTER) return
    this.#broken(
      new AvocetError(
        'AVO_PLUGIN_THREW',
        `plugin ${tap} threw ${BROKEN_AFTER} times in a row, last in ${hook}: ${message}; fix or leave out the plugin, then run again`,
      ),
    )
  }
}
