// Shows the items of a page to `onItem` of the plugins, one after the other in array order, within a deadline.
import { nextTurn, type Clock } from '../ports/clock.ts'
import { formatDuration } from '../values/duration-text.ts'
import { messageOf } from '../values/errors.ts'
import { failure } from '../ports/failure.ts'
import type { CrawlHooks } from '../hooks/hooks.ts'
import type { Json } from '../values/json.ts'
import type { NewItem } from '../ports/frontier.ts'
import { inTime, type FailedPart } from './in-time.ts'
import { NO_TABLE, type ItemPage } from '../hosts/plugin-tables.ts'

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
  page: ItemPage,
  { hooks, clock, timeoutMs }: FilterWorld,
): Promise<FilteredItems | FailedPart> {
  const message = `onItem did not finish within ${formatDuration(timeoutMs)}; find the plugin that waits, or raise handlerTimeoutMs`
  const late = { code: 'AVO_PLUGIN_TIMEOUT', message } as const
  return inTime({ clock, timeoutMs, what: `onItem of ${page.request.url}`, late }, (isLate) =>
    throughPlugins(items, page, { hooks, isLate }),
  )
}

async function throughPlugins(
  items: readonly NewItem[],
  page: ItemPage,
  { hooks, isLate }: Pick<FilterWorld, 'hooks'> & { readonly isLate: () => boolean },
): Promise<FilteredItems | FailedPart> {
  try {
    const left: NewItem[] = []
    for (const [index, { json, ordinal = index }] of items.entries()) {
      if (index > 0 && index % ITEMS_A_TURN === 0) await nextTurn()
      if (isLate()) break
      const item = await hooks.onItem.promise(JSON.parse(json) as Json, { ...page, ordinal, table: NO_TABLE })
      if (item !== null && item !== undefined) left.push({ json: JSON.stringify(item), ordinal })
    }
    return { kind: 'filtered', items: left }
  } catch (error) {
    return threw(error)
  }
}

/** A plugin threw: the page fails. */
export function threw(cause: unknown): FailedPart {
  return { kind: 'failed', failure: failure('AVO_PLUGIN_THREW', messageOf(cause), { phase: 'handler', sent: true, cause }) }
}
