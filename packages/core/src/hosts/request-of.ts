// From a request at rest to the request that plugins and handlers see.
import { rendersOf, sessionOf } from '../ports/identity.ts'
import type { Fingerprint, Leased, Request } from '../ports/request.ts'
import { storedJson } from '../ports/stored-json.ts'

/** The request that the frontier handed out, with its JSON read. */
export function requestOf(leased: Leased): Request {
  const { headersJson, dataJson, method, hops, notBefore: _notBefore, parentId: _parentId, ...kept } = leased
  const session = sessionOf(leased.identity)
  return {
    ...kept,
    ...(session !== undefined && { session }),
    ...(rendersOf(leased.identity) && { render: 'browser' as const }),
    method: method ?? 'GET',
    hops: hops ?? 0,
    headers: headersJson === undefined ? {} : (storedJson(headersJson, 'the headers of a request') as Record<string, string>),
    data: dataJson === undefined ? undefined : storedJson(dataJson, 'the data of a request'),
  }
}

/** A request of the crawl's own: known to no frontier, seen by no handler. */
export function requiredRequest(url: string, hostKey: string): Request {
  return {
    id: 0,
    fingerprint: '' as Fingerprint,
    hostKey,
    url,
    method: 'GET',
    headers: {},
    handler: '(required)',
    depth: 0,
    priority: 0,
    attempts: 0,
    freeAttempts: 0,
    hops: 0,
    data: undefined,
  }
}
