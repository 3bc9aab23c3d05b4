// What becomes of the items of a page, between its handler and its commit: the schema first, so that plugins see valid items of its output type; then `onItem`.
//
// Each keeps the place that it has among all that the page yielded. So a place that stays free can be taken later, and an item has the same key whatever
// becomes of its neighbours.
import { AvocetError } from '../values/errors.ts'
import { isTapped } from '../hooks/hooks.ts'
import type { NewItem } from '../ports/frontier.ts'
import type { NewReject } from '../ports/reject.ts'
import { checkItems, type CheckedItems, type CheckWorld } from './item-check.ts'
import { filterItems, threw, type FilterWorld } from './item-filter.ts'
import type { FailedPart } from './in-time.ts'
import type { ItemPage, PluginTables } from '../hosts/plugin-tables.ts'

/** What is left of the items of a page. */
export interface LeftItems {
  readonly kind: 'left'
  readonly items: readonly NewItem[]
  /** What the schema refused. */
  readonly rejects: readonly NewReject[]
  /** What plugins dropped. */
  readonly dropped: number
}

/** The store gave no rows for them: that is no fault of the page or of a plugin. */
interface UnreadRows {
  readonly kind: 'unread'
}

/** What items go through. */
export interface ItemWorld extends FilterWorld, Omit<CheckWorld, 'schema'> {
  readonly schema: CheckWorld['schema'] | undefined
  readonly tables: PluginTables
}

type Through = LeftItems | FailedPart | UnreadRows

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
  const filter = (): Promise<LeftItems | FailedPart> =>
    filterItems(items, page, world).then((found) => {
      if (found.kind === 'failed') return found
      return { kind: 'left', items: found.items, rejects, dropped: items.length - found.items.length }
    })
  return world.tables.isUsed ? world.tables.take(items, page).then(filter, untaken) : filter()
}

function untaken(error: unknown): FailedPart | UnreadRows {
  return error instanceof AvocetError && error.code.startsWith('AVO_FRONTIER_') ? { kind: 'unread' } : threw(error)
}
