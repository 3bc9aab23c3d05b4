// Runs the user's part of a page: the handler, from a function to links and items, and `onItem` of the plugins, one item after the other in array order;
// each within a deadline and a budget that it cannot escape.
//
// All or nothing: a handler or plugin that throws, takes too long, or gives what is neither item nor link leaves no trace but its failure. A synchronous
// endless loop cannot be stopped inside the process; an endless generator can, by its budget.
import { nextTurn, type Clock } from '../clock.ts'
import { formatDuration } from '../duration-text.ts'
import { AvocetError, messageOf, type FailureCode } from '../errors.ts'
import { failure, type Failure } from '../failure.ts'
import type { CrawlHooks } from '../hooks/hooks.ts'
import type { Json } from '../json.ts'
import type { Page } from '../page.ts'
import { COST, type LoopBudget } from '../process/loop-budget.ts'
import type { Request } from '../request.ts'
import { isUnchanged } from '../recrawl/recrawl.ts'
import type { Response } from '../response.ts'
import type { Handler } from '../handler.ts'
import type { Spider } from '../spider.ts'
import { isAsync, Yields, YIELDS_A_STEP, type HandlerResult, type YieldRules } from './yields.ts'

/** What a handler is run with. */
export interface HandlerWorld extends YieldRules {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly loop: Pick<LoopBudget, 'take' | 'room'>
}

/** Shown in one turn of the event loop: some 2 ms, beside what the plugins do. */
const ITEMS_A_TURN = 1_000

const NOTHING_NEW: Handler<unknown> = () => []

/** The handler that the link named; of a page that is as it was, the spider's word on those. */
export function handlerOf(spider: Spider, request: Request, { status }: Response): Handler<unknown> | undefined {
  if (isUnchanged(request, status)) return spider.unchanged ?? NOTHING_NEW
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

/** What the items are shown to, and for how long. */
export interface FilterWorld {
  readonly hooks: CrawlHooks
  readonly clock: Clock
  readonly timeoutMs: number
}

/** The items that plugins left, changed or not. Never rejects. */
export function filterItems(
  items: readonly string[],
  request: Request,
  { hooks, clock, timeoutMs }: FilterWorld,
): Promise<HandlerResult> {
  return new Promise((resolve) => {
    const hold = clock.hold(`onItem of ${request.url}`)
    const message = `onItem did not finish within ${formatDuration(timeoutMs)}; find the plugin that waits, or raise handlerTimeoutMs`
    const finish = (result: HandlerResult): void => {
      deadline[Symbol.dispose]()
      hold[Symbol.dispose]()
      resolve(result)
    }
    let isLate = false
    const deadline = clock.at(clock.now() + timeoutMs, () => {
      isLate = true
      finish({ kind: 'failed', failure: failure('AVO_PLUGIN_TIMEOUT', message, { phase: 'handler', sent: true }), running })
    })
    const running = throughPlugins(items, request, { hooks, isLate: () => isLate }).then(finish)
  })
}

async function throughPlugins(
  items: readonly string[],
  request: Request,
  { hooks, isLate }: Pick<FilterWorld, 'hooks'> & { readonly isLate: () => boolean },
): Promise<HandlerResult> {
  try {
    const left: string[] = []
    for (const [ordinal, text] of items.entries()) {
      if (ordinal > 0 && ordinal % ITEMS_A_TURN === 0) await nextTurn()
      if (isLate()) break
      const item = await hooks.onItem.promise(JSON.parse(text) as Json, { request, ordinal })
      if (item !== null && item !== undefined) left.push(JSON.stringify(item))
    }
    return { kind: 'yielded', links: [], items: left }
  } catch (error) {
    return {
      kind: 'failed',
      failure: failure('AVO_PLUGIN_THREW', messageOf(error), { phase: 'handler', sent: true, cause: error }),
    }
  }
}

function withinDeadline(
  page: Page,
  { clock, timeoutMs }: HandlerWorld,
  run: (isLate: () => boolean) => Promise<HandlerResult>,
): Promise<HandlerResult> {
  const name = page.request.handler
  return new Promise((resolve) => {
    let late = false
    const hold = clock.hold(`handler ${name} of ${page.request.url}`)
    const deadline = clock.at(clock.now() + timeoutMs, () => {
      late = true
      hold[Symbol.dispose]()
      const message = `handler ${name} did not finish within ${formatDuration(timeoutMs)}; find what it waits for, or raise handlerTimeoutMs`
      resolve({ kind: 'failed', failure: failure('AVO_HANDLER_TIMEOUT', message, { phase: 'handler', sent: true }), running })
    })
    const running = run(() => late)
      .catch((error: unknown) => failed(name, error))
      .then((result) => {
        deadline[Symbol.dispose]()
        hold[Symbol.dispose]()
        resolve(result)
      })
  })
}

function failed(handler: string, error: unknown): HandlerResult {
  const known = error instanceof AvocetError
  const code: FailureCode = known && error.code.startsWith('AVO_HANDLER_') ? (error.code as FailureCode) : 'AVO_HANDLER_THREW'
  const message = known ? error.message : `handler ${handler} threw ${messageOf(error)}`
  return { kind: 'failed', failure: failure(code, message, { phase: 'handler', sent: true, cause: error }) }
}
