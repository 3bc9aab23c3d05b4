// What a handler yields, piece by piece: each is an item or a link, and what is neither is thrown back with a word on what to write instead.
//
// One that yields much is taken in steps, and other exchanges go on between them.
import { isThenable } from '../hooks/hooks.ts'
import { didYouMean } from '../values/closest.ts'
import { AvocetError } from '../values/errors.ts'
import type { Failure } from '../ports/failure.ts'
import { Link } from '../ports/link.ts'
import { COST, type LoopBudget } from '../process/loop-budget.ts'
import { shown } from '../values/shown.ts'
import { isPlain, unlikeJson } from '../values/unlike-json.ts'
import type { Spider } from '../ports/spider.ts'

/** What a handler gave, item by item as JSON text. */
export type HandlerResult =
  | { readonly kind: 'yielded'; readonly links: readonly Link[]; readonly items: readonly string[] }
  /** `running`: it overran its time, and this settles when it really ends. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly running?: Promise<unknown> }

/** Taken from a synchronous handler in one step: links cost some 2 ms, items what the handler does for them. */
export const YIELDS_A_STEP = 1_000

const PLAIN_DATA = 'yield texts for dates, URLs and bigints, null where there is no value, and plain objects and lists'

/** What pieces are checked by. */
export interface YieldRules {
  readonly maxYields: number
  /** Handlers that links may name. */
  readonly handlers: Spider['handlers']
}

/** How it is taken in steps. */
interface Stepping {
  readonly loop: Pick<LoopBudget, 'take' | 'room'>
  /** Whether its time is over. */
  readonly isLate: () => boolean
}

/** Collects what a handler yields and checks each piece. */
export class Yields {
  readonly links: Link[] = []
  readonly items: string[] = []
  readonly #max: number
  readonly #handler: string
  readonly #handlers: Spider['handlers']

  constructor(handler: string, { maxYields, handlers }: YieldRules) {
    this.#max = maxYields
    this.#handler = handler
    this.#handlers = handlers
  }

  get result(): HandlerResult {
    return { kind: 'yielded', links: this.links, items: this.items }
  }

  /** Takes what comes next, up to a step; whether that was all. */
  step(yielded: Iterator<unknown>): boolean {
    for (let left = YIELDS_A_STEP; left > 0; left--) {
      const next = yielded.next()
      if (next.done === true) return this.#ended(next.value)
      try {
        this.#add(next.value)
      } catch (error) {
        yielded.return?.()
        throw error
      }
    }
    return false
  }

  /** Takes the rest, a step in each turn of the event loop that has room. */
  async inSteps(yielded: Iterator<unknown>, { isLate, loop }: Stepping): Promise<HandlerResult> {
    do {
      await loop.room(YIELDS_A_STEP * COST.yielded)
      if (isLate()) {
        yielded.return?.()
        break
      }
    } while (!this.step(yielded))
    return this.result
  }

  async fromAsync(stream: unknown, { isLate, loop }: Stepping): Promise<HandlerResult> {
    const settled: unknown = await stream
    if (isAsyncIterable(settled)) {
      let left = YIELDS_A_STEP
      for await (const value of settled) {
        if (isLate()) break
        this.#add(value)
        // One that waits for nothing would have the loop to itself, too.
        if (--left > 0) continue
        left = YIELDS_A_STEP
        await loop.room(YIELDS_A_STEP * COST.yielded)
      }
      return this.result
    }
    const yielded = this.iterator(settled)
    return this.step(yielded) ? this.result : this.inSteps(yielded, { isLate, loop })
  }

  iterator(stream: unknown): Iterator<unknown> {
    if (typeof stream === 'object' && stream !== null && Symbol.iterator in stream)
      return (stream as Iterable<unknown>)[Symbol.iterator]()
    throw new AvocetError(
      'AVO_HANDLER_RETURN',
      `expected handler ${this.#handler} to return a stream of items and links, got ${shown(stream)}; write it as a generator (*${this.#handler}(page) { yield … }), or return []`,
    )
  }

  /** Nobody sees what a generator returns: what looks like items or links was meant to be yielded. */
  #ended(returned: unknown): true {
    if (typeof returned !== 'object' || returned === null) return true
    const word = isIterable(returned) ? 'yield*' : 'yield'
    throw new AvocetError(
      'AVO_HANDLER_RETURN',
      `expected handler ${this.#handler} to yield its items and links, got ${shown(returned)} returned; write ${word} instead of return`,
    )
  }

  #checkLink({ url, options: { handler } }: Link): void {
    if (handler === undefined || Object.hasOwn(this.#handlers, handler)) return
    const known = Object.keys(this.#handlers)
    const [plugin = '', document] = handler.split('/')
    const isOfPlugin = document !== undefined && !known.some((name) => name.startsWith(`${plugin}/`))
    const why = isOfPlugin
      ? `is one of the plugin ${plugin}, and the crawl does not have that; in the configuration of the command write ${plugin}: true, in a program plugins: [${plugin}()] of @avocet/plugin-${plugin}`
      : `the spider does not have${didYouMean(handler, known)}; it has: ${known.join(', ')}`
    const message = `handler ${this.#handler} yielded link(${shown(url)}) to handler ${shown(handler)}, which ${why}`
    throw new AvocetError('AVO_HANDLER_LINK_INVALID', message)
  }

  #add(value: unknown): void {
    if (this.links.length + this.items.length >= this.#max) {
      throw new AvocetError(
        'AVO_HANDLER_YIELDS',
        `handler ${this.#handler} yielded more than ${this.#max} items and links; split the page over several requests, or raise maxYields`,
      )
    }
    if (value instanceof Link) {
      this.#checkLink(value)
      this.links.push(value)
    } else this.items.push(this.#json(value))
  }

  #json(value: unknown): string {
    if (isPlainObject(value)) {
      // What JSON would leave out, or write as something else, would be missing from the item without a word.
      const flaw = unlikeJson(value, '$')
      if (flaw === undefined) return JSON.stringify(value)
      throw this.#garbage(`an item that is not JSON: ${flaw}`, PLAIN_DATA)
    }
    if (typeof value === 'string')
      throw this.#garbage(shown(value), 'for a URL write yield link(url), for an item yield an object')
    if (isThenable(value)) throw this.#garbage('a promise', 'write yield await …')
    const hint = isIterable(value) ? 'write yield* in front of it, as in yield* page.links()' : 'yield an object, or link(url)'
    throw this.#garbage(shown(value), hint)
  }

  #garbage(got: string, hint: string): AvocetError {
    return new AvocetError(
      'AVO_HANDLER_YIELD_INVALID',
      `expected handler ${this.#handler} to yield an item (a plain object) or a link, got ${got}; ${hint}`,
    )
  }
}

/** Whether a handler gave something to wait for. */
export function isAsync(stream: unknown): boolean {
  return isThenable(stream) || isAsyncIterable(stream)
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
}

function isPlainObject(value: unknown): value is object {
  return isPlain(value) && !isThenable(value)
}
