// Rejects in RAM: by place, each once a source. Those of sinks refer to an item, those of the schema are none.
import {
  type CommitUnit,
  HELD_SOURCE,
  type NewItem,
  keptReason,
  MAX_REJECT_GROUPS,
  type NewReject,
  type NewRequest,
  OTHER_REASONS,
  type RejectGroup,
  rejectGroupOf,
  type RejectQuery,
  type RejectRecord,
  SCHEMA_SOURCE,
  type SinkReject,
} from '@avocet/core/store'

/** The place of an item. */
export interface ItemPlace {
  readonly requestId: number
  readonly visit: number
  readonly ordinal: number
}

/** The items and requests of the store. */
interface Known {
  itemAt(place: ItemPlace): { readonly seq: number; readonly json: string } | undefined
  request(id: number): { readonly request: Pick<NewRequest, 'url' | 'hostKey' | 'handler'> } | undefined
}

/** A reject in RAM. */
export interface MemoryReject extends ItemPlace {
  readonly id: number
  readonly source: string
  /** Of rejects of the schema, of what is held, and of changes. */
  readonly json?: string
  /** Of what is held. */
  readonly watched?: NewItem['watched']
  readonly reason: string
  readonly at: number
}

/** The rejects of one store. */
export class MemoryRejects {
  /** Of each request, by place and source. */
  readonly #ofRequest = new Map<number, Map<string, MemoryReject>>()
  readonly #byId = new Map<number, MemoryReject>()
  #lastId = 0
  readonly #store: Known

  constructor(store: Known) {
    this.#store = store
  }

  get size(): number {
    return this.#byId.size
  }

  /**
   * What the schema refused of a page, once its items are there: an item keeps its place, and takes that of a reject. A visit that yields anything takes
   * the place of those before it.
   */
  commit(page: Omit<ItemPlace, 'ordinal'>, { items, rejects = [] }: Pick<CommitUnit, 'items' | 'rejects'>): void {
    if (items.length + rejects.length === 0) return
    for (const each of this.#ofRequest.get(page.requestId)?.values() ?? []) {
      const isPast = each.visit < page.visit || this.#store.itemAt(each) !== undefined
      if (isPast && each.source === SCHEMA_SOURCE) this.#drop(each)
    }
    for (const reject of rejects) this.#keepOfSchema(page, reject)
  }

  /** Items of a page are held. */
  hold(page: Omit<ItemPlace, 'ordinal'> & { readonly at: number }, { items, reason }: NonNullable<CommitUnit['held']>): void {
    const { requestId, visit, at } = page
    for (const [n, { json, ordinal = n, watched }] of items.entries())
      this.#keep({ ...{ source: HELD_SOURCE, requestId, visit, ordinal, json, reason: keptReason(reason), at }, watched })
  }

  /** A page was visited and is not held: it takes the place of its earlier visits that are, and of what is held of the items that it shows. */
  replaceHeld({ hostKey, requestId }: { readonly hostKey: string; readonly requestId: number }, items: readonly NewItem[]): void {
    if (this.size === 0) return
    const keys = new Set(items.flatMap(({ watched }) => watched?.key ?? []))
    for (const each of this.#heldOf(hostKey))
      if (each.requestId === requestId || (each.watched && keys.has(each.watched.key))) this.#drop(each)
  }

  /** What is held of a host, or of a handler there, oldest first; it is held no longer. */
  takeHeld(hostKey: string, handler?: string): readonly MemoryReject[] {
    const isOf = (id: number): boolean => handler === undefined || this.#store.request(id)?.request.handler === handler
    const all = this.#heldOf(hostKey).filter(({ requestId }) => isOf(requestId))
    for (const each of all) this.#drop(each)
    return all
  }

  #heldOf(hostKey: string): readonly MemoryReject[] {
    const all = [...this.#byId.values()].filter(({ source }) => source === HELD_SOURCE)
    return all.filter(({ requestId }) => this.#store.request(requestId)?.request.hostKey === hostKey)
  }

  /** Whether a sink refused the item at a place. */
  hasOfSink({ requestId, visit, ordinal }: ItemPlace): boolean {
    const all = [...(this.#ofRequest.get(requestId)?.values() ?? [])]
    return all.some((each) => each.json === undefined && each.visit === visit && each.ordinal === ordinal)
  }

  /** Returns how many were not there before. */
  setAside(rejects: readonly SinkReject[]): number {
    const before = this.size
    for (const { source, requestId, visit, ordinal, json, reason, at } of rejects) {
      const place = { requestId, visit, ordinal }
      if (json === undefined && this.#store.itemAt(place) === undefined) continue
      this.#keep({ source, ...place, ...(json !== undefined && { json }), reason: keptReason(reason), at })
    }
    return this.size - before
  }

  forget(ids: readonly number[]): number {
    return ids.filter((id) => this.#drop(this.#byId.get(id))).length
  }

  list({ source, hostKey, afterId = 0, limit = Infinity }: RejectQuery): RejectRecord[] {
    const found: RejectRecord[] = []
    for (const reject of this.#byId.values()) {
      if (found.length >= limit) break
      if (reject.id <= afterId || (source !== undefined && source !== reject.source)) continue
      const record = this.#recordOf(reject)
      if (hostKey === undefined || hostKey === record.hostKey) found.push(record)
    }
    return found
  }

  groups(): RejectGroup[] {
    const groups = new Map<string, { source: string; reason: string; count: number; url: string }>()
    for (const { source, reason, requestId } of this.#byId.values()) {
      const kind = rejectGroupOf(reason)
      const group = groups.get(`${source} ${kind}`) ?? { source, reason, count: 0, url: this.#urlOf(requestId) }
      group.count++
      groups.set(`${source} ${kind}`, group)
    }
    return listed([...groups.values()].sort((a, b) => b.count - a.count))
  }

  #keepOfSchema(page: Omit<ItemPlace, 'ordinal'>, { ordinal, json, reason, at }: NewReject): void {
    const place = { ...page, ordinal }
    if (this.#store.itemAt(place) === undefined) this.#keep({ source: SCHEMA_SOURCE, ...place, json, reason, at })
  }

  #keep(reject: Omit<MemoryReject, 'id'>): void {
    const key = keyOf(reject)
    const ofRequest = this.#ofRequest.get(reject.requestId) ?? new Map<string, MemoryReject>()
    const kept = { ...reject, id: ofRequest.get(key)?.id ?? ++this.#lastId }
    this.#ofRequest.set(reject.requestId, ofRequest.set(key, kept))
    this.#byId.set(kept.id, kept)
  }

  #drop(reject: MemoryReject | undefined): boolean {
    if (reject === undefined) return false
    const ofRequest = this.#ofRequest.get(reject.requestId)
    ofRequest?.delete(keyOf(reject))
    if (ofRequest?.size === 0) this.#ofRequest.delete(reject.requestId)
    return this.#byId.delete(reject.id)
  }

  #recordOf({ id, source, requestId, visit, ordinal, json, reason, at }: MemoryReject): RejectRecord {
    const { url = '', hostKey = '', handler = '' } = this.#store.request(requestId)?.request ?? {}
    const item =
      source === SCHEMA_SOURCE || source === HELD_SOURCE ? undefined : this.#store.itemAt({ requestId, visit, ordinal })
    const page = { requestId, url, hostKey, handler, visit, ordinal }
    return {
      id,
      source,
      ...page,
      ...(item && { seq: item.seq }),
      json: json ?? item?.json ?? '',
      reason,
      at,
    }
  }

  #urlOf(requestId: number): string {
    return this.#store.request(requestId)?.request.url ?? ''
  }
}

/** The first of them one by one, the others as one a source. */
function listed(groups: readonly RejectGroup[]): RejectGroup[] {
  const others = Map.groupBy(groups.slice(MAX_REJECT_GROUPS), ({ source }) => source)
  const rest = [...others].map(([source, all]) => {
    const count = all.reduce((sum, each) => sum + each.count, 0)
    return { source, reason: OTHER_REASONS, count, url: all[0]?.url ?? '' }
  })
  return [...groups.slice(0, MAX_REJECT_GROUPS), ...rest]
}

function keyOf({ source, visit, ordinal }: Omit<MemoryReject, 'id'>): string {
  return `${visit}/${ordinal}/${source}`
}
