// What becomes of the items of a page, between its handler and its commit: the schema first, so that plugins see valid items of its output type; then `onItem`.
//
// Each keeps the place that it has among all that the page yielded. So a place that stays free can be taken later, and an item has the same key whatever
// becomes of its neighbours.
import { messageOf } from '../values/errors.ts'
import { isTapped, type CrawlHooks } from '../hooks/hooks.ts'
import type { NewItem } from '../ports/frontier.ts'
import type { ItemSource } from '../ports/plugin.ts'
import type { NewReject } from '../ports/reject.ts'
import { checkItems, type CheckedItems, type CheckWorld } from './item-check.ts'
import { type FailedPart, inTime } from './run-handler.ts'
import { nextTurn, type Clock } from '../ports/clock.ts'
import { formatDuration } from '../values/duration-text.ts'
import { failure } from '../ports/failure.ts'
import type { Json } from '../values/json.ts'

/** What is left of the items of a page. */
export interface LeftItems {
  readonly kind: 'left'
  readonly items: readonly NewItem[]
  /** What the schema refused. */
  readonly rejects: readonly NewReject[]
  /** What plugins dropped. */
  readonly dropped: number
}

/** Whose items they are. */
type ItemPage = Omit<ItemSource, 'ordinal'>

/** What items go through. */
export interface ItemWorld extends FilterWorld, Omit<CheckWorld, 'schema'> {
  readonly schema: CheckWorld['schema'] | undefined
}

type Through = LeftItems | FailedPart

const NOTHING: LeftItems = { kind: 'left', items: [], rejects: [], dropped: 0 }

/** Those of a document: neither the schema nor a plugin has a say in them. */
export function leftAsTheyAre(yielded: readonly string[]): LeftItems {
  return { kind: 'left', items: yielded.map((json) => ({ json })), rejects: [], dropped: 0 }
}

/** Synchronous where nothing on the way is asynchronous. Never throws, never rejects. */
export function itemsThrough(yielded: readonly string[], page: ItemPage, world: ItemWorld): Through | Promise<Through> {
  const { schema } = world
  if (yielded.length === 0) return NOTHING
  if (schema === undefined) return throughPlugins({ items: yielded.map((json): NewItem => ({ json })), rejects: [] }, page, world)
  const checked = checkItems(yielded, page.request.url, { ...world, schema })
  const goOn = (found: CheckedItems | FailedPart): Through | Promise<Through> =>
    found.kind === 'failed' ? found : throughPlugins(found, page, world)
  return checked instanceof Promise ? checked.then(goOn) : goOn(checked)
}

function throughPlugins(
  { items, rejects }: Pick<LeftItems, 'items' | 'rejects'>,
  page: ItemPage,
  world: ItemWorld,
): LeftItems | Promise<Through> {
  if (items.length === 0 || !isTapped(world.hooks.onItem)) return { kind: 'left', items, rejects, dropped: 0 }
  return filterItems(items, page, world).then((found) => {
    if (found.kind === 'failed') return found
    return { kind: 'left', items: found.items, rejects, dropped: items.length - found.items.length }
  })
}

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
    throughHooks(items, page, { hooks, isLate }),
  )
}

async function throughHooks(
  items: readonly NewItem[],
  page: ItemPage,
  { hooks, isLate }: Pick<FilterWorld, 'hooks'> & { readonly isLate: () => boolean },
): Promise<FilteredItems | FailedPart> {
  try {
    const left: NewItem[] = []
    for (const [index, { json, ordinal = index }] of items.entries()) {
      if (index > 0 && index % ITEMS_A_TURN === 0) await nextTurn()
      if (isLate()) break
      const item = await hooks.onItem.promise(JSON.parse(json) as Json, { ...page, ordinal })
      if (item !== null && item !== undefined) left.push({ json: JSON.stringify(item), ordinal })
    }
    return { kind: 'filtered', items: left }
  } catch (error) {
    return threw(error)
  }
}

/** A plugin threw: the page fails. */
function threw(cause: unknown): FailedPart {
  return { kind: 'failed', failure: failure('AVO_PLUGIN_THREW', messageOf(cause), { phase: 'handler', sent: true, cause }) }
}
