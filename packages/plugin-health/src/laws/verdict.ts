// What a page is like beside its own past: plain, clearly changed, or odd, and if odd, in which of seven ways.
//
// *plain*: no value has changed that seldom changes. *fresh*: it was not there before, or has items enough that are as they were to bear out the others.
// *clear*: values have changed as values of a healthy page do: an amount that is on the page, by no more than a sale takes off, while the former one is on
// it no more, or only crossed out. *odd*: anything else. The former amount is the strongest witness: a handler that reads another element leaves the right
// one on the page.
import { itemsHash, type FieldValue, type HandlerPast, type PageRecord } from './handler-past.ts'
import { identityOf, isAmount, itemFieldsOf, type ItemFields, type ItemValues, type Value } from './item-fields.ts'
import { blocks, ShownPage, type BreakKind, type Oddity, type PageContent } from './page-evidence.ts'
import { amountsOn } from './page-text.ts'

/** What a page is like. */
export interface PageVerdict {
  readonly as: 'plain' | 'fresh' | 'clear' | 'odd'
  readonly odd?: Oddity
  /** Of a clear page: whether each change is to a value that no other page has; a change of an amount, as a ratio. */
  readonly isSure?: boolean
  readonly ratio?: number | undefined
  /** It leads elsewhere: it may be sold out. */
  readonly hasMoved?: boolean
  /** What it says was not there before; neither was the page. */
  readonly isNew?: boolean
  readonly isFirst?: boolean
  /** It has lost its items, and had few: they may be sold out. */
  readonly isSmall?: boolean
  /** What has changed, or, of a page that was not there before, all. */
  readonly changes?: readonly FieldValue[]
  /** To be kept when it is published. Absent: nothing to keep. */
  readonly record?: PageRecord
}

const PLAIN: PageVerdict = { as: 'plain' }
/** Plugins dropped all of its items: it bears nothing out, and nothing is missing. */
const UNKNOWN: PageVerdict = { as: 'fresh', isNew: true }
/** A page of so many items says something by losing half of them. */
export const FULL = 4
/** Fields that say in which currency an amount is. */
const UNIT = /currency|\(unit\)$/i
/** On a page of several items these bear each other out: so many that are as they were, for each odd one. */
const WITNESSES = 3
/** Prices that go the same way: other products' prices hardly do. */
const SALE = 8
/** Of so many changes of a page one may be unsure. */
const UNSURE = 4
/**
 * Judges a page. `closely`: also by what the page shows where its items are as
 * before.
 */
export function verdictOf(page: PageContent, past: HandlerPast, closely: boolean): PageVerdict {
  const known = past.of(page.id)
  if (page.unchanged) return PLAIN
  if (page.dropped > 0 && page.items.length === 0) return UNKNOWN
  if (known?.[0] === itemsHash(page.items)) return closely ? new Comparison(page, past, []).asBefore() : PLAIN
  const items = page.items.map((text, ordinal): readonly [string, ItemFields] => {
    const fields = itemFieldsOf(text)
    return [page.keys[ordinal] ?? (page.items.length === 1 ? '' : (identityOf(fields) ?? String(ordinal))), fields]
  })
  const record = past.recordOf(page.items, items)
  const [, ...now] = record
  const comparison = new Comparison(page, past, now)
  const verdict = known === undefined ? comparison.ofFirst() : comparison.of(known)
  const judged = verdict.as === 'plain' && closely ? comparison.asBefore() : verdict
  // What a page lost as a whole is not to become its past where it blocks, or where hardly other pages could bear it out.
  const isLost = judged.odd !== undefined && judged.odd.field === undefined && (past.isFew || blocks(judged.odd))
  return isLost ? judged : { ...judged, record }
}

interface Change {
  readonly odd?: Oddity
  readonly ratio?: number
  readonly isSure: boolean
}

interface FieldChange extends Change {
  readonly field: number
  readonly value: Value | null
  readonly was: Value | null
}

class Comparison {
  readonly #past: HandlerPast
  readonly #shown: ShownPage
  readonly #now: readonly ItemValues[]
  readonly #dropped: number
  /** What each item was. */
  #before: readonly (ItemValues | undefined)[] = []

  constructor(page: PageContent, past: HandlerPast, now: readonly ItemValues[]) {
    this.#shown = new ShownPage(page, past.kept, past.of(page.id) !== undefined)
    this.#past = past
    this.#now = now
    this.#dropped = page.dropped
  }

  /** Its items are as they were, which says nothing where their prices are in another currency now. */
  asBefore(): PageVerdict {
    const odd = this.#foreign()
    return odd === undefined ? PLAIN : { as: 'odd', odd }
  }

  /** A page that was not there before: its item may have been on another one. */
  ofFirst(): Omit<PageVerdict, 'record'> {
    const [item, ...others] = this.#now
    const before = item === undefined || item[0] === '' || others.length > 0 ? undefined : this.#past.elsewhere(item[0])
    if (before === undefined) return { ...this.#ofNew(), isFirst: true }
    const verdict = this.of([0, before])
    return verdict.as === 'plain' ? { as: 'fresh' } : verdict
  }

  of([, ...before]: PageRecord): Omit<PageVerdict, 'record'> {
    const now = this.#now
    if (now.length === 0 && before.length > 0) {
      const odd = this.#shown.empty
      // The last page of a list that has become shorter.
      const isSmall = before.length < FULL
      const isRest = odd.kind === 'empty list' && isSmall && this.#past.mostItems > 2 * before.length
      return isRest ? { as: 'fresh' } : { as: 'odd', odd, isSmall }
    }
    const distinct = new Set(now.map(([key]) => key)).size
    if (before.length >= FULL && distinct + this.#dropped < before.length / 2)
      return { as: 'odd', odd: { kind: distinct < now.length / 2 ? 'all values equal' : 'empty list' } }
    this.#before = now.map((item) =>
      now.length === 1 && before.length === 1 ? before[0] : before.find(([key]) => key === item[0]),
    )
    const all = now.flatMap((item, n) => {
      const was = this.#before[n]
      return was === undefined ? [] : [this.#changesOf(was, item)]
    })
    if (all.length === 0) return this.#ofNew()
    const changed = all.filter((changes) => changes.length > 0)
    if (changed.length === 0) return all.length === now.length && all.length === before.length ? PLAIN : { as: 'fresh' }
    const flat = changed.flat()
    const changes = now.length > 1 ? [] : flat.map(({ field, value, was }): FieldValue => [field, value, was])
    const plain = all.length - changed.length
    const left = unexplained(flat, all.length)
    // What is missing says more than what is there instead.
    const odd = left.find(({ kind }) => kind === 'field missing') ?? left[0]
    if (odd !== undefined) return { as: 'odd', odd: this.#shown.named(odd), changes }
    const unlike = this.#foreign()
    if (unlike !== undefined) return { as: 'odd', odd: unlike, changes }
    const isSure = flat.filter((each) => !each.isSure).length * UNSURE <= flat.length
    const ratios = flat.flatMap(({ ratio }) => ratio ?? [])
    const isBorneOut = plain > 0 || (changed.length >= 3 && isSure && areAlike(ratios)) || isSale(ratios)
    return { as: isBorneOut ? 'fresh' : 'clear', isSure, ratio: ratios[0], changes }
  }

  /**
   * What a page says that was never seen before cannot be odd: one of a list may have no items beside pages that have. It is the words of the page, or that the
   * schema refused what it had; the latter once pages were seen again, and so is a currency that no other item has.
   */
  #ofNew(): Omit<PageVerdict, 'record'> {
    const { isFruitful, isLearned } = this.#past
    const odd =
      this.#now.length === 0 && isFruitful ? this.#shown.empty : isLearned ? (this.#otherUnit() ?? this.#constant()) : undefined
    if (odd !== undefined && (blocks(odd) || (isLearned && odd.kind !== 'empty list'))) return { as: 'odd', odd }
    return { as: 'fresh', isNew: true }
  }

  #otherUnit(): Oddity | undefined {
    const [item, ...others] = this.#now
    if (item === undefined || others.length > 0) return undefined
    const { fields } = this.#past.kept
    const field = fields.findIndex(
      (name, n) => UNIT.test(name) && item[n + 1] != null && !this.#past.words.isWord(n, item[n + 1] ?? ''),
    )
    return field < 0
      ? undefined
      : { kind: 'other language or currency', field: fields[field] ?? '', after: item[field + 1] ?? '' }
  }

  /** An amount of its only item that all pages show and no item has, such as what delivery costs. */
  #constant(): Oddity | undefined {
    const [item, ...others] = this.#now
    if (item === undefined || others.length > 0) return undefined
    const [, ...values] = item
    const names = this.#past.kept.fields
    const field = values.findIndex(
      (value, n) => value !== null && isAmount(names[n] ?? '', value) && this.#past.isConstant(value),
    )
    return field < 0 ? undefined : { kind: 'wrong element', field: names[field] ?? '', after: values[field] ?? undefined }
  }

  /** Another language than before, or another currency where no field says which one it is. */
  #foreign(): Oddity | undefined {
    const hasUnit = this.#past.kept.fields.some((name) => UNIT.test(name))
    return this.#shown.otherLanguage() ?? (hasUnit ? undefined : this.#shown.otherCurrency())
  }

  #changesOf(before: ItemValues, [, ...values]: ItemValues): readonly FieldChange[] {
    const changes: FieldChange[] = []
    for (let field = 0; field < values.length; field++) {
      const [was = null, is = null] = [before[field + 1], values[field]]
      if (was !== is && (isAmount(this.#past.kept.fields[field] ?? '', was) || !this.#past.isVolatile(field)))
        changes.push({ field, value: is, was, ...this.#change(field, was, is, values) })
    }
    return changes
  }

  #change(field: number, was: Value | null, is: Value | null, all: readonly (Value | null)[]): Change {
    const name = this.#past.kept.fields[field] ?? ''
    const odd = (kind: BreakKind): Change => ({
      odd: { kind, field: name, before: was ?? undefined, after: is ?? undefined },
      isSure: false,
    })
    if (is === null) return this.#past.lacks(field, all) ? { isSure: true } : odd('field missing')
    if (was === null && this.#past.lacks(field, all)) return odd('wrong element')
    if (UNIT.test(name)) return this.#past.words.isWord(field, is) ? { isSure: true } : odd('other language or currency')
    if (was !== null && typeof was !== typeof is) return odd('wrong element')
    if (this.#past.isConstant(is)) return odd('wrong element')
    // That all is sold out may be a holiday.
    if (!isAmount(name, is) && this.#past.words.isWordy(field)) return { isSure: this.#past.words.isWord(field, is) }
    if (this.#repeats(field, is, was)) return odd('all values equal')
    if (was === null) return { isSure: true }
    if (typeof was === 'number' && typeof is === 'number') return this.#numbers(field, was, is) ?? odd('wrong element')
    return typeof is === 'boolean' || !this.#past.isLearned ? { isSure: true } : odd('wrong element')
  }

  /** Undefined: it is odd. */
  #numbers(field: number, was: number, is: number): Change | undefined {
    const { kept, isLearned } = this.#past
    if (!isAmount(kept.fields[field] ?? '', was) && !isAmount('', is)) return { isSure: true }
    if (is === 0 || (was !== 0 && isLearned && isJump(was, is))) return undefined
    // Where it is what another product costs, it may be read from the wrong place.
    const isSure = this.#others(field, is, was) === 0 && !this.#past.words.isValue(field, is)
    const change = { ratio: was === 0 ? 1 : is / was, isSure }
    // A list has prices of other products, and a change of one of them is borne out by the others.
    if (this.#now.length > 1 || kept.found === 0 || was === 0) return change
    const [former, present] = [amountsOn(this.#shown.text, was), amountsOn(this.#shown.text, is)]
    if (present === 0) return undefined
    const isLeft = former > 0 && !this.#past.isConstant(was) && !(former < kept.found && present >= kept.found)
    return isLeft ? undefined : { ...change, isSure: isSure || amountsOn(this.#shown.text, was, 'crossed out') > 0 }
  }

  /**
   * The same as on pages before that have changed as well, and had others: two products of many may come to cost the same, and all that cost the same do so in
   * a sale. Or as most items of its page.
   */
  #repeats(field: number, value: Value, was: Value | null): boolean {
    const alike = [...this.#now.entries()].filter(([, item]) => item[field + 1] === value)
    const isMany =
      this.#now.length > 1
        ? alike.length >= Math.max(3, this.#now.length * 0.6) &&
          new Set(alike.map(([n]) => this.#before[n]?.[field + 1])).size > 1
        : this.#others(field, value, was) > 1
    return isMany && (typeof value === 'string' || isAmount(this.#past.kept.fields[field] ?? '', value))
  }

  /** Pages before that have changed to the same, from something else. */
  #others(field: number, value: Value, was: Value | null): number {
    return this.#past.pending.filter(([each, is, from]) => each === field && is === value && from !== was).length
  }
}

/** What is odd in a field that less than three items, for each odd one, have as it was. */
function unexplained(changes: readonly FieldChange[], items: number): readonly Oddity[] {
  const byField = Map.groupBy(changes, ({ field }) => field)
  return [...byField.values()].flatMap((each) => {
    const odd = each.flatMap((change) => change.odd ?? [])
    return items - each.length < WITNESSES * odd.length ? odd : []
  })
}

/** A number that changes by more than a sale takes off, -70 %, or the end of one puts on. */
function isJump(before: number, after: number): boolean {
  const ratio = after / before
  return !(ratio > 0.28 && ratio < 3.6)
}

/** A price that changes, other than in a sale. */
export function isSmall(ratio: number): boolean {
  return ratio > 0.75 && ratio < 1.33
}

/** A sale takes the same off each price, or puts it back; other changes are small. */
export function areAlike(ratios: readonly number[]): boolean {
  return ratios.every(isSmall) || Math.max(...ratios) < 1.25 * Math.min(...ratios)
}

/** All prices go down, or up again, whatever other products cost. */
export function isSale(ratios: readonly number[]): boolean {
  return ratios.length >= SALE && (ratios.every((ratio) => ratio < 1) || ratios.every((ratio) => ratio > 1))
}
