// Runs the handler of a page, from a function to links and items, within a deadline and a budget that it cannot escape. What becomes of its items: see
// page-items.ts.
//
// All or nothing: a handler that throws, takes too long, or gives what is neither item nor link leaves no trace but its failure. A synchronous
// endless loop cannot be stopped inside the process; an endless generator can, by its budget.
import type { Clock } from '../ports/clock.ts'
import { formatDuration } from '../values/duration-text.ts'
import { AvocetError, messageOf, type FailureCode } from '../values/errors.ts'
import { failure, type Failure } from '../ports/failure.ts'
import type { Page, Handler } from '../ports/page.ts'
import { COST, type LoopBudget } from '../process/loop-budget.ts'
import type { Request } from '../ports/request.ts'
import { isUnchanged } from '../run/conditional.ts'
import type { Response } from '../ports/response.ts'
import type { Settings } from '../run/settings.ts'
import type { Spider } from '../ports/spider.ts'
import { isAsync, Yields, YIELDS_A_STEP, type HandlerResult, type YieldRules } from './yields.ts'

/** What a handler is run with. */
export interface HandlerWorld extends YieldRules {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly loop: Pick<LoopBudget, 'take' | 'room'>
}

const NOTHING_NEW: Handler<unknown> = () => []

/** The handler that the link named; of a page that is as it was, the spider's word on those. */
export function handlerOf(
  { spider, documents }: Pick<Settings, 'spider' | 'documents'>,
  request: Request,
  { status }: Response,
): Handler<unknown> | undefined {
  if (isUnchanged(request, status)) return (documents.has(request.handler) ? undefined : spider.unchanged) ?? NOTHING_NEW
  return Object.hasOwn(spider.handlers, request.handler) ? spider.handlers[request.handler] : undefined
}

/** That the spider has no handler of this name. */
export function unknownHandler(spider: Spider, handler: string): { readonly failure: Failure } {
  const known = Object.keys(spider.handlers).join(', ')
  const message = `spider ${spider.name} has no handler ${JSON.stringify(handler)} (it has: ${known})`
  return { failure: failure('AVO_HANDLER_UNKNOWN', message, { phase: 'handler', sent: true }) }
}

/**
 * Runs `handler`. Synchronous when the handler is and this turn of the loop has room for what it yields, so that plain generators cost no promise. Never
 * throws, never rejects.
 */
export function runHandler(handler: Handler<unknown>, page: Page, world: HandlerWorld): HandlerResult | Promise<HandlerResult> {
  const collected = new Yields(page.request.handler, world)
  try {
    const stream: unknown = handler(page)
    if (isAsync(stream)) return withinDeadline(page, world, (isLate) => collected.fromAsync(stream, { isLate, ...world }))
    const yielded = collected.iterator(stream)
    do {
      if (collected.step(yielded)) return collected.result
    } while (world.loop.take(YIELDS_A_STEP * COST.yielded))
    return withinDeadline(page, world, (isLate) => collected.inSteps(yielded, { isLate, ...world }))
  } catch (error) {
    return failed(page.request.handler, error)
  }
}

function withinDeadline(
  page: Page,
  { clock, timeoutMs }: HandlerWorld,
  run: (isLate: () => boolean) => Promise<HandlerResult>,
): Promise<HandlerResult> {
  const name = page.request.handler
  const message = `handler ${name} did not finish within ${formatDuration(timeoutMs)}; find what it waits for, or raise handlerTimeoutMs`
  const part = {
    clock,
    timeoutMs,
    what: `handler ${name} of ${page.request.url}`,
    late: { code: 'AVO_HANDLER_TIMEOUT', message },
  } as const
  return inTime(part, (isLate) => run(isLate).catch((error: unknown) => failed(name, error)))
}

function failed(handler: string, error: unknown): HandlerResult {
  const known = error instanceof AvocetError
  // A body that is no file is no fault of the handler that was to save it.
  const isOwn = known && (error.code.startsWith('AVO_HANDLER_') || error.code === 'AVO_FILE_TYPE')
  const code: FailureCode = isOwn ? (error.code as FailureCode) : 'AVO_HANDLER_THREW'
  const message = known ? error.message : `handler ${handler} threw ${messageOf(error)}`
  return { kind: 'failed', failure: failure(code, message, { phase: 'handler', sent: true, cause: error }) }
}

/** What came of a part that did not come to its end. */
export interface FailedPart {
  readonly kind: 'failed'
  readonly failure: Failure
  /** It overran its time, and this settles when it really ends. */
  readonly running?: Promise<unknown>
}

/** What is run, and what is said of it. */
export interface TimedPart {
  readonly clock: Clock
  readonly timeoutMs: number
  /** In words: `handler start of https://…`. */
  readonly what: string
  /** Of the failure when it is late. */
  readonly late: { readonly code: FailureCode; readonly message: string }
}

/** What `run` gives, unless it is late. `run` never rejects, and asks `isLate` between its steps. */
export function inTime<Result>(
  { clock, timeoutMs, what, late }: TimedPart,
  run: (isLate: () => boolean) => Promise<Result>,
): Promise<Result | FailedPart> {
  return new Promise((resolve) => {
    let isLate = false
    const hold = clock.hold(what)
    const deadline = clock.at(clock.now() + timeoutMs, () => {
      isLate = true
      hold[Symbol.dispose]()
      resolve({ kind: 'failed', failure: failure(late.code, late.message, { phase: 'handler', sent: true }), running })
    })
    const running = run(() => isLate).then((result) => {
      deadline[Symbol.dispose]()
      hold[Symbol.dispose]()
      resolve(result)
    })
  })
}
