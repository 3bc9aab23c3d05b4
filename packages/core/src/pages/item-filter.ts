// Shows the items of one page to the plugins, one after the other in array order, within a deadline. All or nothing, like the handler before.
//
// A plugin that waits for nothing would have the event loop to itself for all of them: 99,000 small items took 190 ms.
import { nextTurn, type Clock } from '../clock.ts'
import { messageOf } from '../errors.ts'
import { failure } from '../failure.ts'
import type { CrawlHooks } from '../hooks/hooks.ts'
import type { Json } from '../json.ts'
import type { Request } from '../request.ts'
import type { HandlerResult } from './handler-run.ts'

/** Shown in one turn of the event loop: some 2 ms, beside what the plugins do. */
const ITEMS_A_TURN = 1_000

/** What the items are shown to, and for how long. */
export interface FilterParts {
  readonly hooks: CrawlHooks
  readonly clock: Clock
  readonly timeoutMs: number
}

/** The items that plugins left, changed or not. Never rejects. */
export function filterItems(
  items: readonly string[],
  request: Request,
  { hooks, clock, timeoutMs }: FilterParts,
): Promise<HandlerResult> {
  return new Promise((resolve) => {
    const hold = clock.hold(`onItem of ${request.url}`)
    const message = `onItem did not finish within ${timeoutMs} ms; find the plugin that waits, or raise handlerTimeoutMs`
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
  { hooks, isLate }: Pick<FilterParts, 'hooks'> & { readonly isLate: () => boolean },
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
