// Holds the items of a page against the spider's schema: what it refuses is set aside, and what it makes of the others are the items from then on.
//
// The schema gets a copy, read from the JSON text of the item, so nothing it does reaches what the handler has. In this tick, where the schema is synchronous
// and this turn of the event loop has room; else in steps, within a deadline. A schema that throws, or answers with what is no result, is the user's code that
// fails: so does the page, and nothing of it is lost.
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Clock } from '../ports/clock.ts'
import { formatDuration } from '../values/duration-text.ts'
import { AvocetError, messageOf } from '../values/errors.ts'
import { failure } from '../ports/failure.ts'
import type { NewItem } from '../ports/frontier.ts'
import { COST, type LoopBudget } from '../process/loop-budget.ts'
import { keptReason, type NewReject } from '../ports/reject.ts'
import { shown } from '../values/shown.ts'
import { inTime, type FailedPart } from './run-handler.ts'
import { isPlain, unlikeJson } from '../values/unlike-json.ts'

/** Checked in one step: of a schema of ten fields that takes some 1 ms. */
const ITEMS_A_STEP = 100
/** Told of one item. */
const MOST_ISSUES = 3
/** Parts of a path. */
const MOST_PARTS = 12
/** Characters of a part of a path, and of a message. */
const MOST_OF_PART = 60
const MOST_OF_MESSAGE = 200
const NO_WAY_OUT = 'let the schema put out plain data'

/** What the items are held against, and for how long. */
export interface CheckWorld {
  readonly schema: StandardSchemaV1
  readonly clock: Clock
  readonly timeoutMs: number
  readonly loop: Pick<LoopBudget, 'take' | 'room'>
  /** Takes secrets out of a text. */
  readonly hide: (text: string) => string
}

/** Items that are valid, and what is set aside. */
export interface CheckedItems {
  readonly kind: 'checked'
  readonly items: readonly NewItem[]
  readonly rejects: readonly NewReject[]
}

/** Checks them, in their order. Synchronous where the schema is and there is room. Never throws, never rejects. */
export function checkItems(
  items: readonly string[],
  url: string,
  world: CheckWorld,
): CheckedItems | FailedPart | Promise<CheckedItems | FailedPart> {
  const check = new ItemCheck(items, world)
  const { clock, timeoutMs, loop } = world
  try {
    do if (check.step()) return check.result
    while (!check.isWaiting && loop.take(ITEMS_A_STEP * COST.row))
  } catch (error) {
    return schemaFailed(error)
  }
  const message = `the schema did not finish within ${formatDuration(timeoutMs)} for the items of a page; find what it waits for, or raise handlerTimeoutMs`
  const late = { code: 'AVO_HANDLER_TIMEOUT', message } as const
  return inTime({ clock, timeoutMs, what: `schema of the items of ${url}`, late }, (isLate) =>
    check.inSteps(isLate).catch(schemaFailed),
  )
}

class ItemCheck {
  readonly #items: NewItem[] = []
  readonly #rejects: NewReject[] = []
  #next = 0
  /** Of the item before `#next`. */
  #waiting: PromiseLike<unknown> | undefined
  readonly #texts: readonly string[]
  readonly #world: CheckWorld

  constructor(texts: readonly string[], world: CheckWorld) {
    this.#texts = texts
    this.#world = world
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined
  }

  get result(): CheckedItems {
    return { kind: 'checked', items: this.#items, rejects: this.#rejects }
  }

  /** Checks up to a step; whether that was all. */
  step(): boolean {
    const end = Math.min(this.#texts.length, this.#next + ITEMS_A_STEP)
    while (this.#next < end && !this.isWaiting) {
      const answer = this.#world.schema['~standard'].validate(JSON.parse(this.#texts[this.#next++] ?? 'null'))
      if (isThenable(answer)) this.#waitFor(answer)
      else this.#take(answer)
    }
    return !this.isWaiting && this.#next === this.#texts.length
  }

  /** It may fail before anybody waits for it. */
  #waitFor(answer: PromiseLike<unknown>): void {
    this.#waiting = Promise.resolve(answer)
    this.#waiting.then(undefined, () => {})
  }

  /** Waits for what is asynchronous, one item at a time; and for room before each step. */
  async inSteps(isLate: () => boolean): Promise<CheckedItems> {
    for (let left = 0; ; left--) {
      if (left === 0) {
        await this.#world.loop.room(ITEMS_A_STEP * COST.row)
        left = ITEMS_A_STEP
      }
      if (this.#waiting === undefined) left = 1
      else {
        const answer = await this.#waiting
        this.#waiting = undefined
        this.#take(answer)
      }
      if (isLate() || this.step()) return this.result
    }
  }

  /** Takes the answer on the item before the next one. */
  #take(answer: unknown): void {
    const ordinal = this.#next - 1
    const { issues, value } = resultOf(answer)
    const reason = issues === undefined ? outputFlaw(value) : issuesInWords(issues)
    if (reason === undefined) this.#items.push({ json: JSON.stringify(value), ordinal })
    else {
      const { hide, clock } = this.#world
      this.#rejects.push({ json: this.#texts[ordinal] ?? '', ordinal, reason: keptReason(hide(reason)), at: clock.now() })
    }
  }
}

/** Throws AVO_HANDLER_SCHEMA for what is no result of a Standard Schema. */
function resultOf(answer: unknown): { readonly issues?: readonly unknown[]; readonly value?: unknown } {
  if (typeof answer === 'object' && answer !== null) {
    const { issues } = answer as { readonly issues?: unknown }
    if (Array.isArray(issues)) return { issues }
    if ((issues === undefined || issues === null) && 'value' in answer) return { value: answer.value }
  }
  throw new AvocetError(
    'AVO_HANDLER_SCHEMA',
    `expected the schema of items to answer { value } or { issues: […] }, got ${shown(answer)}; use a schema that follows Standard Schema 1`,
  )
}

function schemaFailed(error: unknown): FailedPart {
  const message = error instanceof AvocetError ? error.message : `the schema of items threw ${messageOf(error)}`
  return { kind: 'failed', failure: failure('AVO_HANDLER_SCHEMA', message, { phase: 'handler', sent: true, cause: error }) }
}

function isThenable(answer: unknown): answer is PromiseLike<unknown> {
  return typeof answer === 'object' && answer !== null && 'then' in answer && typeof answer.then === 'function'
}

/** `price: expected number, received string; offers[0].name: …`. */
function issuesInWords(issues: readonly unknown[]): string {
  if (issues.length === 0) return 'the schema gave no reason'
  const told = issues.slice(0, MOST_ISSUES).map(issueInWords).join('; ')
  const more = issues.length - MOST_ISSUES
  return more > 0 ? `${told}; and ${more} more` : told
}

/** Why what the schema made of an item cannot be one; undefined when it can. A getter may throw. */
function outputFlaw(value: unknown): string | undefined {
  try {
    if (!isPlain(value)) return `expected the schema to make a plain object of an item, got ${shown(value)}; ${NO_WAY_OUT}`
    const flaw = unlikeJson(value, '$')
    return flaw && `what the schema makes of it is not JSON: ${flaw}; ${wayOut(flaw)}`
  } catch (error) {
    return `what the schema makes of it is not JSON: ${messageOf(error)}; ${NO_WAY_OUT}`
  }
}

/** What to write instead. */
function wayOut(flaw: string): string {
  if (flaw.endsWith(' is a Date')) return 'turn it into text in the schema, such as .transform((date) => date.toISOString())'
  if (flaw.endsWith(' is a URL')) return 'turn it into text in the schema, such as .transform((url) => url.href)'
  if (flaw.endsWith(' is a bigint')) return 'turn it into text in the schema, such as .transform(String)'
  if (flaw.endsWith(' is a Map'))
    return 'turn it into an object in the schema, such as .transform((map) => Object.fromEntries(map))'
  if (flaw.endsWith(' is a Set')) return 'turn it into a list in the schema, such as .transform((set) => [...set])'
  return NO_WAY_OUT
}

function issueInWords(issue: unknown): string {
  const { message, path } = (typeof issue === 'object' && issue !== null ? issue : {}) as { message?: unknown; path?: unknown }
  const text = typeof message === 'string' && message !== '' ? oneLine(message).slice(0, MOST_OF_MESSAGE) : 'no reason given'
  const at = Array.isArray(path) ? pathInWords(path) : ''
  // Some schemas name the field in their message.
  return at === '' || text.startsWith(`${at} `) ? text : `${at}: ${text}`
}

/** `offers[0].name`. */
function pathInWords(path: readonly unknown[]): string {
  const parts = path.slice(0, MOST_PARTS).map((part) => {
    const key: unknown = typeof part === 'object' && part !== null && 'key' in part ? part.key : part
    return typeof key === 'number' ? `[${key}]` : `.${oneLine(String(key)).slice(0, MOST_OF_PART)}`
  })
  const text = parts.join('')
  return text.startsWith('.') ? text.slice(1) : text
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
