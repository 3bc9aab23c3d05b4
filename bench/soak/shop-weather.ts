// What happens to one shop in a month: its troubles, and what they are in the words of the site model. Pure: the seed, the number of the shop.
import type { DeathStyle, HostSpec } from '@avocet/simulator'
import { diceOf, type Dice } from './dice.ts'
import { troubleOf, type Span, type Trouble, type WeatherKind } from './trouble.ts'

/** The life of one shop. */
export interface ShopWeather {
  /** When it opens; 0 = it was there. */
  readonly bornMs: number
  /** When it moves to another host for good. */
  readonly movesMs: number | undefined
  /** When its last product is taken out for good. */
  readonly removalMs: number | undefined
  /** In the order of `fromMs`. */
  readonly troubles: readonly Trouble[]
  readonly spec: Pick<HostSpec, 'outages' | 'missing' | 'moves' | 'closures'>
}

/** Where a shop in maintenance leads to. */
export const MAINTENANCE = '/maintenance'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const DEATHS: readonly DeathStyle[] = [
  'refuse',
  'blackhole',
  'hang',
  'stall',
  'drip',
  'reset',
  'truncate',
  'endless',
  'dns-not-found',
]

/** How often a shop has each of them: share of the shops per week. */
const A_WEEK: Readonly<Partial<Record<WeatherKind, number>>> = {
  outage: 0.2,
  missing: 0.08,
  maintenance: 0.08,
  closure: 0.04,
  certificate: 0.04,
  flapping: 0.03,
}
/** Shares of all shops. */
const NEWCOMERS = 0.1
const MOVING = 0.04
const SHRINKING = 0.05
const BORN_DEAD = 0.03

/** The weather of shop number `n`. `newName` is where it would move to. */
export function shopWeather(
  n: number,
  { seed, lengthMs, kinds, newName }: { seed: string; lengthMs: number; kinds: ReadonlySet<WeatherKind>; newName: string },
): ShopWeather {
  const dice = (purpose: string): Dice => diceOf(seed, 'shop', n, purpose)
  const has = (kind: WeatherKind, share: number): boolean => dice(`has ${kind}`).next() < share && kinds.has(kind)
  const whole: Span = { fromMs: 0, untilMs: lengthMs }
  const bornMs = has('newcomer', NEWCOMERS) ? dice('birth').span(0, { fromMs: HOUR_MS, untilMs: 0.8 * lengthMs }).fromMs : 0
  const alive: Span = { fromMs: bornMs, untilMs: lengthMs }
  // What is for good comes in the first two thirds, so that there is time to see what follows from it.
  const movesMs = has('move', MOVING) ? dice('move').span(0, { ...alive, untilMs: 0.66 * lengthMs }).fromMs : undefined
  const removalMs = has('removal', SHRINKING) ? dice('removal').span(0, { ...alive, untilMs: 0.66 * lengthMs }).fromMs : undefined
  const troubles: Trouble[] = []
  if (bornMs === 0 && dice('born dead').next() < BORN_DEAD && kinds.has('outage')) {
    const chance = dice('birth outage')
    troubles.push(
      troubleOf('outage', chance.pick(DEATHS), { fromMs: 0, untilMs: Math.round(chance.log(HOUR_MS, 2 * DAY_MS)) }, true),
    )
  }
  for (const [kind, aWeek] of Object.entries(A_WEEK) as [WeatherKind, number][]) {
    const chance = dice(kind)
    for (let week = 0; week * 7 * DAY_MS < whole.untilMs; week++) {
      const share = Math.min(1, (lengthMs - week * 7 * DAY_MS) / (7 * DAY_MS))
      if (chance.next() >= aWeek * Math.max(share, 0.3) || !kinds.has(kind)) continue
      const within = { fromMs: Math.max(bornMs + 2 * HOUR_MS, week * 7 * DAY_MS), untilMs: lengthMs }
      troubles.push(troubled(kind, chance, within))
    }
  }
  troubles.sort((a, b) => a.fromMs - b.fromMs)
  return { bornMs, movesMs, removalMs, troubles, spec: specOf(troubles, { movesMs, removalMs, newName }) }
}

/** A trouble that 5 % of the shops have at the same time, for the name servers of many. */
export function withDns(weather: ShopWeather, trouble: Trouble): ShopWeather {
  const troubles = [...weather.troubles, trouble].sort((a, b) => a.fromMs - b.fromMs)
  const outage = { style: trouble.how as DeathStyle, fromMs: trouble.fromMs, untilMs: trouble.untilMs }
  return { ...weather, troubles, spec: { ...weather.spec, outages: [...(weather.spec.outages ?? []), outage] } }
}

function troubled(kind: WeatherKind, dice: Dice, within: Span): Trouble {
  const most = Math.max(10 * MINUTE_MS, (within.untilMs - within.fromMs) / 3)
  const lasting = (from: number, to: number): Span => dice.span(Math.min(most, dice.log(from, to)), within)
  if (kind === 'outage') return troubleOf(kind, dice.pick(DEATHS), lasting(4 * MINUTE_MS, 7 * DAY_MS))
  if (kind === 'certificate') return troubleOf(kind, 'tls-certificate', lasting(12 * HOUR_MS, 30 * HOUR_MS))
  // Shorter than what is gone for good: several visits in a row, over a day at least.
  if (kind === 'missing') return troubleOf(kind, dice.pick(['404', '410']), lasting(10 * MINUTE_MS, 20 * HOUR_MS))
  if (kind === 'maintenance') return troubleOf(kind, dice.pick(['301', '302']), lasting(10 * MINUTE_MS, 20 * HOUR_MS))
  if (kind === 'closure')
    return troubleOf(kind, dice.pick(['429 seconds', '503 seconds', '503 date']), lasting(20 * HOUR_MS, 50 * HOUR_MS))
  return troubleOf(kind, dice.pick(['reset', 'refuse']), lasting(HOUR_MS, 12 * HOUR_MS))
}

function specOf(
  troubles: readonly Trouble[],
  { movesMs, removalMs, newName }: { movesMs: number | undefined; removalMs: number | undefined; newName: string },
): ShopWeather['spec'] {
  const of = (...kinds: readonly WeatherKind[]): readonly Trouble[] => troubles.filter(({ kind }) => kinds.includes(kind))
  const missing = of('missing').map(
    ({ how, fromMs, untilMs }) => ({ fromMs, untilMs, status: how === '410' ? 410 : 404 }) as const,
  )
  const moves = of('maintenance').map(({ how, fromMs, untilMs }) => {
    return { fromMs, untilMs, to: MAINTENANCE, status: how === '301' ? 301 : 302 } as const
  })
  return {
    outages: [
      ...of('outage', 'certificate').map(({ how, fromMs, untilMs }) => ({ style: how as DeathStyle, fromMs, untilMs })),
      ...of('flapping').flatMap(flaps),
    ],
    missing: [...missing, ...(removalMs === undefined ? [] : [{ fromMs: removalMs, under: '/product/A-00001' }])],
    // For good before for now: the first that holds counts.
    moves: [...(movesMs === undefined ? [] : [{ fromMs: movesMs, to: newName }]), ...moves],
    closures: of('closure').map(({ how, fromMs, untilMs }) => {
      const retryAfter = how.endsWith('date') ? 'date' : 'seconds'
      return { fromMs, untilMs, status: how.startsWith('429') ? 429 : 503, retryAfter } as const
    }),
  }
}

/** Up for a minute or so, down for half of one, again and again. */
function flaps({ how, fromMs, untilMs }: Trouble): { style: DeathStyle; fromMs: number; untilMs: number }[] {
  const dice = diceOf('flaps', fromMs, untilMs)
  const outages = []
  for (let at = fromMs; at < untilMs;) {
    const end = Math.min(untilMs, at + dice.whole(15_000, 60_000))
    outages.push({ style: how as DeathStyle, fromMs: at, untilMs: end })
    at = end + dice.whole(30_000, 90_000)
  }
  return outages
}
