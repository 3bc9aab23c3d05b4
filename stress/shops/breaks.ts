// Breaks: a shop answers with status 200, and what its pages say is no longer so. Seven kinds, several ways in which each happens.
//
// These are the exam of whatever is to notice them: nobody who writes that should read this file. A way is one only if no reader of the page's values could
// take it for the truth: a list price in place of the price looks the same as the end of a sale, so it is not here.
import type { Draws } from './draws.ts'
import type { ShopTraits } from './shop-traits.ts'
import type { Look, Shown } from './shown.ts'
import { BLOCKS, WALLS } from './walls.ts'
import type { Span } from './week.ts'

export const BREAK_KINDS = [
  'field-missing',
  'wrong-element',
  'block-page',
  'empty-list',
  'other-currency',
  'login-wall',
  'all-equal',
] as const
export type BreakKind = (typeof BREAK_KINDS)[number]

/** A break of one shop: which, and when. */
export interface BreakSpec extends Span {
  readonly kind: BreakKind
}

/** Where it happens. */
interface BreakGround {
  readonly look: Look
  /** Chance of the product, the same at each visit. */
  readonly own: number
  readonly at: number
  readonly deliveryCents: number
  /** Another product, and the first of the shop, as they are shown now. */
  readonly other: Shown
  readonly first: Shown
}

/** One way in which a break happens. */
export interface BreakWay {
  readonly name: string
  /** What is said of a product. */
  readonly shown?: (shown: Shown, ground: BreakGround) => Shown
  /** What is on a list that has prices. */
  readonly listed?: (all: readonly Shown[]) => readonly Shown[]
  /** The page, whatever it was. */
  readonly instead?: (look: Look) => string | { readonly location: string }
  /** Of its pages; the others are as they were. */
  readonly pages: number
  /** Of its visits. */
  readonly visits: number
}

type Change = NonNullable<BreakWay['shown']>
type Changes = Readonly<Record<string, Change>>

const cents = ({ price }: Shown): number => (typeof price === 'number' ? price : 0)

const NO_OFFER = { price: undefined, currency: undefined, availability: undefined }

const MISSING: Changes = {
  'no price': (shown) => ({ ...shown, price: undefined }),
  'an empty price': (shown) => ({ ...shown, price: '' }),
  'a template that was not filled in': (shown) => ({ ...shown, price: '{{ product.price }}' }),
  'not a number': (shown) => ({ ...shown, price: 'NaN' }),
  'no currency': (shown) => ({ ...shown, currency: undefined }),
  'no availability': (shown) => ({ ...shown, availability: undefined }),
  'no number of the product': (shown) => ({ ...shown, sku: undefined }),
  'no offer': (shown) => ({ ...shown, ...NO_OFFER }),
}

const WRONG: Changes = {
  'the price of a recommended product': (shown, { other }) => ({ ...shown, price: other.price }),
  'what delivery costs': (shown, { deliveryCents, own }) => ({
    ...shown,
    price: own < 0.85 ? deliveryCents : deliveryCents + 1_000,
  }),
  'an instalment of twelve': (shown) => ({ ...shown, price: Math.max(1, Math.round(cents(shown) / 12)) }),
  'an instalment of as many as fit': (shown) => ({
    ...shown,
    price: Math.max(1, Math.round(cents(shown) / (cents(shown) > 20_000 ? 36 : 6))),
  }),
  'the price of 100 grams': (shown, { own }) => ({
    ...shown,
    price: Math.max(1, Math.round((cents(shown) * 100) / (50 + own * 2_000))),
  }),
  'its rating': (shown, { own }) => ({ ...shown, price: 310 + Math.floor(own * 19) * 10 }),
  'how many reviews it has': (shown, { own }) => ({ ...shown, price: Math.ceil(own * own * 400) * 100 }),
  'the price of a pallet': (shown, { own }) => ({
    ...shown,
    price: Math.round(cents(shown) * (24 + Math.floor(own * 4) * 24) * 0.8),
  }),
  'cents for whole units': (shown) => ({ ...shown, price: cents(shown) * 100 }),
}

const CURRENCIES: Changes = {
  'converted to dollars': (shown) => ({
    ...shown,
    price: Math.round(cents(shown) * 1.08),
    currency: shown.currency === 'USD' ? 'EUR' : 'USD',
  }),
  'the number as it was': (shown) => ({ ...shown, currency: shown.currency === 'GBP' ? 'EUR' : 'GBP' }),
  'the Swiss shop': (shown) => ({
    ...shown,
    price: Math.round((cents(shown) * 1.21) / 5) * 5,
    currency: 'CHF',
    availability: '"Verfügbar"',
  }),
  'the Polish shop': (shown) => ({
    ...shown,
    price: Math.round((cents(shown) * 4.3) / 100) * 100 - 1,
    currency: 'PLN',
    availability: '"Dostępny od ręki"',
  }),
  'the Swedish shop, where half is not sold': (shown, { own }) => ({
    ...shown,
    ...{ price: Math.max(1, Math.round((cents(shown) * 11.2) / 1_000)) * 1_000 - 100, currency: 'SEK' },
    ...(own < 0.5 && { availability: 'out-of-stock' as const }),
  }),
}

const EQUAL: Changes = {
  'everything free': (shown) => ({ ...shown, price: 0 }),
  'one cent': (shown) => ({ ...shown, price: 1 }),
  'a placeholder': (shown) => ({ ...shown, price: 999_999 }),
  'the price of the first': (shown, { first }) => ({ ...shown, price: first.price }),
  'the page of the first, from a cache': (_shown, { first }) => first,
  'a default, and nothing in stock': (shown) => ({ ...shown, price: 1_000, availability: 'out-of-stock' }),
  'the price of another, and its state': (shown, { first }) => ({
    ...shown,
    price: first.price,
    availability: first.availability,
  }),
}

const HIDDEN: Pick<BreakWay, 'name' | 'shown'> = {
  name: 'prices for customers alone',
  shown: (shown) => ({ ...shown, ...NO_OFFER, note: '<p><a href="/login" rel="nofollow">Log in</a> to see prices</p>' }),
}

const EMPTY: Readonly<Record<string, NonNullable<BreakWay['listed']>>> = {
  'no results': () => [],
  'cards that a script fills': (all) => all.map(() => ({ name: '' })),
  'the first one alone': (all) => all.slice(0, 1),
}

/** Draws how a break of this kind happens at a shop. */
export function breakWay(kind: BreakKind, traits: ShopTraits, draws: Draws): BreakWay {
  // Half of them are everywhere at once; the others reach some pages, or some visitors.
  const pages = traits.kind === 'lists' || draws.isHit(0.5) ? 1 : draws.between(0.75, 1)
  const everywhere = { pages, visits: 1 }
  if (kind === 'empty-list') {
    const [name, listed] = draws.pick(Object.entries(EMPTY))
    return { ...everywhere, name, listed }
  }
  if (kind === 'block-page') {
    const [name, instead] = draws.pick(Object.entries(BLOCKS))
    return { name, instead, pages: 1, visits: draws.isHit(0.5) ? 1 : draws.between(0.7, 1) }
  }
  if (kind !== 'login-wall') {
    const [name, shown] = draws.pick(Object.entries(CHANGES[kind]))
    return { ...everywhere, name, shown }
  }
  if (draws.isHit(0.25)) return { ...everywhere, ...HIDDEN }
  const [name, instead] = draws.isHit(0.3)
    ? (['a redirect to the login', () => ({ location: '/login' })] as const)
    : draws.pick(Object.entries(WALLS))
  return { name, instead, pages: 1, visits: 1 }
}

const CHANGES: Readonly<Record<'field-missing' | 'wrong-element' | 'other-currency' | 'all-equal', Changes>> = {
  ...{ 'field-missing': MISSING, 'wrong-element': WRONG, 'other-currency': CURRENCIES, 'all-equal': EQUAL },
}
