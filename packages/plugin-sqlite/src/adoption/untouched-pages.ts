// Pages of the store that keep their items, and why: what a replay did not settle anew.
import { pluginOf, urlOf } from '@avocet/core/store'
import type { Database } from '../file/driver.ts'
import { batchesById } from './id-batches.ts'

/**
 * `handler-gone`: the spider has no handler of that name any more. `earlier-only`: the response of its last visit is not kept, only an earlier one.
 * `failed-since`: its last visit had no page (404, a redirect). `out-of-scope`: it does not belong to the crawl today. `not-kept`: there is no response.
 */
export type WhyUntouched = 'handler-gone' | 'earlier-only' | 'failed-since' | 'out-of-scope' | 'not-kept'

/** A page that keeps its items. */
export interface UntouchedPage {
  readonly url: string
  readonly hostKey: string
  readonly depth: number
  readonly handler: string
  readonly why: WhyUntouched
}

/** What decides on it. */
export interface Today {
  /** Names of the handlers of the spider. */
  readonly handlers: readonly string[]
  isInScope(page: Pick<UntouchedPage, 'url' | 'hostKey' | 'depth'>): boolean
}

interface UntouchedRow {
  readonly id: number
  readonly path: string
  readonly origin: string
  readonly key: string
  readonly depth: number
  readonly handler: string
  readonly state: number
  readonly outdated: number
}

/** After `adoptPages`. */
const UNTOUCHED = `SELECT r.id, r.path, h.origin, h.key, r.depth, w.word AS handler, b.state, EXISTS (SELECT 1 FROM temp.outdated o WHERE o.id = r.id) AS outdated
  FROM main.attempt b CROSS JOIN main.request r ON r.id = b.id CROSS JOIN main.host h ON h.id = r.host CROSS JOIN main.handler w ON w.id = r.handler
  WHERE b.id > ? AND NOT EXISTS (SELECT 1 FROM temp.settled_anew s WHERE s.id = b.id)
    AND (b.state = 1 OR (b.state > 1 AND EXISTS (SELECT 1 FROM main.item i WHERE i.request = b.id))) ORDER BY b.id LIMIT ?`

/** Each of them, in the order in which they were found. */
export function* untouchedPages(db: Database, today: Today): Generator<UntouchedPage> {
  const handlers = new Set(today.handlers)
  const query = db.prepare<unknown[], UntouchedRow>(UNTOUCHED)
  const batches = batchesById(
    (after, limit) => query.all(after, limit),
    ({ id }) => id,
  )
  for (const rows of batches) {
    for (const { path, origin, key: hostKey, depth, handler, state, outdated } of rows) {
      const page = { url: urlOf(path, origin), hostKey, depth, handler }
      // A document of a plugin has no items.
      if (!handlers.has(handler) && pluginOf(handler) !== undefined) continue
      if (state !== 1) yield { ...page, why: 'failed-since' }
      else if (outdated === 1) yield { ...page, why: 'earlier-only' }
      else if (!handlers.has(handler)) yield { ...page, why: 'handler-gone' }
      else yield { ...page, why: today.isInScope(page) ? 'not-kept' : 'out-of-scope' }
    }
  }
}
