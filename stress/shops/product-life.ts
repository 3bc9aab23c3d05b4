// The truth about one product: what it costs and whether it can be bought at each moment, when it is in the shop, and where its page is.
import type { Availability } from '@avocet/extract'
import type { Draws } from './draws.ts'
import type { ShopTraits } from './shop-traits.ts'
import { DAY_MS, HOUR_MS, momentsIn, type Span } from './week.ts'

/** What a shop offers. One object for as long as nothing about it changes. */
export interface Offer {
  readonly cents: number
  readonly currency: string
  readonly availability: Availability
}

/** A moment at which a shop prices many products at once. */
export interface Burst {
  readonly at: number
  /** On all prices from then on; absent: each product takes a step of its own. */
  readonly factor?: number
  /** Of the products. */
  readonly share: number
  /** The shop takes so long. */
  readonly spreadMs: number
}

/** What happens to all products of a shop. */
export interface ShopEvents {
  readonly bursts: readonly Burst[]
  /** Nothing can be bought then. */
  readonly closed: readonly Span[]
}

/** A product, from the beginning of the world to its end. */
export interface ProductLife {
  readonly sku: string
  readonly name: string
  /** Undefined while the shop does not have it. */
  at(ms: number): Offer | undefined
  /** Since when that is so. */
  changedAt(ms: number): number
  /** When the shop first has it; Infinity: never. */
  readonly cameAt: number
  /** Paths of its page, each from a moment on; the first from the beginning. */
  readonly paths: readonly (readonly [fromMs: number, path: string])[]
}

/** Products that come, and that go, in a week; of the latter that come back. */
const COMES = 0.08
const GOES = 0.1
const RETURNS = 0.5
/** Products whose page gets another address in a week. */
const MOVES = 0.02
const WORDS = [
  'Amber',
  'Basil',
  'Cedar',
  'Dune',
  'Ember',
  'Fjord',
  'Grove',
  'Harbour',
  'Iris',
  'Juniper',
  'Kelp',
  'Linden',
  'Moss',
]
const THINGS = [
  'Lamp',
  'Kettle',
  'Chair',
  'Blanket',
  'Teapot',
  'Backpack',
  'Headphones',
  'Drill',
  'Bicycle',
  'Notebook',
  'Jacket',
]

/** What happens to one product, and how it is after it. */
interface Turn {
  readonly at: number
  readonly to: (state: State) => State
}
interface State {
  /** Its price without a factor of the shop. */
  readonly cents: number
  readonly factor: number
  readonly availability: Availability
  readonly isClosed: boolean
  readonly isThere: boolean
}

/** Draws the life of product `n`. */
export function productLife(n: number, span: Span, { traits, events, draws }: LifeGround): ProductLife {
  const sku = `${traits.skuPrefix}${String(1_000 + n * 7)}`
  const name = `${draws.pick(WORDS)} ${draws.pick(THINGS)} ${String(draws.whole(2, 99))}`
  const base = Math.round(draws.logNormal(3_500, 1.1)) + 150
  const cents = priced(Math.min(base, 190_000), traits)
  const comesAt = draws.isHit(perWeek(COMES, span)) ? draws.between(span.fromMs, span.untilMs) : undefined
  const turns = [
    ...ownTurns(span, cents, { traits, draws }),
    ...events.bursts.flatMap((burst) => burstTurn(burst, cents, { traits, draws })),
    ...stockTurns(span, draws),
    ...events.closed.flatMap(({ fromMs, untilMs }) => [
      { at: fromMs, to: (state: State) => ({ ...state, isClosed: true }) },
      { at: untilMs, to: (state: State) => ({ ...state, isClosed: false }) },
    ]),
    ...comesAndGoes(span, comesAt, draws),
  ].sort((a, b) => a.at - b.at)
  const first = { cents, factor: 1, availability: firstStock(draws), isClosed: false, isThere: comesAt === undefined }
  const path = `/p/${name.toLowerCase().replaceAll(' ', '-')}-${sku}`
  const moves = draws.isHit(perWeek(MOVES, span)) ? [[draws.between(span.fromMs, span.untilMs), `${path}-neu`] as const] : []
  return { sku, name, paths: [[span.fromMs, path], ...moves], ...timeline(first, turns, { span, traits }) }
}

/** What a life is drawn from. */
export interface LifeGround {
  readonly traits: ShopTraits
  readonly events: ShopEvents
  readonly draws: Draws
}

function timeline(
  first: State,
  turns: readonly Turn[],
  { span, traits }: { readonly span: Span; readonly traits: ShopTraits },
): Pick<ProductLife, 'at' | 'changedAt' | 'cameAt'> {
  const times = [span.fromMs]
  const offers = [offerOf(first, traits)]
  let state = first
  for (const { at, to } of turns) {
    state = to(state)
    const offer = offerOf(state, traits)
    if (isSame(offer, offers.at(-1))) continue
    times.push(at)
    offers.push(offer)
  }
  const placeOf = (ms: number): number => {
    let [low, high] = [0, times.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((times[middle] ?? 0) <= ms) low = middle
      else high = middle - 1
    }
    return low
  }
  const cameAt = times[offers.findIndex((offer) => offer !== undefined)] ?? Infinity
  return { at: (ms) => offers[placeOf(ms)], changedAt: (ms) => times[placeOf(ms)] ?? span.fromMs, cameAt }
}

function offerOf({ cents, factor, availability, isClosed, isThere }: State, traits: ShopTraits): Offer | undefined {
  if (!isThere) return undefined
  const price = factor === 1 ? cents : priced(cents * factor, traits)
  return { cents: price, currency: traits.currency, availability: isClosed ? 'out-of-stock' : availability }
}

function isSame(a: Offer | undefined, b: Offer | undefined): boolean {
  return a?.cents === b?.cents && a?.availability === b?.availability
}

/** Each product has a rate of its own: some change in every hour, most in a week or two. */
function ownTurns(span: Span, base: number, { traits, draws }: Omit<LifeGround, 'events'>): Turn[] {
  const perDay = traits.isRepricer ? draws.between(4, 20) : Math.min(8, draws.logNormal(0.25, 1.3))
  return momentsIn(span, perDay, draws).map((at) => stepTurn(at, base, { traits, draws }))
}

/** A step that leads back to where the price belongs, sooner or later. */
function stepTurn(at: number, base: number, { traits, draws }: Omit<LifeGround, 'events'>): Turn {
  const [step, pull] = [draws.between(0.01, 0.15) * (draws.isHit(0.5) ? 1 : -1), draws.next()]
  return {
    at,
    to: (state) => ({ ...state, cents: priced((state.cents + 0.3 * pull * (base - state.cents)) * (1 + step), traits) }),
  }
}

function burstTurn({ at, factor, share, spreadMs }: Burst, base: number, ground: Omit<LifeGround, 'events'>): Turn[] {
  const { draws } = ground
  const when = Math.round(at + draws.between(0, spreadMs))
  const step = stepTurn(when, base, ground)
  if (!draws.isHit(share)) return []
  return [factor === undefined ? step : { at: when, to: (state) => ({ ...state, factor }) }]
}

function firstStock(draws: Draws): Availability {
  return draws.isHit(0.8) ? 'in-stock' : draws.pick<Availability>(['out-of-stock', 'limited', 'pre-order'])
}

/** Out of stock for a day or two, once in a week or two; scarce before that, sometimes. */
function stockTurns({ fromMs, untilMs }: Span, draws: Draws): Turn[] {
  const turns: Turn[] = []
  const become = (at: number, availability: Availability): void =>
    void turns.push({ at: Math.round(at), to: (state) => ({ ...state, availability }) })
  for (let at = fromMs + draws.gap(1 / (9 * DAY_MS)); at < untilMs; at += draws.gap(1 / (9 * DAY_MS))) {
    if (draws.isHit(0.4)) become(at - draws.between(0.5, 12) * HOUR_MS, 'limited')
    become(at, 'out-of-stock')
    at += draws.logNormal(20, 0.9) * HOUR_MS
    become(at, 'in-stock')
  }
  return turns.filter(({ at }) => at > fromMs)
}

function comesAndGoes(span: Span, comesAt: number | undefined, draws: Draws): Turn[] {
  const is = (at: number, isThere: boolean): Turn => ({ at: Math.round(at), to: (state) => ({ ...state, isThere }) })
  const comes = comesAt === undefined ? [] : [is(comesAt, true)]
  if (!draws.isHit(perWeek(GOES, span))) return comes
  const goesAt = draws.between(comesAt ?? span.fromMs, span.untilMs)
  const returns = draws.isHit(RETURNS) ? [is(goesAt + draws.logNormal(14, 1) * HOUR_MS, true)] : []
  return [...comes, is(goesAt, false), ...returns]
}

/** With the digits at the end that the shop likes; never below 50 cents. */
function priced(cents: number, { ending }: ShopTraits): number {
  const whole = Math.max(100, Math.round(cents))
  return ending === undefined ? whole : Math.max(1, Math.round(whole / 100)) * 100 - 100 + ending
}

function perWeek(share: number, { fromMs, untilMs }: Span): number {
  return (share * (untilMs - fromMs)) / (7 * DAY_MS)
}
