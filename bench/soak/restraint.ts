// Holds the crawl to its manners: nobody is asked more often than the rules allow, the dead less and less, and the closed not at all.
import type { SimulatedWeb } from '@avocet/simulator'
import { momentOf, type Findings } from './findings.ts'
import type { PageLife } from './page-life.ts'
import { isTroubled, type Span, type Trouble } from './trouble.ts'
import type { Shop, SoakWorld } from './world.ts'
import type { Witness } from './witness.ts'

const DAY_MS = 24 * 3_600_000

/** Attempts of one visit in a day, at most: four that count; and where a whole host is down, some that do not. */
const ATTEMPTS = 6
/** A dead host: six requests in its first minute, then one a minute at most for the first hour, then one an hour; as many again for robots.txt. */
const DEAD_FIRST_DAY = 2 * (6 + 60 + 24)
const DEAD_LATER_DAY = 2 * 24 + 6
/** Three at a time, rests of a second that double to a minute. */
const FEELERS_A_MINUTE = 6
/** Of each host when the network goes. */
const UNDER_WAY = 2
/** Once failures count again a host costs six requests in its first minute, six more in its first hour, then one an hour. */
const FIRST_HOUR = 12
/** robots.txt is kept for a day. */
const ROBOTS = 3
/** What fails page by page, and says nothing of the host. */
const OF_THE_PAGE: ReadonlySet<string> = new Set(['truncate', 'endless', 'drip', 'stall'])

/** Looks at each day when it is over. */
export class Restraint {
  readonly #world: SoakWorld
  readonly #web: SimulatedWeb
  readonly #findings: Findings
  /** Requests during a Retry-After that were told already, by host. */
  readonly #told = new Map<string, number>()

  constructor(world: SoakWorld, web: SimulatedWeb, findings: Findings) {
    this.#world = world
    this.#web = web
    this.#findings = findings
  }

  endOfDay(pages: Iterable<PageLife>, witness: Witness, day: Span): void {
    const again = this.#begunAgain(day)
    const where = `on day ${momentOf(day.fromMs).split(' ')[0] ?? ''}`
    for (const page of pages) {
      const rounds = Math.ceil((day.untilMs - day.fromMs) / page.everyMs) + 1 + again
      const isFair = !isTroubled(day, page.everyMs, page.troubles)
      // The probes of a breaker may all be of one page; how often a dead host is asked is looked at below.
      const most = isFair ? rounds : Math.max(rounds * ATTEMPTS, FIRST_HOUR + 24)
      if (page.askedToday > most)
        this.#tell(
          'asked too often',
          isFair,
          page.troubles,
          day,
          `${page.url}: ${String(page.askedToday)} times ${where}, at most ${String(most)}`,
        )
      if (page.servedToday > rounds)
        this.#tell(
          'served too often',
          isFair,
          page.troubles,
          day,
          `${page.url}: ${String(page.servedToday)} times ${where}, at most ${String(rounds)}`,
        )
    }
    this.#offline(witness.offline, { day, where })
    for (const shop of this.#world.shops) this.#endOfDay(shop, witness, { day, again, where })
  }

  #endOfDay(shop: Shop, witness: Witness, { day, again, where }: { day: Span; again: number; where: string }): void {
    const { name, troubles } = shop
    const felt = witness.hosts.get(name)
    const all = [...troubles, ...this.#world.own.troubles]
    const isFair = !isTroubled(day, DAY_MS, all)
    const robots = isFair ? ROBOTS + again : DEAD_FIRST_DAY
    if (felt !== undefined && felt.robots > robots)
      this.#tell(
        'robots.txt too often',
        isFair,
        all,
        day,
        `${name}: ${String(felt.robots)} times ${where}, at most ${String(robots)}`,
      )
    this.#dead(shop, felt?.failed ?? 0, { day, where })
    const early = this.#web.felt(name).duringRetryAfter
    // Who dies on such an answer has not written it down; a clock that is wrong says that it is over; one that was behind wrote it down too early.
    const excused = (this.#told.get(name) ?? 0) + again + this.#wrongClocks(shop, day)
    if (early > excused) {
      this.#tell('asked during Retry-After', isFair, all, day, `${name}: ${String(early - excused)} times ${where}`)
    }
    this.#told.set(name, early)
  }

  /** While our own network is down a few exchanges feel for it; after an hour failures count, and each host cools down. */
  #offline(failed: number, { day, where }: { day: Span; where: string }): void {
    const outages = this.#world.own.clientOutages.filter(({ fromMs, untilMs }) => fromMs < day.untilMs && untilMs > day.fromMs)
    const minutes = outages.reduce(
      (sum, { fromMs, untilMs }) => sum + (Math.min(untilMs, day.untilMs) - Math.max(fromMs, day.fromMs)) / 60_000,
      0,
    )
    const afterAnHour = minutes > 60 ? FIRST_HOUR + minutes / 60 : 0
    const most = Math.ceil(this.#world.shops.length * (outages.length * UNDER_WAY + afterAnHour) + minutes * FEELERS_A_MINUTE)
    const styles = [...new Set(outages.map(({ style }) => style))].sort()
    if (failed > most)
      this.#findings.add(
        'asked too often without a network',
        `with ${styles.join(', ')}`,
        `${String(failed)} failures ${where} in ${minutes.toFixed(0)} min, at most ${String(most)}`,
      )
  }

  /** Whole days at a dead host, and the first. */
  #dead({ name, troubles, products }: Shop, failed: number, { day, where }: { day: Span; where: string }): void {
    const near = troubles.filter(({ fromMs, untilMs }) => fromMs < day.untilMs && untilMs > day.fromMs)
    const dead = near.filter(({ kind }) => kind === 'outage' || kind === 'dns' || kind === 'certificate')
    if (dead.length === 0 || near.some(({ kind, how }) => kind === 'flapping' || OF_THE_PAGE.has(how))) return
    // What our own troubles cost is not the host's.
    if (isTroubled(day, 0, this.#world.own.troubles)) return
    const begun = dead.filter(({ fromMs }) => fromMs >= day.fromMs).length
    const most = begun === 0 ? DEAD_LATER_DAY : begun * DEAD_FIRST_DAY
    if (failed > most + products)
      this.#tell(
        'a dead host is asked too often',
        false,
        dead,
        day,
        `${name}: ${String(failed)} failures ${where}, at most ${String(most + products)}`,
      )
  }

  /** Runs with a wrong clock since a shop closed that is closed today. */
  #wrongClocks({ troubles }: Shop, day: Span): number {
    const closures = troubles.filter(
      ({ kind, fromMs, untilMs }) => kind === 'closure' && fromMs < day.untilMs && untilMs > day.fromMs,
    )
    const wrong = this.#world.own.troubles.filter(({ kind, fromMs }) => kind === 'clock' && fromMs < day.untilMs)
    return wrong.filter((clock) => closures.some(({ fromMs, untilMs }) => clock.fromMs < untilMs && clock.untilMs > fromMs))
      .length
  }

  /** How often in a day pages may be asked for once more than their rounds: runs that begin, clocks that jump. */
  #begunAgain({ fromMs, untilMs }: Span): number {
    const edges = this.#world.own.troubles
      .filter((trouble) => trouble.kind !== 'network' && trouble.kind !== 'portal')
      .flatMap((trouble) => [trouble.fromMs, trouble.untilMs])
    return edges.filter((at) => at >= fromMs && at <= untilMs).length
  }

  #tell(check: string, isFair: boolean, troubles: readonly Trouble[], day: Span, example: string): void {
    const near = troubles.filter((trouble) => isTroubled(day, 0, [trouble]))
    const words = [...new Set(near.map(({ kind, how }) => (kind === how ? kind : `${kind} ${how}`)))].sort()
    this.#findings.add(check, isFair || words.length === 0 ? 'in fair weather' : `with ${words.slice(0, 4).join(', ')}`, example)
  }
}
