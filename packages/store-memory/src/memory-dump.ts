// The memory frontier as a stream of records, and back. Items are numbered without gaps here, and there is one process: a dump with more is refused.
import { AvocetError } from '@avocet/core'
import {
  DUMP_VERSION,
  type DumpCounts,
  type DumpedHost,
  type DumpedRequest,
  type DumpedStore,
  type DumpRecord,
  DumpWatch,
  SCHEMA_SOURCE,
} from '@avocet/core/store'
import type { MemoryHost } from './memory-host.ts'
import { MemoryRequest } from './memory-request.ts'
import type { MemoryItem, MemoryStore } from './memory-store.ts'

/** All records of a store. */
export async function* dumpMemory(store: MemoryStore, about: Omit<DumpedStore, 'type' | 'version'>): AsyncGenerator<DumpRecord> {
  yield { type: 'store', version: DUMP_VERSION, ...about }
  const kinds = new Map<object, string>()
  for (const group of store.handlerErrors.all()) {
    kinds.set(group.error, group.kind)
    yield { type: 'handler-error', ...group }
  }
  const origins = new Map<string, string>()
  for (const { request } of store.requests.toReversed()) origins.set(request.hostKey, new URL(request.url).origin)
  for (const host of store.hosts.values()) yield hostRecord(host, origins.get(host.key) ?? `https://${host.key}`)
  for (const parts of store.crawlMemories()) yield { type: 'memory', parts }
  for (const request of store.requests) yield requestRecord(request, kinds)
  yield* yieldsOf('item', store.items)
  yield* yieldsOf('record', store.records)
  for (const { retried, json, ...reject } of store.rejects.all())
    yield { type: 'reject', ...reject, ...(json !== undefined && { json }), ...(retried && { retried }) }
  const sinks = store.sinks.all()
  for (const record of sinks) yield { type: 'sink', record }
  const [hosts, requests, rejects] = [store.hosts.size, store.requests.length, store.rejects.size]
  yield { type: 'end', hosts, requests, items: store.items.length, records: store.records.length, rejects, sinks: sinks.length }
}

function* yieldsOf(type: 'item' | 'record', all: readonly MemoryItem[]): Iterable<DumpRecord> {
  for (const [index, { requestId, ordinal, visit = 0, json }] of all.entries())
    yield { type, seq: index + 1, requestId, visit, ordinal, json }
}

function hostRecord(host: MemoryHost, origin: string): DumpedHost {
  const { key: hostKey, readyAt, retried, epoch, onProbation, abandoned, retired, memory } = host
  return {
    ...{ type: 'host', hostKey, origin, readyAt, retried, epoch, onProbation, memory: { ...memory } },
    ...(abandoned && { abandoned }),
    ...(retired && { retired }),
  }
}

function requestRecord(stored: MemoryRequest, kinds: ReadonlyMap<object, string>): DumpedRequest {
  const { modifiedAt, again, notBefore: _offered, ...request } = stored.request
  const { id, state, attempts, freeAttempts, notBefore, fetched, visitedIn, reason, blame, target, handlerError } = stored
  const { deaths, earlier, asked, askedBy, page } = stored
  const errorKind = handlerError && kinds.get(handlerError)
  const optional = { notBefore, fetched, reason, blame, target, errorKind, earlier }
  return {
    ...{ type: 'request', ...request, id, state, attempts, freeAttempts },
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    ...(again !== undefined && modifiedAt === undefined && { again }),
    ...(visitedIn > 0 && { visitedIn }),
    ...(deaths > 0 && { deaths }),
    // Of one that was visited once it is the last fetch.
    ...(earlier !== undefined && page !== undefined && { page }),
    ...(asked && { asked: { at: asked.at, ...(askedBy !== undefined && { by: askedBy }) } }),
  }
}

/** Fills an empty store. `keep`: told what the store is, once all of it is there. */
export async function loadMemory(
  store: MemoryStore,
  records: AsyncIterable<DumpRecord>,
  keep: (header: DumpedStore) => void,
): Promise<DumpCounts> {
  if (store.requests.length + store.hosts.size > 0)
    throw unusable('an empty store to load a dump into', 'one that holds a crawl; use a new one')
  const watch = new DumpWatch()
  let header: DumpedStore | undefined
  for await (const record of records) {
    watch.see(record)
    if (record.type === 'store') header = record
    else take(store, record)
  }
  watch.assertEnded()
  if (header !== undefined) keep(header)
  return watch.counts
}

function take(store: MemoryStore, record: DumpRecord): void {
  if (record.type === 'handler-error') store.handlerErrors.copy(record)
  else if (record.type === 'host') takeHost(store, record)
  else if (record.type === 'memory') {
    if (store.crawlMemories().length > 0)
      throw unusable('the memory of one process', 'those of several; load it into another kind')
    store.crawlMemory = { ...record.parts }
  } else if (record.type === 'request') takeRequest(store, record)
  else if (record.type === 'item') {
    if (record.seq !== store.items.length + 1) throw unusable('items without gaps', 'some; load it into another kind')
    store.keepItem(record, record.json)
  } else if (record.type === 'record') store.keepRecord(record, record.json)
  else if (record.type === 'reject') {
    const { type: _type, json, retried = false, ...reject } = record
    store.rejects.copy({ ...reject, retried, ...(reject.source === SCHEMA_SOURCE && json !== undefined && { json }) })
  } else if (record.type === 'sink') store.sinks.keep(record.record)
}

function takeHost(store: MemoryStore, { hostKey, retired, memory, ...record }: DumpedHost): void {
  const host = store.obtain(hostKey)
  const { readyAt, retried, epoch, onProbation, abandoned = false } = record
  Object.assign(host, { readyAt, retried, epoch, onProbation, abandoned, retired, memory: { ...memory } })
}

function takeRequest(store: MemoryStore, record: DumpedRequest): void {
  const { type: _type, id, state, attempts, freeAttempts, notBefore, fetched, visitedIn, ...more } = record
  const { reason, blame, target, errorKind, deaths = 0, earlier, asked, page, ...request } = more
  const parent = request.parentId === undefined ? undefined : store.request(request.parentId)?.request.url
  const stored = new MemoryRequest(id, request, parent)
  const by = asked?.by === undefined ? undefined : store.request(asked.by)?.request.url
  Object.assign(stored, { state, attempts, freeAttempts, notBefore, reason, blame, target, deaths, earlier })
  stored.visitedIn = visitedIn ?? 0
  if (fetched !== undefined) stored.fetched = { at: 0, status: 0, durationMs: 0, wireBytes: 0, ...fetched }
  const isOnePage = earlier === undefined && state === 'done' && fetched?.at !== undefined
  if (page?.at !== undefined) stored.page = { at: page.at, visit: page.visit ?? 0 }
  else if (isOnePage) stored.page = { at: fetched.at ?? 0, visit: 0 }
  if (asked !== undefined) stored.asked = { at: asked.at, ...(by !== undefined && { by }) }
  stored.askedBy = asked?.by
  if (errorKind !== undefined) store.handlerErrors.copyPage(errorKind, stored)
  store.copy(stored)
}

function unusable(expected: string, got: string): AvocetError {
  return new AvocetError('AVO_FRONTIER_UNUSABLE', `expected ${expected}, got ${got}`)
}
