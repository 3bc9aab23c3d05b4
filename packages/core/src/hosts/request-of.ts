// From a request at rest to the request that plugins and handlers see.
import { rendersOf, sessionOf } from '../ports/identity.ts'
import type { Fingerprint, Leased, Request } from '../ports/request.ts'
import { storedJson } from '../ports/stored-json.ts'

/** The request that the frontier handed out, with its JSON read. Field by field, absent ones as well, so that V8 knows one shape of request. */
export function requestOf(leased: Leased): Request & Pick<Leased, 'was'> {
  const { headersJson, dataJson, identity } = leased
  return {
    id: leased.id,
    fingerprint: leased.fingerprint,
    hostKey: leased.hostKey,
    url: leased.url,
    method: leased.method ?? 'GET',
    headers: headersJson === undefined ? {} : (storedJson(headersJson, 'the headers of a request') as Record<string, string>),
    body: leased.body,
    handler: leased.handler,
    depth: leased.depth,
    priority: leased.priority,
    attempts: leased.attempts,
    freeAttempts: leased.freeAttempts,
    parent: leased.parent,
    anchorText: leased.anchorText,
    hops: leased.hops ?? 0,
    redirectedFrom: leased.redirectedFrom,
    knownAs: leased.knownAs,
    data: dataJson === undefined ? undefined : storedJson(dataJson, 'the data of a request'),
    identity,
    session: sessionOf(identity),
    render: rendersOf(identity) ? 'browser' : undefined,
    again: leased.again,
    earlier: leased.earlier,
    was: leased.was,
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
