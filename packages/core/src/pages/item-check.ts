// Holds the items of a page against the spider's schema: what it refuses is set aside, and what it makes of the others are the items from then on.
//
// The schema gets a copy, read from the JSON text of the item, so nothing it does reaches what the handler has. Items are checked in this tick while the schema
// is synchronous and this turn of the event loop has room; the others in steps, within a deadline. A schema that throws is the user's code that fails: so
// does the page, and nothing of it is lost.
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Clock } from '../ports/clock.ts'
import { formatDuration } from '../values/duration-text.ts'
import { messageOf } from '../values/errors.ts'
import { failure } from '../ports/failure.ts'
import type { NewItem } from '../ports/frontier.ts'
import { COST, type LoopBudget } from '../process/loop-budget.ts'
import { keptReason, type NewReject } from '../ports/reject.ts'
import { shown } from '../values/shown.ts'
import { inTime, type FailedPart } from './run-handler.ts'
import { isPlain, unlikeJson } from '../values/unlike-json.ts'

/** Checked in one step: of a schema of ten fields that takes some 1 ms. */
const ITEMS_A_STEP = 100
const STEP_COST = ITEMS_A_STEP * COST.row
const PLAIN_DATA = 'let it put out texts for dates and URLs, and null where there is no value'
/** Told of one item. */
const MOST_ISSUES = 3

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
  readonly items: NewItem[]
  readonly rejects: NewReject[]
}

/** Checks them, in their order. Synchronous where the schema is and there is room. Never throws, never rejects. */
export function checkItems(
  items: readonly string[],
  url: string,
  world: CheckWorld,
): CheckedItems | FailedPart | Promise<CheckedItems | FailedPart> {
  const { clock, timeoutMs } = world
  const check = new ItemCheck(items, world)
  let waiting: Promise<SchemaAnswer> | undefined
  try {
    waiting = check.now()
  } catch (error) {
    return schemaFailed(error)
  }
  if (waiting === undefined && check.isDone) return check.found
  const message = `the schema did not finish within ${formatDuration(timeoutMs)} for the items of a page; find what it waits for, or raise handlerTimeoutMs`
  const late = { code: 'AVO_HANDLER_TIMEOUT', message } as const
  return inTime({ clock, timeoutMs, what: `schema of the items of ${url}`, late }, (isLate) =>
    check.inSteps(waiting, isLate).catch(schemaFailed),
  )
}

type SchemaAnswer = StandardSchemaV1.Result<unknown>

class ItemCheck {
  readonly found: CheckedItems = { kind: 'checked', items: [], rejects: [] }
  #next = 0
  readonly #texts: readonly string[]
  readonly #world: CheckWorld

  constructor(texts: readonly string[], world: CheckWorld) {
    this.#texts = texts
    this.#world = world
  }

  get isDone(): boolean {
    return this.#next === this.#texts.length
  }

  /** Checks what can be checked in this tick; returns the answer that it has to wait for. */
  now(): Promise<SchemaAnswer> | undefined {
    while (!this.isDone) {
      if (this.#beginsStep && this.#next > 0 && !this.#world.loop.take(STEP_COST)) return undefined
      const answer = this.#validated()
      if ('then' in answer) return answer
      this.#take(answer)
    }
    return undefined
  }

  /** Checks the rest, one item after the other. */
  async inSteps(waiting: Promise<SchemaAnswer> | undefined, isLate: () => boolean): Promise<CheckedItems> {
    if (waiting !== undefined) this.#take(await waiting)
    while (!this.isDone && !isLate()) {
      if (this.#beginsStep) await this.#world.loop.room(STEP_COST)
      this.#take(await this.#validated())
    }
    return this.found
  }

  get #beginsStep(): boolean {
    return this.#next % ITEMS_A_STEP === 0
  }

  #validated(): SchemaAnswer | Promise<SchemaAnswer> {
    return this.#world.schema['~standard'].validate(JSON.parse(this.#texts[this.#next] ?? 'null'))
  }

  /** Takes the answer on the next item. */
  #take({ issues, value }: { readonly issues?: readonly StandardSchemaV1.Issue[] | undefined; readonly value?: unknown }): void {
    const ordinal = this.#next++
    const { hide, clock } = this.#world
    const reason = issues === undefined ? outputFlaw(value) : issuesInWords(issues)
    if (reason === undefined) this.found.items.push({ json: JSON.stringify(value), ordinal })
    else this.found.rejects.push({ json: this.#texts[ordinal] ?? '', ordinal, reason: keptReason(hide(reason)), at: clock.now() })
  }
}

function schemaFailed(cause: unknown): FailedPart {
  const message = `the schema of items threw ${messageOf(cause)}`
  return { kind: 'failed', failure: failure('AVO_HANDLER_SCHEMA', message, { phase: 'handler', sent: true, cause }) }
}

/** Why what the schema made of an item cannot be one; undefined when it can. */
function outputFlaw(value: unknown): string | undefined {
  const flaw = isPlain(value) ? unlikeJson(value, '$') : `$ is ${shown(value)}`
  return flaw && `expected the schema to make plain data of an item, but ${flaw}; ${PLAIN_DATA}`
}

/** `price: expected number, received string; offers[0].name: …`. */
function issuesInWords(issues: readonly StandardSchemaV1.Issue[]): string {
  const told = issues.slice(0, MOST_ISSUES).map(issueInWords).join('; ')
  return issues.length > MOST_ISSUES ? `${told}; and ${issues.length - MOST_ISSUES} more` : told
}

function issueInWords({ message, path = [] }: StandardSchemaV1.Issue): string {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part))
  const at = keys
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')
  const text = message.replaceAll(/\s+/g, ' ')
  // Some schemas name the field in their message.
  return at === '' || text.startsWith(`${at} `) ? text : `${at}: ${text}`
}
