// What changes a host's visits make, from what they saw: written anew from the description of the watch, as the other half of the judge. It knows nothing of
// stores, crawls or commits.
//
// An item is new when a visit first sees it. It is changed when a page has another value of it, if that page had a third one before, if the page that the value
// is from has lost the item, or if that page lacks it and only this one has it instead, since then or since its visit before. A page that has the same value
// takes the place of one that lacks the item. A page has lost an item when it lacks it in three good visits in a row, or is missing itself so long that its rule
// gives it up. The item is gone when all pages have lost it, and back when it is seen after that. A visit that brings no news (304) repeats the
// page as it was. All pages of the bench are visited again and again, also those that are given up.
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
  /** The page that the value is from, until it has lost the item. */
  readonly from?: string | undefined
  readonly isGone: boolean
  /** Pages that have not lost it, for sure. */
  readonly on: ReadonlyMap<string, Lack>
}

/**
 * Good visits of a page in a row that lacked an item: those that counted for sure, and those that may have counted. `mayBe`: if the page ever had it. `value`:
 * what it had; `isNew`: once only, and another value than the item.
 */
interface Lack {
  readonly lacking: number
  readonly perhaps: number
  readonly mayBe?: true
  readonly value?: string
  readonly isNew?: boolean
}

/** Whether a page has lost an item. */
type Lost = 'sure' | 'perhaps' | 'no'

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
const THERE: Lack = { lacking: 0, perhaps: 0 }

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
    const values = seen.kind === 'same' ? this.#had(page) : seen.values
    const changes: DueChange[] = []
    for (const [key, value] of seen.kind === 'same' ? NONE : values) {
      const item = this.#items.get(key)
      if (item === undefined) changes.push({ kind: 'new', key, after: value, isSure: true })
      else if (item.isGone) changes.push({ kind: 'back', key, before: item.value, after: value, isSure: true })
      else {
        const decides = item.value === value ? 'no' : decidedBy(item, page, value, this.#isGivenUp(item.from ?? ''))
        if (decides !== 'no') changes.push({ kind: 'changed', key, before: item.value, after: value, isSure: decides === 'sure' })
      }
    }
    return [...changes, ...this.#dueGone(page, values, (lack) => lostAfter({ ...lack, lacking: lack.lacking + 1 }))]
  }

  /** The visit was committed, and made these changes; `isSure` false: perhaps it was not, and it made none. */
  keep(page: string, seen: Seen, { at, made, isSure = true }: { at: number; made: ReadonlySet<string>; isSure?: boolean }): void {
    if (seen.kind === 'missing') this.#keepMissing(page, absenceAfter(this.#pages.get(page)?.absence, seen.weight, at, isSure))
    else this.#keepPage(page, seen, isSure)
    for (const key of made) this.#make(key, page, seen)
  }

  #had(page: string): Values {
    return this.#pages.get(page)?.values ?? NONE
  }

  #keepMissing(page: string, absence: Absence): void {
    const isLost = givenUp(absence) === 'sure'
    this.#pages.set(page, { values: isLost ? NONE : this.#had(page), absence })
    if (isLost) for (const [key, item] of this.#lackedBy(page, NONE)) this.#lose(key, item, page)
  }

  #keepPage(page: string, seen: Exclude<Seen, { kind: 'missing' }>, isSure: boolean): void {
    const values = seen.kind === 'same' ? this.#had(page) : seen.values
    for (const [key, item, was] of this.#lackedBy(page, values)) {
      const lack = isSure ? { ...was, lacking: was.lacking + 1, isNew: false } : { ...was, perhaps: was.perhaps + 1 }
      if (lostAfter(lack) === 'sure') this.#lose(key, item, page)
      else this.#items.set(key, { ...item, on: new Map(item.on).set(page, lack) })
    }
    for (const [key, value] of seen.kind === 'same' ? NONE : values) {
      const item = this.#items.get(key)
      if (item === undefined || item.isGone) continue
      const was = item.on.get(page)
      const isNew = value !== item.value && (was === undefined || was.mayBe === true)
      const lack = isSure ? { ...THERE, value, isNew } : (was ?? { ...THERE, mayBe: true })
      const from = isSure && value === item.value && lacksIt(item) === 'sure' ? page : item.from
      this.#items.set(key, { ...item, from, on: new Map(item.on).set(page, lack) })
    }
    if (isSure) this.#pages.set(page, { values })
  }

  #lose(key: string, item: Item, page: string): void {
    const on = new Map([...item.on].filter(([each]) => each !== page))
    this.#items.set(key, { ...item, on, from: item.from === page ? undefined : item.from })
  }

  #make(key: string, page: string, seen: Seen): void {
    const value = seen.kind === 'values' ? seen.values.get(key) : undefined
    const item = this.#items.get(key)
    if (value !== undefined) {
      const on = new Map(item === undefined || item.isGone ? [] : item.on).set(page, { ...THERE, value })
      this.#items.set(key, { value, from: page, isGone: false, on })
    } else if (item !== undefined) this.#items.set(key, { ...item, isGone: true, on: new Map() })
  }

  #lackedBy(page: string, values: Values): (readonly [string, Item, Lack])[] {
    return [...this.#items].flatMap(([key, item]) => {
      const lack = item.on.get(page)
      return lack === undefined || item.isGone || values.has(key) ? [] : [[key, item, lack] as const]
    })
  }

  /** Items that all pages have lost, if this one has. */
  #dueGone(page: string, values: Values, lost: (lack: Lack) => Lost): DueChange[] {
    return this.#lackedBy(page, values).flatMap(([key, { value, on }, lack]): DueChange[] => {
      const others = [...on].filter(([other]) => other !== page)
      const isPossible = others.every(([other, itsLack]) => lostAfter(itsLack) !== 'no' || this.#isGivenUp(other))
      const here = lost(lack)
      if (here === 'no' || !isPossible) return []
      return [{ kind: 'gone', key, before: value, isSure: here === 'sure' && others.length === 0 }]
    })
  }

  #dueMissing(page: string, weight: number, at: number): readonly DueChange[] {
    const absence = absenceAfter(this.#pages.get(page)?.absence, weight, at, true)
    return this.#dueGone(page, NONE, () => givenUp(absence))
  }

  /** Perhaps, or for sure. */
  #isGivenUp(page: string): boolean {
    const absence = this.#pages.get(page)?.absence
    return absence !== undefined && givenUp(absence) !== 'no'
  }
}

/** Whether another value of a page is a change. `isGivenUp`: the page that the value is from, perhaps. */
function decidedBy(item: Item, page: string, value: string, isGivenUp: boolean): Lost {
  const was = item.on.get(page)
  const isOther = was?.value !== undefined && was.value !== value
  if (isOther || item.from === undefined || item.from === page) return 'sure'
  if (isGivenUp) return 'perhaps'
  const lacks = was === undefined || was.mayBe || was.isNew ? lacksIt(item) : 'no'
  const others = [...item.on].filter(([other]) => other !== page && other !== item.from)
  if (others.some(([, lack]) => lostAfter(lack) === 'no')) return 'no'
  return others.length > 0 || was?.mayBe ? (lacks === 'no' ? 'no' : 'perhaps') : lacks
}

/** Whether the page that the value is from lacks the item. */
function lacksIt({ from = '', on }: Item): Lost {
  const { lacking, perhaps } = on.get(from) ?? { lacking: 1, perhaps: 0 }
  if (lacking > 0) return 'sure'
  return perhaps > 0 ? 'perhaps' : 'no'
}

function lostAfter({ lacking, perhaps, mayBe }: Lack): Lost {
  if (lacking >= LACKING_VISITS) return 'sure'
  return mayBe || lacking + perhaps >= LACKING_VISITS ? 'perhaps' : 'no'
}

function givenUp({ visits, perhaps, since, last, seenMs }: Absence): Lost {
  if (visits >= MISSING_VISITS && seenMs >= MISSING_MS + SLACK_MS) return 'sure'
  return visits + perhaps >= MISSING_VISITS && last - since >= MISSING_MS - SLACK_MS ? 'perhaps' : 'no'
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
