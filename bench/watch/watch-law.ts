// What changes a host's visits make, from what they saw: written anew from the description of the watch, as the other half of the judge. It knows nothing of
// stores, crawls or commits.
//
// An item is new when a visit first sees it, changed when its value is another, gone when the page that last had it lacks it in three good visits in a row, or is
// missing itself so long that its rule gives it up, and back when it is seen after that. A visit that brings no news (304) repeats the page as it was.
import { HOUR_MS } from '@avocet/stress/shops'

/** Values by key, each as one canonical text. */
export type Values = ReadonlyMap<string, string>

/** What a visit of a page saw. `missing`: 404 or a permanent redirect, 410 counts twice. */
export type Seen =
  | { readonly kind: 'values'; readonly values: Values }
  | { readonly kind: 'same' }
  | { readonly kind: 'missing'; readonly weight: number }

type ChangeKind = 'new' | 'changed' | 'gone' | 'back'

/** A change, before anybody has published it. */
export interface Change {
  readonly kind: ChangeKind
  readonly key: string
  readonly before?: string | undefined
  readonly after?: string | undefined
}

/** A change that a visit makes. `isSure`: whatever may have been lost before, it must be published now. */
export interface DueChange extends Change {
  readonly isSure: boolean
}

interface Item {
  readonly value: string
  readonly page: string
  readonly isGone: boolean
  /** Good visits of its page in a row that lacked it: those that counted for sure, and those that may have counted. */
  readonly lacking: number
  readonly perhaps: number
}

interface PageState {
  readonly values: Values
  readonly absence?: Absence | undefined
}

/** Visits in a row in which a page was missing. */
interface Absence {
  readonly visits: number
  readonly perhaps: number
  readonly since: number
  readonly last: number
  /** The same, without long times in which nobody looked. */
  readonly seenMs: number
}

const LACKING_VISITS = 3
const MISSING_VISITS = 3
const MISSING_MS = 24 * HOUR_MS
const LONG_MS = 2 * HOUR_MS
/** Moments are those of the answer here, and of the decision there. */
const SLACK_MS = 60_000
const NONE: Values = new Map()

/** What is known of one host. */
export class WatchLaw {
  #items = new Map<string, Item>()
  readonly #pages = new Map<string, PageState>()

  /** Value of an item that is there. */
  valueOf(key: string): string | undefined {
    const item = this.#items.get(key)
    return item === undefined || item.isGone ? undefined : item.value
  }

  /** The changes that this visit makes. Nothing is kept of it. */
  due(page: string, seen: Seen, at: number): readonly DueChange[] {
    if (seen.kind === 'missing') return this.#dueMissing(page, seen.weight, at)
    const values = seen.kind === 'same' ? (this.#pages.get(page)?.values ?? NONE) : seen.values
    const changes: DueChange[] = []
    for (const [key, value] of seen.kind === 'same' ? NONE : values) {
      const item = this.#items.get(key)
      if (item === undefined) changes.push({ kind: 'new', key, after: value, isSure: true })
      else if (item.isGone) changes.push({ kind: 'back', key, before: item.value, after: value, isSure: true })
      else if (item.value !== value) changes.push({ kind: 'changed', key, before: item.value, after: value, isSure: true })
    }
    for (const [key, item] of this.#lackedBy(page, values)) {
      const isSure = item.lacking + 1 >= LACKING_VISITS
      if (isSure || item.lacking + item.perhaps + 1 >= LACKING_VISITS)
        changes.push({ kind: 'gone', key, before: item.value, isSure })
    }
    return changes
  }

  /** The visit was committed, and made these changes; `isSure` false: perhaps it was not, and it made none. */
  keep(page: string, seen: Seen, { at, made, isSure = true }: { at: number; made: ReadonlySet<string>; isSure?: boolean }): void {
    const known = this.#pages.get(page) ?? { values: NONE }
    if (seen.kind === 'missing')
      this.#pages.set(page, { ...known, absence: absenceAfter(known.absence, seen.weight, at, isSure) })
    else this.#keepPage(page, seen.kind === 'same' ? undefined : seen.values, { known, isSure })
    for (const key of made) this.#make(key, page, seen)
  }

  #keepPage(page: string, seen: Values | undefined, { known, isSure }: { known: PageState; isSure: boolean }): void {
    const values = seen ?? known.values
    for (const [key, item] of this.#lackedBy(page, values)) {
      this.#items.set(key, { ...item, ...(isSure ? { lacking: item.lacking + 1 } : { perhaps: item.perhaps + 1 }) })
    }
    if (!isSure) return
    this.#pages.set(page, { values })
    for (const key of values.keys()) {
      const item = this.#items.get(key)
      if (item === undefined || item.isGone || (seen === undefined && item.page !== page)) continue
      this.#items.set(key, { ...item, page, lacking: 0, perhaps: 0 })
    }
  }

  #make(key: string, page: string, seen: Seen): void {
    const value = seen.kind === 'values' ? seen.values.get(key) : undefined
    const item = this.#items.get(key)
    if (value !== undefined) this.#items.set(key, { value, page, isGone: false, lacking: 0, perhaps: 0 })
    else if (item !== undefined) this.#items.set(key, { ...item, isGone: true })
  }

  #lackedBy(page: string, values: Values): (readonly [string, Item])[] {
    return [...this.#items].filter(([key, item]) => item.page === page && !item.isGone && !values.has(key))
  }

  #dueMissing(page: string, weight: number, at: number): readonly DueChange[] {
    const { visits, perhaps, since, seenMs } = absenceAfter(this.#pages.get(page)?.absence, weight, at, true)
    const isSure = visits >= MISSING_VISITS && seenMs >= MISSING_MS + SLACK_MS
    if (!isSure && !(visits + perhaps >= MISSING_VISITS && at - since >= MISSING_MS - SLACK_MS)) return []
    return this.#lackedBy(page, NONE).map(([key, { value }]) => ({ kind: 'gone', key, before: value, isSure }))
  }
}

function absenceAfter(before: Absence | undefined, weight: number, at: number, isSure: boolean): Absence {
  const { visits = 0, perhaps = 0, since = at, last = at, seenMs = 0 } = before ?? {}
  return {
    visits: visits + (isSure ? weight : 0),
    perhaps: perhaps + (isSure ? 0 : weight),
    since,
    last: at,
    seenMs: seenMs + Math.min(at - last, LONG_MS),
  }
}
