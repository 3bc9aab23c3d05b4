// A store of many hosts and requests, made through the port: a fifth is settled, some failed, some wait for a moment.
import { hash } from 'node:crypto'
import type { CommitUnit, Fingerprint, Frontier, NewRequest, Outcome } from '@avocet/core/store'

const BATCH = 10_000

/** URL number `n`, in runs of a dozen to one of `hosts`. */
function urlOf(n: number, hosts: number): { readonly hostKey: string; readonly url: string } {
  const hostKey = `www.host-${String((Math.floor(n / 12) * 317) % hosts).padStart(5, '0')}.example`
  return { hostKey, url: `https://${hostKey}/articles/a-title-of-some-words-${String(n).padStart(8, '0')}` }
}

function requestOf(n: number, hosts: number): NewRequest {
  const { hostKey, url } = urlOf(n, hosts)
  return {
    url,
    hostKey,
    fingerprint: hash('sha1', url, 'binary').slice(0, 16) as Fingerprint,
    handler: 'start',
    depth: 0,
    priority: 0,
  }
}

/** Fills an open store. */
export async function fill(frontier: Frontier, hosts: number, requests: number): Promise<void> {
  for (let from = 0; from < requests; from += BATCH)
    await frontier.add(Array.from({ length: Math.min(BATCH, requests - from) }, (_, n) => requestOf(from + n, hosts)))
  const now = Date.now()
  for (let done = 0; done < requests / 5;) {
    const { leases } = await frontier.lease({ now, hosts: 500, requestsPerHost: 20 })
    if (leases.length === 0) return
    const units = leases.flatMap((lease) =>
      lease.requests.map((request): CommitUnit => ({
        lease,
        requestId: request.id,
        outcome: outcomeOf(request.id, now),
        links: [],
        items: request.id % 2 === 0 ? [{ json: JSON.stringify({ url: request.url, title: `Page ${request.id}` }) }] : [],
        memory: { core: '[1,{"seq":12345}]' },
      })),
    )
    await frontier.commit(units)
    await frontier.release(leases.map((lease) => ({ lease, rest: { readyAt: now + done, memory: {} } })))
    done += units.length
  }
}

function outcomeOf(id: number, at: number): Outcome {
  const fetched = { at, status: 200, durationMs: 180, wireBytes: 37_000 }
  if (id % 10 === 1) return { kind: 'failed', reason: 'http-404', fetched: { ...fetched, status: 404 } }
  if (id % 10 === 2)
    return { kind: 'retry', at: at + 60_000, counted: true, reason: 'http-503', fetched: { ...fetched, status: 503 } }
  return { kind: 'done', fetched }
}
