// A shop for the contract of watched items: its pages are visited as often as a test wants, with prices by key.
import type { ChangeRecord, CommitResult, CommitUnit, Frontier, HostLease, Leased, NewItem, Outcome } from '@avocet/core/store'
import type { FrontierStore } from './frontier-store.ts'
import { leasedOne, newRequests, unitOf } from './story.ts'

/** A page that shows all of its items; what it lacks twice, it has lost. */
export const SHOWS_ALL = { shows: 'all', goneAfterVisits: 2 } as const

type FetchedPage = NonNullable<Outcome['fetched']>
type Prices = Readonly<Record<string, number>>

interface WatchedShop {
  readonly frontier: Frontier
  readonly lease: HostLease
  /** Visits the page with that id at a moment. */
  visit(id: number, at: number, prices: Prices, more?: Partial<CommitUnit>): Promise<readonly CommitResult[]>
}

/** A host with so many pages, each visited as often as it is wanted; the last ones are of the handler `list`. */
export async function watchedShop(make: () => FrontierStore, pages: number, lists = 0): Promise<WatchedShop> {
  const requests = newRequests(pages).map((each, n) => (n < pages - lists ? each : { ...each, handler: 'list' }))
  const { frontier, lease } = await leasedOne(make, requests)
  const out = new Map(lease.requests.map((request) => [request.id, request]))
  const visit: WatchedShop['visit'] = async (id, at, prices, more = {}) => {
    const refilled = await frontier.refill(lease, 9, at)
    for (const request of refilled.requests) out.set(request.id, request)
    const outcome = { kind: 'done', fetched: fetchedAt(at), again: { at: at + 1, skipped: 0 } } as const
    const page: Leased | undefined = out.get(id)
    out.delete(id)
    const items = pricedItems(prices)
    const unit = {
      items,
      watch: SHOWS_ALL,
      outcome,
      ...more,
      ...(more.held && { items: [], watch: { shows: 'some' as const }, held: { ...more.held, items } }),
    }
    return frontier.commit([unitOf(lease, page, unit)])
  }
  return { frontier, lease, visit }
}

/** Items with these keys and prices. */
export function pricedItems(prices: Prices): NewItem[] {
  return Object.entries(prices).map(([key, price]) => {
    return { json: JSON.stringify({ key, price }), watched: { key, value: JSON.stringify({ price }) } }
  })
}

/** Its items are held. */
export function held(reason: string): Pick<CommitUnit, 'held'> {
  return { held: { items: [], reason } }
}

/** How a page was fetched. */
export function fetchedAt(at: number): FetchedPage {
  return { at, status: 200, durationMs: 1, wireBytes: 1 }
}

/** Its changes, in words: `tea changed 3 4`. */
export async function changesInWords({ reader }: Frontier): Promise<string[]> {
  const priceOf = (fields: ChangeRecord['after']): string => JSON.stringify(fields?.['price'] ?? null).replace('null', '-')
  return (await reader.changes({})).map(({ key, kind, before, after }) => `${key} ${kind} ${priceOf(before)} ${priceOf(after)}`)
}
