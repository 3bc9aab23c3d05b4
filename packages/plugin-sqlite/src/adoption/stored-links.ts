// Requests of one store as another one takes them: what the link said, without history.
import { type Fingerprint, type NewRequest, urlOf } from '@avocet/core/store'
import { fillIn, type RequestRow } from '../queue/request-table.ts'

/** A request, and where it leads. */
export interface LinkRow extends RequestRow {
  readonly key: string
  readonly origin: string
  readonly handler: string
}

/** Of `linksOf`. */
export const LINK_COLUMNS = `r.id, r.fingerprint, h.key, h.origin, r.path, r.depth, r.rank, w.word AS handler, r.anchor, e.method, e.headers, e.body, e.data,
  e.hops, e.redirected_from, e.identity`

/** The requests `r` of a schema. `CROSS JOIN` keeps SQLite to the order of the ids, or it would sort all rows for each batch. */
export function linksOf(schema: 'main' | 'replay', first = `${schema}.request r`): string {
  return `${first} CROSS JOIN ${schema}.host h ON h.id = r.host CROSS JOIN ${schema}.handler w ON w.id = r.handler LEFT JOIN ${schema}.extra e ON e.id = r.id`
}

/** What it asks for. */
export function storedLink(row: LinkRow): NewRequest {
  const { fingerprint, key, origin, path, depth, rank, handler } = row
  const request: NewRequest = {
    fingerprint: fingerprint.toString('latin1') as Fingerprint,
    hostKey: key,
    url: urlOf(path, origin),
    handler,
    depth,
    priority: -rank || 0,
  }
  fillIn(request, row)
  return request
}
