// The world of a soak: shops with their prices, a directory of them, and the weather over all; from a few numbers and a seed.
import { siteModel, type HostSpec, type SiteModel } from '@avocet/simulator'
import { ownWeather, type OwnWeather } from './own-weather.ts'
import { shopWeather, withDns, type ShopWeather } from './shop-weather.ts'
import { diceOf } from './dice.ts'
import { HOST_WEATHER, OWN_WEATHER, troubleOf, type WeatherKind } from './trouble.ts'

/** What a soak can be told. */
export interface SoakOptions {
  readonly seed: string
  readonly days: number
  readonly hosts: number
  /** Products a shop, each asked for hourly. */
  readonly products: number
  /** Processes on one store. With more than one the store is a file. */
  readonly processes: number
  readonly store: 'memory' | 'sqlite'
  /** Kinds of weather that there are. */
  readonly weather: readonly WeatherKind[]
}

/** A shop of the world. */
export interface Shop extends ShopWeather {
  readonly name: string
  /** Where it moves to, if it does. */
  readonly newName: string
  readonly products: number
}

/** The world. */
export interface SoakWorld {
  readonly model: SiteModel
  readonly shops: readonly Shop[]
  readonly own: OwnWeather
  readonly lengthMs: number
}

export const DIRECTORY = 'directory.test'
export const ALL_WEATHER: readonly WeatherKind[] = [...HOST_WEATHER, ...OWN_WEATHER]
/** Prices stay that long, so that a month of items is thousands and not millions. */
const PRICES_EVERY_MS = 6 * 3_600_000

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LAYOUTS = ['classes', 'microdata', 'json-ld'] as const
const VALIDATORS = ['etag', 'last-modified', 'none'] as const
/** Of the shops whose names cannot be resolved for a while. */
const DNS_SHARE = 0.05

/** The world of these options. */
export function soakWorld({ seed, days, hosts, products, processes, weather }: SoakOptions): SoakWorld {
  const lengthMs = days * DAY_MS
  const kinds = new Set(weather)
  const own = ownWeather({ seed, lengthMs, kinds, processes })
  const dns = dnsTroubles(seed, lengthMs, kinds)
  const shops = Array.from({ length: hosts }, (_, n): Shop => {
    const digits = String(n).padStart(3, '0')
    const name = `shop-${digits}.test`
    const newName = `moved-${digits}.test`
    const alone = shopWeather(n, { seed, lengthMs, kinds, newName })
    const life = dns.reduce(
      (so, trouble) => (diceOf(seed, 'dns', n, trouble.fromMs).next() < DNS_SHARE ? withDns(so, trouble) : so),
      alone,
    )
    return { ...life, name, newName, products }
  })
  const directory: HostSpec = {
    name: DIRECTORY,
    pages: { kind: 'directory', lists: shops.map(({ name, bornMs }) => ({ host: name, fromMs: bornMs })) },
  }
  const specs = [directory, ...shops.flatMap((shop, n) => hostsOf(shop, n))]
  const model = siteModel({ seed, hosts: specs, clientOutages: own.clientOutages }).withBase((host) => `https://${host}`)
  return { model, shops, own, lengthMs }
}

/** The shop, and the host that it moves to. */
function hostsOf({ name, newName, products, bornMs, movesMs, spec }: Shop, n: number): HostSpec[] {
  const pages: HostSpec['pages'] = {
    kind: 'shop',
    products,
    categories: 1,
    layout: LAYOUTS[n % 3] ?? 'classes',
    prices: { everyMs: PRICES_EVERY_MS, ratio: 0.5, validator: VALIDATORS[Math.floor(n / 3) % 3] ?? 'none' },
  }
  const latency: HostSpec['latency'] = { law: 'lognormal', medianMs: 60 + (n % 7) * 60, spread: 0.5 }
  const unborn = bornMs > 0 ? [{ style: 'dns-not-found' as const, fromMs: 0, untilMs: bornMs }] : []
  const shop: HostSpec = { name, pages, latency, ...spec, outages: [...unborn, ...(spec.outages ?? [])] }
  return movesMs === undefined ? [shop] : [shop, { name: newName, pages, latency }]
}

/** One a week: a name server of many does not answer, or says that there is no such name. */
function dnsTroubles(seed: string, lengthMs: number, kinds: ReadonlySet<WeatherKind>): ReturnType<typeof troubleOf>[] {
  if (!kinds.has('dns')) return []
  const dice = diceOf(seed, 'dns')
  return Array.from({ length: Math.max(1, Math.round(lengthMs / (7 * DAY_MS))) }, () => {
    const span = dice.span(Math.min(lengthMs / 6, dice.log(10 * 60_000, 12 * HOUR_MS)), {
      fromMs: 2 * HOUR_MS,
      untilMs: lengthMs,
    })
    return troubleOf('dns', dice.pick(['dns-failed', 'dns-not-found']), span)
  })
}
