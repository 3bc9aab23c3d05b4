// What operators have ordered of a crawl: rows of its store, each with a moment, which no two share and which rises. The latest row of a kind holds.
//
// A row is in the store before anybody carries it out. Each process reads the rows behind the last one that it knows, and a run that begins reads all of them:
// what is paused, limited or forgotten is a state, so a process that is killed in between loses none of it. Seeds are a row of their own until a run has
// offered them; those that are offered twice are known. With each order, rows go that later ones have overruled, except for the last 200, which are listed.
import { AvocetError } from '@avocet/core'
import { isUntilResumed, type FrontierReader, type MemoryParts, type Ports, type StoredOrder } from '@avocet/core/store'
import { coreMemory, type Control } from '@avocet/core/tools'
import { storedOrder, type AddedSeeds, type Order } from './stored-order.ts'

type CrawlOrders = Awaited<ReturnType<Ports['orders']>>
type OrdersOfHost = ReturnType<CrawlOrders['ofHost']>
type OrderNews = Awaited<ReturnType<CrawlOrders['hear']>>
/** A store that is open. */
type Written = Parameters<ReturnType<CrawlOrders['prepared']>>[0]
/** Makes of a URL one without the values of these parameters. */
type HideIn = (url: string, names: readonly string[]) => string

/** The end of the year 9999, which `isUntilResumed` takes for no moment. */
const UNTIL_RESUMED = Date.UTC(9_999, 11, 31, 23, 59, 59)
/** Hosts with orders of their own, in one crawl. */
const MAX_HOSTS = 10_000
/** URLs that wait to be offered. */
const MAX_PENDING = 20_000
/** Patterns that are open for good, of one crawl. */
const MAX_ACCEPTED = 1_000
/** Orders that are listed. */
const MAX_LISTED = 200
/** Paused hosts that the status names. */
const MAX_NAMED = 100

/** An order as it is listed. */
interface ListedControl {
  readonly at: number
  readonly control: Order
}

/** What holds for a host, for those who look into a store. */
interface OrderedHost {
  readonly hostKey: string
  /** Epoch ms; null: until it is resumed. Absent: it is not paused. */
  readonly pausedUntil?: number | null
  readonly limits?: OrdersOfHost['limits']
}

/** What a row says: an order, or the seeds that a run is to offer, which removes it then. */
type Said = Order | { readonly kind: 'seeds'; readonly seeds: AddedSeeds }

interface Row {
  readonly at: number
  readonly said: Said
}

const NO_ORDER: OrdersOfHost = { pausedUntil: 0, limits: {}, forgottenAt: 0, acceptedAt: 0 }

/**
 * The orders of a crawl, as far as they were read.
 *
 * @example
 * ```ts
 * const frontier = memoryFrontier()
 * await frontier.open({ name: 'shop', hostKeying: 'host' }, Date.now())
 * await Orders.give(frontier, { kind: 'pause-host', hostKey: 'shop.example' }, Date.now())
 * const orders = await Orders.of(frontier.reader)
 * orders.ofHost('shop.example').pausedUntil > Date.now() // true
 * ```
 */
export class Orders implements CrawlOrders {
  areToStop = false
  /** Whether the whole crawl is paused. */
  isPaused = false
  /** The last orders, oldest first. */
  listed: readonly ListedControl[] = []
  #lastAt = 0
  readonly #hosts = new Map<string, OrdersOfHost>()
  readonly #accepted = new Set<string>()
  /** Hosts with a pause, ordered by name: asked four times a second, and changed by orders alone. */
  #pauses: ReturnType<typeof pauseOf> = []

  /** All of a store. Throws AVO_FRONTIER_…. */
  static async of(reader: FrontierReader): Promise<Orders> {
    const orders = new Orders()
    await orders.hear(reader)
    return orders
  }

  /**
   * Writes an order into an open store, or lists what was done to given-up pages, once it is done; what is held is settled before. Resolves to how many
   * held items that were. It is there once this resolves; processes that crawl
   * carry it out within a second, a run that begins later carries it out as it begins. `now`: epoch ms of the crawl's time. `hide`: an added URL without the
   * values of these parameters, which earlier runs hid: a seed of the run that takes it has to supply them. Needed where there are any.
   *
   * @throws AvocetError AVO_USAGE for what is no order, AVO_FRONTIER_….
   */
  static async give(frontier: Written, given: Order, now: number, hide: HideIn = hidesNothing): Promise<number> {
    const names = secretNamesIn((await frontier.reader.info()).memories)
    const stored = storedOrder(given, (url) => hide(url, names))
    return written(frontier, stored, now)
  }

  async hear(reader: FrontierReader, signedInAt = 0): Promise<OrderNews> {
    return this.take(await reader.orders(this.#lastAt), signedInAt)
  }

  // The caller may go on with the object.
  prepared(order: Order, hidden: (url: string) => string): ReturnType<CrawlOrders['prepared']> {
    const stored = structuredClone(storedOrder(order, hidden))
    return (frontier, now) => written(frontier, stored, now)
  }

  /** What is ordered of hosts, by key. */
  get hosts(): ReadonlyMap<string, OrdersOfHost> {
    return this.#hosts
  }

  /** Patterns of URLs that are open for good. */
  get accepted(): ReadonlySet<string> {
    return this.#accepted
  }

  /** What holds for a host. */
  ofHost(hostKey: string): OrdersOfHost {
    return this.#hosts.get(hostKey) ?? NO_ORDER
  }

  /** The same at `now` (epoch ms), without what is not ordered. */
  hostAt(hostKey: string, now: number): Omit<OrderedHost, 'hostKey'> {
    const { pausedUntil, limits } = this.ofHost(hostKey)
    return {
      ...(pausedUntil > now && { pausedUntil: isUntilResumed(pausedUntil) ? null : pausedUntil }),
      ...(Object.keys(limits).length > 0 && { limits }),
    }
  }

  /** Hosts that are paused or limited at `now` (epoch ms), ordered by name. */
  hostsAt(now: number): readonly OrderedHost[] {
    return [...this.#hosts.keys()]
      .map((hostKey) => ({ hostKey, ...this.hostAt(hostKey, now) }))
      .filter(({ pausedUntil, limits }) => pausedUntil !== undefined || limits !== undefined)
      .toSorted((a, b) => (a.hostKey < b.hostKey ? -1 : 1))
  }

  /** Hosts that are paused at `now` (epoch ms), as the status has them. */
  pausedHosts(now: number): ReturnType<CrawlOrders['pausedHosts']> {
    const paused = this.#pauses.filter(({ until }) => until > now)
    return paused.length === 0 ? {} : { pausedHosts: { count: paused.length, first: paused.slice(0, MAX_NAMED) } }
  }

  /** Takes in what was read. Rows that are known already say nothing new: two may have asked at once. */
  take(stored: readonly StoredOrder[], signedInAt = 0): OrderNews {
    const rows = stored.filter(({ at }) => at > this.#lastAt).flatMap(rowOf)
    this.#lastAt = stored.reduce((last, { at }) => Math.max(last, at), this.#lastAt)
    const said = rows.map((row) => row.said)
    for (const row of rows) this.#hold(row)
    const listed = rows.flatMap(({ at, said: control }) => (control.kind === 'seeds' ? [] : [{ at, control }]))
    this.listed = [...this.listed, ...listed].slice(-MAX_LISTED)
    const hosts = [...new Set(said.flatMap((each) => ('hostKey' in each ? [each.hostKey] : [])))]
    if (hosts.length > 0) this.#pauses = this.hostsAt(0).flatMap(pauseOf)
    const stops = rows.flatMap(({ at, said: each }) => (each.kind === 'stop' && at > signedInAt ? [each] : []))
    this.areToStop ||= stops.length > 0
    return {
      ...(said.some(({ kind }) => kind === 'pause' || kind === 'resume') && { paused: this.isPaused }),
      ...(stops.length > 0 && { stop: stops.some(({ now }) => now === true) ? 'now' : 'gently' }),
      hosts,
      seeds: rows.flatMap(({ at, said: each }) => (each.kind === 'seeds' ? [{ at, seeds: each.seeds }] : [])),
      published: said.reduce((sum, each) => sum + (each.kind === 'accept-held' ? (each.items ?? 0) : 0), 0),
      givenUp: said.reduce((sum, each) => sum + (each.kind === 'given-up' ? each.settled : 0), 0),
    }
  }

  #hold({ at, said }: Row): void {
    if (said.kind === 'pause' || said.kind === 'resume') this.isPaused = said.kind === 'pause'
    else if (said.kind === 'accept') for (const pattern of said.patterns) this.#accepted.add(pattern)
    else if (said.kind === 'forget-patterns') for (const pattern of said.patterns) this.#accepted.delete(pattern)
    else if ('hostKey' in said) this.#hosts.set(said.hostKey, { ...this.ofHost(said.hostKey), ...this.#ofHost(said, at) })
  }

  #ofHost(control: Extract<Control, { hostKey: string }>, at: number): Partial<OrdersOfHost> {
    if (control.kind === 'pause-host') return { pausedUntil: control.until ?? UNTIL_RESUMED }
    if (control.kind === 'resume-host') return { pausedUntil: 0 }
    if (control.kind === 'forget-host') return { forgottenAt: at }
    if (control.kind === 'accept-held') return { acceptedAt: at }
    const all = Object.entries({ ...this.ofHost(control.hostKey).limits, ...control.limits })
    return { limits: Object.fromEntries(all.filter(([, value]) => typeof value === 'number')) }
  }
}

/** Names of query parameters, decoded and in lower case, whose values any process hid. */
export function secretNamesIn(crawlMemories: readonly MemoryParts[]): readonly string[] {
  const names = crawlMemories.flatMap((memory) => coreMemory.ofCrawl(memory).secretParameters ?? [])
  return [...new Set(names)].toSorted()
}

/** Writes an order, and takes out the rows that it overrules. Throws AVO_USAGE for one too many, AVO_FRONTIER_…. */
async function written({ reader, order, change }: Written, given: Order, now: number): Promise<number> {
  const rows = await reader.orders(0)
  const orders = new Orders()
  const { seeds } = orders.take(rows)
  assertRoom(orders, seeds, given)
  const items = given.kind === 'accept-held' ? await change({ kind: 'settle-held', hostKey: given.hostKey, to: 'publish' }) : 0
  const stored = given.kind === 'accept-held' ? { ...given, items } : given
  await order(
    saidOf(stored).map((said) => JSON.stringify(said)),
    { now: Math.floor(now), drop: overruled(rows.flatMap(rowOf)) },
  )
  return items
}

/** Of a row that no version of this code has written: nothing. */
function rowOf({ at, json }: StoredOrder): readonly Row[] {
  try {
    const said = JSON.parse(json) as Said
    return typeof said.kind === 'string' ? [{ at, said }] : []
  } catch {
    return []
  }
}

/** What is listed of URLs: the first few, without what may be a secret in them. It is kept for long. */
function shortened(control: Extract<Control, { kind: 'add' }>): Control {
  const seeds = control.seeds.slice(0, 3).map((seed) => {
    const { origin, pathname } = new URL(seed.url)
    return { ...seed, url: origin + pathname }
  })
  return { ...control, seeds }
}

/** The rows of an order. The last one is what is listed, and stays: the moments of later orders rise from it. */
function saidOf(order: Order): readonly Said[] {
  return order.kind === 'add' ? [{ kind: 'seeds', seeds: order.seeds }, shortened(order)] : [order]
}

/** Throws AVO_USAGE for one order too many. */
function assertRoom({ hosts, accepted }: Orders, pending: OrderNews['seeds'], given: Order): void {
  const added = given.kind === 'add' ? pending.reduce((sum, { seeds }) => sum + seeds.length, given.seeds.length) : 0
  const open = given.kind === 'accept' ? new Set([...accepted, ...given.patterns]).size : 0
  if ('hostKey' in given && !hosts.has(given.hostKey))
    assertFew(hosts.size + 1, MAX_HOSTS, 'hosts with orders in one crawl; set what holds for many hosts in the configuration')
  assertFew(
    added,
    MAX_PENDING,
    'added URLs that no run has taken yet; run the crawl first, or give it the URLs with --seeds FILE',
  )
  assertFew(open, MAX_ACCEPTED, 'patterns for one crawl; open whole hosts: shop.example/**')
}

function assertFew(count: number, most: number, what: string): void {
  const [of, hint] = what.split('; ')
  if (count > most) throw new AvocetError('AVO_USAGE', `expected at most ${most} ${of}, got ${count}; ${hint}`)
}

/** Moments of the rows that say nothing any more, because later ones say the same of the same subject; the last ones are listed. */
function overruled(rows: readonly Row[]): readonly number[] {
  const later = new Set<string>()
  return rows.toReversed().flatMap((row, index) => {
    const subjects = subjectsOf(row)
    const isOverruled = subjects.every((subject) => later.has(subject))
    for (const subject of subjects) later.add(subject)
    return isOverruled && index >= MAX_LISTED ? [row.at] : []
  })
}

/** None of what is over once every process has read it. */
function subjectsOf({ at, said }: Row): readonly string[] {
  if (said.kind === 'seeds') return [`seeds ${at}`]
  if ('patterns' in said) return said.patterns.map((pattern) => `pattern ${pattern}`)
  if (said.kind === 'pause' || said.kind === 'resume') return ['pause']
  if (!('hostKey' in said)) return []
  if (said.kind === 'accept-held') return [`accept ${said.hostKey}`]
  if (said.kind === 'limit-host') return Object.keys(said.limits).map((name) => `${name} ${said.hostKey}`)
  return [`${said.kind === 'forget-host' ? 'forget' : 'pause'} ${said.hostKey}`]
}

function pauseOf({ hostKey, pausedUntil }: OrderedHost): readonly { readonly hostKey: string; readonly until: number }[] {
  return pausedUntil === undefined ? [] : [{ hostKey, until: pausedUntil ?? Infinity }]
}

function hidesNothing(url: string, names: readonly string[]): string {
  if (names.length === 0) return url
  throw new AvocetError('AVO_USAGE', `expected a way to hide ${names.join(', ')} in added URLs, got none; give one to give()`)
}
