// One shop: its products, its pages, its troubles and its break; what it answers at each moment, and what a visit at that moment would see.
import { seeded, type Chance } from '@avocet/simulator'
import { breakWay, type BreakSpec, type BreakWay } from './breaks.ts'
import { drawsOf, type Draws } from './draws.ts'
import { gonePage, htmlPage, linkList, priceList, productPage, type Surroundings } from './pages.ts'
import { productLife, type Offer, type ProductLife } from './product-life.ts'
import { eventsOf } from './shop-events.ts'
import { shopTraits, type ShopTraits } from './shop-traits.ts'
import { sitemapOf } from './shop-sitemap.ts'
import type { Look, Shown } from './shown.ts'
import { troublesOf, type Trouble, type TroubleStyle } from './weather.ts'
import { HOUR_MS, type Span } from './week.ts'

/** What a visit at a moment sees, if it gets the page. */
export type Sight =
  /** Of products these, each with its true offer; a page of another kind has none. */
  | { readonly kind: 'page'; readonly offers: ReadonlyMap<string, Offer> }
  /** A page, and what it says is not so. */
  | { readonly kind: 'broken'; readonly how: string; readonly offers: ReadonlyMap<string, Offer> }
  /** 404, 410, or a redirect. */
  | { readonly kind: 'missing' }

/** An answer before it is bytes. */
export interface ShopAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How a shop is drawn. */
export interface ShopOptions extends Span {
  readonly seed: string
  readonly products: number
  /** Share of shops whose prices are on lists; 1 and 0 say which this one is. */
  readonly lists: number
  readonly hasWeather: boolean
  readonly broken?: BreakSpec
}

type Place =
  | { readonly kind: 'front' | 'robots' | 'sitemap' | 'login' }
  | { readonly kind: 'list'; readonly page: number }
  | { readonly kind: 'product'; readonly n: number }
  | { readonly kind: 'moved'; readonly to: string }

const FRONT = '<h1>Shop</h1><p><a class="list" href="/all">All products</a> <a href="/login" rel="nofollow">Login</a></p>'
const LOGIN = '<form method="post"><input type="password" name="password"></form>'
const HTML = 'text/html; charset=utf-8'
const NONE: ReadonlyMap<string, Offer> = new Map()
/** Visits of a healthy shop that fail for no reason. */
const HICCUPS = 0.001
const STALE_MS = 6 * HOUR_MS

export class Shop {
  readonly host: string
  readonly traits: ShopTraits
  readonly lives: readonly ProductLife[]
  readonly troubles: readonly Trouble[]
  readonly broken: (BreakSpec & { readonly way: BreakWay }) | undefined
  readonly #chance: Chance
  readonly #deliveryCents: number
  readonly #paths: ReadonlyMap<string, number>

  constructor(host: string, { seed, products, lists, hasWeather, broken, ...span }: ShopOptions) {
    this.host = host
    const draws = (what: string): Draws => drawsOf(seed, host, what)
    this.traits = shopTraits(draws('traits'), lists)
    const events = eventsOf(span, draws('events'))
    const ground = { traits: this.traits, events }
    this.lives = Array.from({ length: products }, (_, n) =>
      productLife(n, span, { ...ground, draws: draws(`product ${String(n)}`) }),
    )
    this.troubles = hasWeather ? troublesOf(span, draws('weather')) : []
    this.broken = broken && { ...broken, way: breakWay(broken.kind, this.traits, draws('break')) }
    this.#chance = seeded(seed, host, 'visits')
    this.#deliveryCents = draws('delivery').pick([395, 490, 495, 595, 690])
    this.#paths = new Map(this.lives.flatMap(({ paths }, n) => paths.map(([, path]) => [path, n] as const)))
  }

  /** The trouble that a visit at `at` meets, if any. */
  troubleAt(path: string, at: number): TroubleStyle | undefined {
    for (const { fromMs, untilMs, share, style } of this.troubles)
      if (at >= fromMs && at < untilMs && (share === 1 || this.#own(path, 31) < share)) return style
    return this.troubles.length > 0 && this.#look(path, at)(30) < HICCUPS ? 500 : undefined
  }

  /** How long the answer to a visit takes. */
  latencyMs(path: string, at: number): number {
    return Math.round(this.traits.medianMs * (0.6 + this.#look(path, at)(32)))
  }

  /** What a visit sees that gets the page with status 200, or that hears that there is none. Troubles are not looked at. */
  sightAt(path: string, at: number): Sight {
    const place = this.#placeOf(path, at)
    if (place === undefined || place.kind === 'moved') return { kind: 'missing' }
    const way = this.#wayAt(path, place, at)
    const offers = this.#offersAt(place, at)
    if (way !== undefined) return { kind: 'broken', how: way.name, offers }
    return { kind: 'page', offers }
  }

  /** The answer, without regard to troubles; `asked`: what the client has. */
  answerAt(path: string, at: number, asked: Readonly<Record<string, unknown>> = {}): ShopAnswer {
    const place = this.#placeOf(path, at)
    if (place === undefined) return this.#missing(path)
    if (place.kind === 'moved') return moved(place.to, 301)
    if (place.kind === 'robots')
      return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /cart\n' }
    if (place.kind === 'sitemap')
      return { status: 200, headers: { 'content-type': 'application/xml' }, body: sitemapOf(this, at) }
    const look = this.#look(path, at)
    const way = this.#wayAt(path, place, at)
    if (way?.instead !== undefined) {
      const page = way.instead(look)
      return typeof page === 'string' ? { status: 200, headers: { 'content-type': HTML }, body: page } : moved(page.location, 302)
    }
    const headers = { 'content-type': HTML, ...(way === undefined && this.#validators(place, at, look)) }
    if (isKnown(headers, asked)) return { status: 304, headers, body: '' }
    return { status: 200, headers, body: this.#bodyOf(place, this.#surroundings(path, place, at), way) }
  }

  /** Products that the shop has, in the order of its list. */
  #present(at: number): readonly number[] {
    const present: number[] = []
    for (const [n, life] of this.lives.entries()) if (life.at(at) !== undefined) present.push(n)
    return present
  }

  #onPage(page: number, at: number): readonly number[] {
    const { perPage } = this.traits
    return this.#present(at).slice((page - 1) * perPage, page * perPage)
  }

  #placeOf(path: string, at: number): Place | undefined {
    if (path === '/') return { kind: 'front' }
    if (path === '/robots.txt') return { kind: 'robots' }
    if (path === '/sitemap.xml') return { kind: 'sitemap' }
    if (path === '/login') return { kind: 'login' }
    if (path.startsWith('/all'))
      return this.#listAt(Number(/^\/all(?:\?page=(\d+))?$/.exec(path)?.[1] ?? (path === '/all' ? 1 : 0)), at)
    const n = this.traits.kind === 'products' ? this.#paths.get(path) : undefined
    return n === undefined ? undefined : this.#productAt(n, path, at)
  }

  #listAt(page: number, at: number): Place | undefined {
    if (page === 0) return undefined
    if (page > 1 && this.traits.beyondLast === 404 && this.#onPage(page, at).length === 0) return undefined
    return { kind: 'list', page }
  }

  #productAt(n: number, path: string, at: number): Place | undefined {
    const life = this.lives[n]
    if (life === undefined) return undefined
    const now = pathOf(life, at)
    if (now === undefined) return undefined
    if (life.at(at) === undefined) {
      if (this.traits.goneAs === 'redirect') return { kind: 'moved', to: '/all' }
      return this.traits.goneAs === 'page' && at >= life.cameAt ? { kind: 'product', n } : undefined
    }
    if (now === path) return { kind: 'product', n }
    return life.paths[0]?.[1] === path ? { kind: 'moved', to: now } : undefined
  }

  #offersAt(place: Place, at: number): ReadonlyMap<string, Offer> {
    const on =
      place.kind === 'product'
        ? [place.n]
        : place.kind === 'list' && this.traits.kind === 'lists'
          ? this.#onPage(place.page, at)
          : []
    if (on.length === 0) return NONE
    const offers = new Map<string, Offer>()
    for (const n of on) {
      const life = this.lives[n]
      const offer = life?.at(at)
      if (life !== undefined && offer !== undefined) offers.set(life.sku, offer)
    }
    return offers
  }

  #bodyOf(place: Place, around: Surroundings, way: BreakWay | undefined): string {
    const { at } = around
    if (place.kind === 'list') return this.#list(place.page, around, way)
    if (place.kind === 'product') {
      const life = this.lives[place.n]
      if (life?.at(at) === undefined) return gonePage(life?.name ?? '', around)
      return productPage(this.#shown(place.n, around, way), around)
    }
    return place.kind === 'login' ? htmlPage('Login', '', LOGIN, around) : htmlPage('Shop', '', FRONT, around)
  }

  #list(page: number, around: Surroundings, way: BreakWay | undefined): string {
    const { at } = around
    const on = this.#onPage(page, at)
    const isMore = page * this.traits.perPage < this.#present(at).length
    const next = isMore ? `<a class="next" rel="next" href="/all?page=${String(page + 1)}">Next</a>` : ''
    if (this.traits.kind === 'products') {
      const links = on.flatMap((n) => this.lives[n] ?? []).map((life) => [pathOf(life, at) ?? '/', life.name] as const)
      return linkList(links, next, around)
    }
    const all = on.map((n) => this.#shown(n, around, way))
    return priceList(way?.listed?.(all) ?? all, next, around)
  }

  #shown(n: number, { at, look }: Surroundings, way: BreakWay | undefined): Shown {
    const shown = this.#truth(n, at)
    if (way?.shown === undefined) return shown
    const [other, first] = [this.#truth((n + 3) % this.lives.length, at), this.#truth(this.#present(at)[0] ?? n, at)]
    return way.shown(shown, { look, at, other, first, own: this.#chance(n), deliveryCents: this.#deliveryCents })
  }

  #truth(n: number, at: number): Shown {
    const life = this.lives[n]
    const { cents, ...offer } = life?.at(at) ?? {
      cents: 1_990,
      currency: this.traits.currency,
      availability: 'out-of-stock' as const,
    }
    return { name: life?.name ?? '', sku: life?.sku, price: cents, ...offer }
  }

  #surroundings(path: string, place: Place, at: number): Surroundings {
    const look = this.#look(path, at)
    const { traits } = this
    const n = place.kind === 'product' ? place.n : 0
    const count = this.lives.length
    const related = place.kind !== 'product' ? [] : [this.#truth((n + 3) % count, at), this.#truth((n + 5) % count, at)]
    return { traits, look, at, related, deliveryCents: this.#deliveryCents, isExperiment: look(0) < traits.experiment }
  }

  #wayAt(path: string, place: Place, at: number): BreakWay | undefined {
    const { broken } = this
    if (broken === undefined || at < broken.fromMs || at >= broken.untilMs) return undefined
    const { way } = broken
    if (place.kind === 'robots' || place.kind === 'sitemap' || place.kind === 'login') return undefined
    // What changes what is said of products changes nothing where none is.
    if (way.instead === undefined && this.#offersAt(place, at).size === 0) return undefined
    if (way.pages < 1 && this.#own(path, 33) >= way.pages) return undefined
    return way.visits < 1 && this.#look(path, at)(34) >= way.visits ? undefined : way
  }

  #validators(place: Place, at: number, look: Look): Record<string, string> {
    const { validator } = this.traits
    if (validator === 'none') return {}
    if (validator === 'new-tag') return { etag: `"${String(Math.floor(look(40) * 2 ** 32))}"` }
    const changedAt = place.kind === 'product' ? (this.lives[place.n]?.changedAt(at) ?? at) : this.#changedAt(at)
    if (validator === 'tag') return { etag: `W/"${changedAt.toString(36)}"` }
    // A second is the least that a date can tell.
    const saidAt = validator === 'now' ? at : validator === 'stale' ? at - (at % STALE_MS) : Math.ceil(changedAt / 1_000) * 1_000
    return { 'last-modified': new Date(saidAt).toUTCString() }
  }

  #changedAt(at: number): number {
    return Math.max(...this.lives.map((life) => life.changedAt(at)))
  }

  #missing(path: string): ShopAnswer {
    const status = this.traits.goneAs === 410 && this.#paths.has(path) ? 410 : 404
    return { status, headers: { 'content-type': HTML }, body: '<!doctype html><title>Not found</title><h1>Not found</h1>' }
  }

  #look(path: string, at: number): Look {
    const seed = Math.imul(hashOf(path), 31) ^ at
    return (place) => this.#chance(seed + Math.imul(place + 1, 0x9e37_79b1))
  }

  #own(path: string, place: number): number {
    return this.#chance(hashOf(path) + place)
  }
}

function pathOf({ paths }: ProductLife, at: number): string | undefined {
  return paths.findLast(([fromMs]) => at >= fromMs)?.[1]
}

function moved(location: string, status: number): ShopAnswer {
  return { status, headers: { location, 'content-type': HTML }, body: '' }
}

function isKnown(headers: Readonly<Record<string, string>>, asked: Readonly<Record<string, unknown>>): boolean {
  const { etag, 'last-modified': modified } = headers
  if (etag !== undefined) return asked['if-none-match'] === etag
  return modified !== undefined && asked['if-modified-since'] === modified
}

const hashes = new Map<string, number>()

function hashOf(path: string): number {
  const known = hashes.get(path)
  if (known !== undefined) return known
  let hash = 0
  for (let n = 0; n < path.length; n++) hash = Math.imul(hash ^ path.charCodeAt(n), 0x0100_0193)
  hashes.set(path, hash)
  return hash
}
