// Shows the items of a page to `onItem` of the plugins, one after the other in array order, within a deadline.
import { nextTurn, type Clock } from '../clock.ts'
import { formatDuration } from '../duration-text.ts'
import { messageOf } from '../errors.ts'
import { failure } from '../failure.ts'
import type { CrawlHooks } from '../hooks/hooks.ts'
import type { Json } from '../json.ts'
import type { NewItem } from '../frontier.ts'
import type { Request } from '../request.ts'
import { inTime, type FailedPart } from './in-time.ts'

/** Shown in one turn of the event loop: some 2 ms, beside what the plugins do. */
const ITEMS_A_TURN = 1_000

/** What the items are shown to, and for how long. */
export interface FilterWorld {
  readonly hooks: CrawlHooks
  readonly clock: Clock
  readonly timeoutMs: number
}

/** Items that plugins left. */
export interface FilteredItems {
  readonly kind: 'filtered'
  readonly items: readonly NewItem[]
}

/** The items that plugins left, changed or not, at their places. Never rejects. */
export function filterItems(
  items: readonly NewItem[],
  request: Request,
  { hooks, clock, timeoutMs }: FilterWorld,
): Promise<FilteredItems | FailedPart> {
  const message = `onItem did not finish within ${formatDuration(timeoutMs)}; find the plugin that waits, or raise handlerTimeoutMs`
  const late = { code: 'AVO_PLUGIN_TIMEOUT', message } as const
  return inTime({ clock, timeoutMs, what: `onItem of ${request.url}`, late }, (isLate) =>
    throughPlugins(items, request, { hooks, isLate }),
  )
}

async function throughPlugins(
  items: readonly NewItem[],
  request: Request,
  { hooks, isLate }: Pick<FilterWorld, 'hooks'> & { readonly isLate: () => boolean },
): Promise<FilteredItems | FailedPart> {
  try {
    const left: NewItem[] = []
    for (const [index, { json, ordinal = index }] of items.entries()) {
      if (index > 0 && index % ITEMS_A_TURN === 0) await nextTurn()
      if (isLate()) break
      const item = await hooks.onItem.promise(JSON.parse(json) as Json, { request, ordinal })
      if (item !== null && item !== undefined) left.push({ json: JSON.stringify(item), ordinal })
    }
    return { kind: 'filtered', items: left }
  } catch (error) {
    return {
      kind: 'failed',
      failure: failure('AVO_PLUGIN_THREW', messageOf(error), { phase: 'handler', sent: true, cause: error }),
    }
  }
}
