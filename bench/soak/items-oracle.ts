// Holds the items to what the pages said: every price that a visit saw, once, in its order, and no other.
//
// A visit whose process dies before the commit is made again later, when the page may say something else: such a price may be missing.
import type { ItemRecord } from '@avocet/core/store'
import type { SiteModel } from '@avocet/simulator'
import { momentOf, type Findings } from './findings.ts'
import type { PageLife } from './page-life.ts'
import type { SoakOffer } from './soak-spider.ts'

/** A commit is written at once when little is under way, and within this otherwise. */
const COMMITTED_MS = 60_000

interface Seen {
  readonly price: number
  readonly atMs: number
  /** Whether the process lived on long enough to have it written. */
  sure: boolean
}

/** Keeps what the products cost when they were looked at. */
export class ItemsOracle {
  readonly #model: SiteModel
  readonly #findings: Findings
  readonly #seen = new Map<PageLife, Seen[]>()
  /** What the answer under way at each page says. */
  readonly #answers = new Map<PageLife, Seen>()
  /** Answers since the last moment at which everything was written. */
  #unwritten: Seen[] = []

  constructor(model: SiteModel, findings: Findings) {
    this.#model = model
    this.#findings = findings
  }

  /** The headers of a good answer have come: the price is the one of the moment at which the page was asked for. */
  answered(page: PageLife, { nowMs, sentMs }: { nowMs: number; sentMs: number }): void {
    const price = this.#model.expected.products(page.host, sentMs)[page.product ?? 0]?.price
    if (price !== undefined) this.#answers.set(page, { price, atMs: nowMs, sure: true })
  }

  /** The body is complete. */
  served(page: PageLife): void {
    const seen = this.#answers.get(page)
    if (seen === undefined) return
    this.#answers.delete(page)
    if (this.#unwritten.length > 10_000) this.#forgetWritten(seen.atMs - COMMITTED_MS)
    this.#unwritten.push(seen)
    const before = this.#seen.get(page) ?? []
    const last = before.at(-1)
    // The same as the one before, if that is sure, leaves no item.
    if (last?.price === seen.price && last.sure && last.atMs < seen.atMs - COMMITTED_MS) return
    before.push(seen)
    this.#seen.set(page, before)
  }

  /** A process died or lost its hosts: what was answered since `sinceMs` (or a minute ago) may not be written. */
  disturbed(nowMs: number, sinceMs: number = nowMs): void {
    for (const seen of this.#unwritten) if (seen.atMs >= Math.min(nowMs, sinceMs) - COMMITTED_MS) seen.sure = false
  }

  /** Compares with all items of the store. */
  compare(items: readonly ItemRecord[], pages: ReadonlyMap<string, PageLife>): void {
    const found = new Map<string, number[]>()
    const keys = new Set<string>()
    for (const { requestId, visit = 0, ordinal, json } of items) {
      const key = `${String(requestId)} ${String(visit)} ${String(ordinal)}`
      const { url, price } = JSON.parse(json) as SoakOffer
      if (keys.has(key)) this.#findings.add('item twice', 'by (request, visit, ordinal)', `${url}: ${key}`)
      keys.add(key)
      const prices = found.get(url)
      if (prices === undefined) found.set(url, [price])
      else prices.push(price)
    }
    for (const page of pages.values()) if (page.product !== undefined) this.#comparePage(page, found.get(page.url) ?? [])
  }

  #comparePage(page: PageLife, found: readonly number[]): void {
    const seen = this.#seen.get(page) ?? []
    if (canBe(found, seen)) return
    const isSame =
      found.length === new Set(found.map((price, n) => `${String(price)} ${String(found.indexOf(price) === n)}`)).size
    const words = seen.slice(0, 8).map(({ price, atMs, sure }) => `${String(price)}${sure ? '' : '?'} at ${momentOf(atMs)}`)
    const about = found.some((price, n) => price === found[n - 1])
      ? 'a price twice'
      : isSame
        ? 'other prices than were seen'
        : 'prices in another order'
    this.#findings.add('items', about, `${page.url}: found ${found.slice(0, 8).join(' ')}, seen ${words.join(', ')}`)
  }

  #forgetWritten(beforeMs: number): void {
    this.#unwritten = this.#unwritten.filter(({ atMs }) => atMs >= beforeMs)
  }
}

/** Whether the items are those of `seen`, less some that are not sure, with no price twice in a row. */
function canBe(found: readonly number[], seen: readonly Seen[]): boolean {
  // How many items can be explained after each entry; several where an entry is not sure.
  let places = new Set([0])
  for (const { price, sure } of seen) {
    const next = new Set<number>()
    for (const place of places) {
      // The page was as the last item has it: no item.
      if (place > 0 && found[place - 1] === price) next.add(place)
      else if (found[place] === price) next.add(place + 1)
      if (!sure) next.add(place)
    }
    places = next
  }
  return places.has(found.length)
}
