// What a page shows beside what the first pages of its handler showed: it gives what is odd about its items a name.
import type { HandlerPast, KeptPast } from './handler-past.ts'
import { isAmount, isMoney, itemFieldsOf, type Value } from './item-fields.ts'
import { amountsOn, constantsOf, languageIn, latin1, replacedIn, signsOf, type PageSigns } from './page-text.ts'

/** In plain words. */
export type BreakKind =
  | 'field missing'
  | 'wrong element'
  | 'block page'
  | 'empty list'
  | 'other language or currency'
  | 'login wall'
  | 'all values equal'

/** A page as it is judged. */
export interface PageContent {
  readonly id: number
  /** 304: it is as it was. */
  readonly unchanged: boolean
  /** As JSON text, and the key of each where the spider names one. */
  readonly items: readonly string[]
  readonly keys: readonly string[]
  /** Items that the schema refused, and that plugins dropped. */
  readonly rejects: number
  readonly dropped: number
  readonly body: Uint8Array
}

/** What is odd. */
export interface Oddity {
  readonly kind: BreakKind
  /** Absent: the page as a whole. */
  readonly field?: string
  readonly before?: Value | undefined
  readonly after?: Value | undefined
}

/** Whether a page is none of those that were asked for. */
export function blocks({ kind }: Oddity): boolean {
  return kind === 'block page' || kind === 'login wall'
}

/** Whether the page shows it, whatever its items lack. */
export function isOfPage(odd: Oddity): boolean {
  return blocks(odd) || odd.kind === FOREIGN
}

const FOREIGN: BreakKind = 'other language or currency'
/** Pages from which it is learned what pages show. */
const LEARNED_PAGES = 2
const MOST_CONSTANTS = 200
/** A page says in what language it is at its top. */
const HEAD_BYTES = 2_048
/** What is learned of a page that was not there before, or is as it was. */
export function learnSigns({ id, body, items }: PageContent, past: HandlerPast): void {
  const { kept } = past
  const language = languageIn(latin1(body.subarray(0, HEAD_BYTES)))
  if (kept.signs.length > 0 && language !== kept.signs[0]?.language) kept.languages[id] = language
  if (kept.signs.length >= LEARNED_PAGES || items.length === 0) return
  const text = latin1(body)
  const isFirst = kept.signs.length === 0
  const here = constantsOf(text)
  kept.constants = isFirst
    ? here.filter((each) => !past.hasValue(each)).slice(0, MOST_CONSTANTS)
    : kept.constants.filter((each) => here.includes(each))
  const all = Object.entries(itemFieldsOf(items[0] ?? '{}')).filter(([name, value]) => isAmount(name, value))
  const money = all.filter(([name]) => isMoney(name))
  const amounts = money.length > 0 ? money : all
  const found = amounts.length === 0 ? 0 : Math.min(...amounts.map(([, value]) => amountsOn(text, Number(value))))
  kept.found = isFirst ? found : Math.min(kept.found, found)
  kept.signs.push(signsOf(text))
}

/** The text of a page, read when it is asked for. */
export class ShownPage {
  readonly #page: PageContent
  readonly #before: readonly PageSigns[]
  readonly #language: string
  #text: string | undefined

  /** `isKnown`: it was there before. */
  constructor(page: PageContent, { signs, languages }: KeptPast, isKnown: boolean) {
    this.#page = page
    this.#before = signs
    const isMixed = !isKnown && Object.keys(languages).length > 0
    this.#language = isMixed ? '' : (languages[page.id] ?? signs[0]?.language ?? '')
  }

  get text(): string {
    return (this.#text ??= latin1(this.#page.body))
  }

  /** Of a page without items. */
  get empty(): Oddity {
    return this.named({ kind: this.#page.rejects > 0 ? 'field missing' : 'empty list' })
  }

  /** What the page shows, and no page before showed, says more than what is missing on it. */
  named(odd: Oddity): Oddity {
    if (this.#before.length === 0) return odd
    const now = signsOf(this.text)
    if (this.#before.every(({ logins }) => now.logins > logins)) return { ...odd, kind: 'login wall' }
    if (now.block && !this.#before.some(({ block }) => block)) return { ...odd, kind: 'block page' }
    const foreign = this.otherLanguage() ?? this.otherCurrency()
    return foreign === undefined ? odd : { ...foreign, ...odd, kind: foreign.kind }
  }

  /** Than that of the page before; of a page that was not there, than that of all pages. */
  otherLanguage(): Oddity | undefined {
    return this.#other('language', this.#language, () => languageIn(this.text))
  }

  /** Than that of the first pages. */
  otherCurrency(): Oddity | undefined {
    const [before = '', ...others] = new Set(this.#before.map(({ currency }) => currency))
    return others.length > 0 ? undefined : this.#other('currency', before, () => replacedIn(this.text, before))
  }

  #other(sign: string, before: string, ask: () => string | undefined): Oddity | undefined {
    const after = before === '' ? '' : ask()
    return after && after !== before ? { kind: FOREIGN, field: `${sign} of the page`, before, after } : undefined
  }
}
