// One quota and the crawls on it, event by event on virtual time; and what each of them got.
import { IndexedHeap, type HeapEntry } from '../../packages/core/src/values/indexed-heap.ts'
import { addRateLimitFields, capacityGate } from '../../packages/simulator/src/site-model/capacity.ts'
import type { CapacityLaw } from '../../packages/simulator/src/site-model/capacity-law.ts'
import { seeded } from '../control/seeded.ts'
import type { Contestant, Crawl, Ticket } from './contestants.ts'

/** A limiter, and what it tells. */
export interface Quota {
  readonly law: CapacityLaw
  readonly tells?: 'retry-after' | 'fields'
}

/** What is run. */
export interface Sharing {
  readonly quota: Quota
  readonly contestant: Contestant
  /** When each crawl begins. */
  readonly joinsAtMs: readonly number[]
  readonly forMs: number
  readonly seed: number
}

/** What one crawl got in each second. */
export interface Got {
  readonly served: Uint32Array
  readonly refused: Uint32Array
}

/** Time to answer, refusals too: the median, and how far around it. */
const [LATENCY_MS, LATENCY_SPREAD] = [200, 0.3]
/** The clock of the crawls is epoch ms; that of the gate starts at 0. */
const EPOCH_MS = 1_767_225_600_000

type Event = HeapEntry & { readonly happens: (now: number) => void }

/** Runs it. */
export function shared({ quota, contestant, joinsAtMs, forMs, seed }: Sharing): readonly Got[] {
  const random = seeded(seed)
  const gate = capacityGate(quota.law)
  const events = new IndexedHeap<Event>()
  let heapOrder = 0
  const at = (heapKey: number, happens: Event['happens']): Event => {
    const event = { heapKey, heapOrder: heapOrder++, heapIndex: -1, happens }
    events.push(event)
    return event
  }
  const take = (now: number): { readonly status: number; readonly headers: Record<string, string> } => {
    const waitMs = gate.take(now - EPOCH_MS)
    const headers: Record<string, string> = {}
    const allowance = quota.tells === 'fields' ? gate.allowance?.(now - EPOCH_MS) : undefined
    if (allowance !== undefined) addRateLimitFields(headers, 'draft', { ...allowance, now })
    if (waitMs > 0 && quota.tells === 'retry-after') headers['retry-after'] = String(Math.ceil(waitMs / 1_000))
    return { status: waitMs === 0 ? 200 : 429, headers }
  }
  const joins = (crawl: Crawl, fromMs: number): Got => {
    const got = { served: new Uint32Array(forMs / 1_000), refused: new Uint32Array(forMs / 1_000) }
    let wake: Event | undefined
    const asked = (now: number): void => {
      if (wake !== undefined && wake.heapIndex >= 0) events.remove(wake)
      for (let next = crawl.nextAt(now); ; next = crawl.nextAt(now)) {
        if (next > now) return void (wake = next < Infinity ? at(next, asked) : undefined)
        sent(crawl.send(now), now)
      }
    }
    const sent = (ticket: Ticket, now: number): void => {
      const answer = take(now)
      const counts = answer.status === 200 ? got.served : got.refused
      const second = Math.floor((now - EPOCH_MS) / 1_000)
      counts[second] = (counts[second] ?? 0) + 1
      at(now + LATENCY_MS * (1 + LATENCY_SPREAD * (2 * random() - 1)), (later) => {
        crawl.answered({ ...answer, now: later, ticket })
        asked(later)
      })
    }
    at(EPOCH_MS + fromMs, asked)
    return got
  }
  const all = joinsAtMs.map((fromMs) => joins(contestant(random), fromMs))
  for (let event = events.pop(); event !== undefined && event.heapKey < EPOCH_MS + forMs; event = events.pop())
    event.happens(event.heapKey)
  return all
}
