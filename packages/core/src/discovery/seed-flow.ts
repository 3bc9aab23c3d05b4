// Seeds, read while the crawl already runs: a batch at a time, so that a million of them take no more memory than a thousand.
//
// The first 5,000 of a list are checked, and in the store, before the crawl begins; and what the store takes in a third of a second: of 16,000 at 800 hosts
// all, so that all hosts begin together. The others follow while it runs, if they are URLs alone: a link to one of them is that seed (listed-seeds.ts). Where
// seeds say more or values are hidden, all are offered before: a link to such a page could be known first, or a page be sent without its secret. The hosts of
// all belong to the crawl from its opening on.
//
// A generator may wait, for a queue or a database: what it has yielded is offered a second after the first seed of a batch, and a stop waits for none. The
// first batch is read before the crawl begins, and what is wrong with it fails the crawl; without any seed the crawl begins after a minute. Later, a generator
// that throws has its error told and is read again in the next round (`everyMs`), or in the next run; a seed that is none is left out and told. What is known
// already is not requested again, so a run need not know what an earlier one has read. Hosts of later seeds join the scope when they are read.
import { AvocetError, messageOf } from '../values/errors.ts'
import { parseUrl } from '../url/parse-url.ts'
import { formatDuration } from '../values/duration-text.ts'
import type { Run } from '../run/run.ts'
import type { Seed } from '../ports/seed.ts'
import type { CrawlStatus } from '../ports/report.ts'
import type { Spider } from '../ports/spider.ts'
import type { Discoveries } from './discovery.ts'
import { ListedSeeds } from './listed-seeds.ts'
import { checkedSeed, offerSeeds, SEEDS_AT_ONCE, usableSeeds, type CheckedSeed } from './seeds.ts'

/** Of a list. */
const FIRST_OF_LIST = 5_000
/** For the rest of a list, before the crawl begins: its first request is to go within a second. */
const BEFORE_MS = 300
/** Scheme and authority of a URL, however it is written. */
const BEFORE_PATH = /^[^/\\]*[/\\]*[^/\\?#]*/
/** Requests that wait in the store while no more seeds of a function are read. */
const MOST_WAITING = 20_000
const PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** How long a seed waits for the others of its batch. */
const BATCH_MS = 1_000
/** How long a crawl waits for its first seed: it may have pages of earlier runs to request. */
const FIRST_MS = 60_000

type Offer = (seeds: readonly CheckedSeed[]) => Promise<void>
type Seeds = Extract<Spider['seeds'], () => unknown>

/** What seeds that were read are handed to. */
export interface SeedTaker {
  readonly discoveries: Discoveries
  /** Hosts of seeds belong to the crawl. */
  takeSeeds(urls: readonly string[]): Promise<void>
}

/** Seeds to begin with, checked, and a URL of each origin of all that are known. */
export interface FirstSeeds {
  readonly first: readonly CheckedSeed[]
  readonly urls: readonly string[]
}

/** Reads the seeds of a run. */
export class SeedFlow {
  readonly #run: Run
  #rest: AsyncGenerator<string | Seed> | undefined
  /** A list, and how many seeds of it were offered, or of this reading of a function. */
  #list: readonly (string | Seed)[] = []
  #offered = 0
  /** A function had more as it was stopped. */
  #isCut = false
  /** What the generator was asked for, and has not answered yet, or that it threw. */
  #next: Promise<IteratorResult<string | Seed>> | undefined
  #taker: SeedTaker | undefined
  #timer: Disposable | undefined
  #goOn: () => void = () => {}
  #isReading = false
  /** Whether nothing more is to be offered. */
  isStopped = false
  #offering: Promise<unknown> = Promise.resolve()

  constructor(run: Run) {
    this.#run = run
  }

  /** Whether there may be more at any moment. */
  get busy(): boolean {
    return this.#isReading && !this.isStopped
  }

  /** How far it is; undefined once all seeds were offered. */
  get progress(): CrawlStatus['seeds'] {
    const [offered, of] = [this.#offered, this.#list.length]
    if (of > 0) return offered < of ? { offered, of } : undefined
    return this.#isCut || this.#rest !== undefined ? { offered } : undefined
  }

  /** The seeds to begin with. Throws AVO_SEED_INVALID, also for what the function throws. */
  async first(): Promise<FirstSeeds> {
    const { settings } = this.#run
    const { seeds } = settings.spider
    const entries = typeof seeds === 'function' ? await this.#firstOf(seeds) : (this.#list = seeds)
    const first = entries.slice(0, FIRST_OF_LIST).map((entry) => checkedSeed(entry, settings))
    return { first, urls: urlByOrigin(entries) }
  }

  /** Offers, before the crawl begins, the `first` ones and what must not follow while it runs. */
  async before(first: readonly CheckedSeed[], discoveries: Discoveries): Promise<void> {
    const { settings } = this.#run
    const offer: Offer = (seeds) => offerSeeds(seeds, discoveries, this.#run, () => !this.isStopped)
    const until = settings.offersSeeds ? settings.clock.now() + BEFORE_MS : 0
    await offer(first)
    if (!this.isStopped) this.#offered = first.length
    const later = this.#list.slice(FIRST_OF_LIST)
    const areUrlsAlone = settings.codec.current.names.length === 0 && later.every((entry) => typeof entry === 'string')
    await this.#offerLater(offer, areUrlsAlone ? until : Infinity)
    if (areUrlsAlone && !this.isStopped && this.#offered < this.#list.length)
      discoveries.listed = new ListedSeeds(later.slice(this.#offered - FIRST_OF_LIST), settings)
    if (areUrlsAlone && !settings.offersSeeds) this.#offered = this.#list.length
  }

  /** Goes on behind the first ones. */
  begin(taker: SeedTaker): void {
    this.#taker = taker
    if (this.#rest !== undefined || this.#offered < this.#list.length) void this.#flow()
    else this.#again()
  }

  /** Reads no more. */
  stop(): void {
    this.isStopped = true
    this.#timer?.[Symbol.dispose]()
    this.#goOn()
    // Not waited for: it may hang where it is.
    void this.#rest?.return(undefined).catch(() => {})
    this.#isCut ||= this.#rest !== undefined
    this.#rest = undefined
  }

  /** Resolves when what was read is offered; the generator is not waited for. */
  async settled(): Promise<void> {
    await this.#offering.catch(() => {})
  }

  async #flow(): Promise<void> {
    this.#isReading = true
    try {
      await this.#offerLater((seeds) => this.#offer(seeds), Infinity)
      if (this.#taker !== undefined && !this.isStopped) this.#taker.discoveries.listed = undefined
      while (this.#rest !== undefined && !this.isStopped) {
        await this.#untilRoom()
        // Virtual time stands still while the generator is waited for.
        using _hold = this.#run.calls.hold('seeds')
        await this.#offerNext(await this.#batch(Infinity), (seeds) => this.#offer(seeds))
      }
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#isReading = false
      this.#rest = this.#next = undefined
      this.#again()
      this.#run.goOn()
    }
  }

  async #offerLater(offer: Offer, until: number): Promise<void> {
    const { clock } = this.#run.settings
    while (this.#offered < this.#list.length && !this.isStopped && clock.now() < until)
      await this.#offerNext(this.#list.slice(this.#offered, this.#offered + SEEDS_AT_ONCE), offer)
  }

  /** Those that are none are named by their numbers. */
  async #offerNext(entries: readonly (string | Seed)[], offer: Offer): Promise<void> {
    const seeds = await usableSeeds(entries, this.#run, (index) => `a seed (number ${this.#offered + index + 1})`)
    if (this.isStopped) return
    await offer(seeds)
    this.#offered += entries.length
  }

  async #firstOf(seeds: Seeds): Promise<readonly (string | Seed)[]> {
    this.#rest = readAll(seeds)
    return this.#batch(FIRST_MS, true).catch((cause: unknown) => {
      const { name } = this.#run.settings.spider
      throw new AvocetError('AVO_SEED_INVALID', `the seeds of spider ${name} threw: ${messageOf(cause)}`, { cause })
    })
  }

  /** The next ones, as they come; the first of them within `firstMs`. When there are no more, the rest is over. What came before an error counts. */
  async #batch(firstMs: number, isFirst = false): Promise<readonly (string | Seed)[]> {
    const entries: (string | Seed)[] = []
    let enough = this.#pause(firstMs)
    try {
      while (entries.length < SEEDS_AT_ONCE && this.#rest !== undefined) {
        this.#next ??= this.#rest.next()
        const step = await Promise.race([this.#next, enough])
        if (step === undefined) break
        this.#next = undefined
        if (step.done === true) this.#rest = undefined
        else if (entries.push(step.value) === 1) enough = this.#pause(BATCH_MS)
      }
    } catch (error) {
      // The next batch meets it again.
      if (isFirst || entries.length === 0) throw error
    }
    this.#timer?.[Symbol.dispose]()
    return entries
  }

  /** Waits while the store has enough to request. What waits at hosts that do not answer holds the seeds of others up for a minute at most. */
  async #untilRoom(): Promise<void> {
    const { settings, tally } = this.#run
    const { clock } = settings
    const until = clock.now() + LONGEST_PAUSE_MS
    while (tally.totals.waiting > MOST_WAITING && clock.now() < until && !this.isStopped) await this.#pause(PAUSE_MS)
  }

  /** Resolves after `ms`, or at a stop. */
  #pause(ms: number): Promise<undefined> {
    const { clock } = this.#run.settings
    this.#timer?.[Symbol.dispose]()
    return new Promise((resolve) => {
      this.#goOn = () => resolve(undefined)
      this.#timer = ms === Infinity ? undefined : clock.at(clock.now() + ms, this.#goOn)
      if (this.isStopped) this.#goOn()
    })
  }

  async #offer(seeds: readonly CheckedSeed[]): Promise<void> {
    const taker = this.#taker
    if (taker === undefined || seeds.length === 0 || this.isStopped) return
    const taken = taker.takeSeeds(seeds.map(({ url }) => url))
    this.#offering = taken.then(() => offerSeeds(seeds, taker.discoveries, this.#run, () => !this.isStopped))
    await this.#offering.catch((error: unknown) => {
      // The store, not the generator.
      if (!this.isStopped) this.#run.fail(error)
      this.stop()
    })
  }

  #failed(error: unknown): void {
    if (this.isStopped) return
    const { seedsEveryMs: everyMs } = this.#run.revisits
    const when = everyMs === Infinity ? 'in the next run' : `after ${formatDuration(everyMs)}`
    this.#run.tally.problem(
      `reading the seeds failed after ${this.#offered} of them: ${messageOf(error)}; the crawl goes on, and they are read again ${when}`,
    )
  }

  /** A function is called again at each interval; Infinity: in the next run. */
  #again(): void {
    const { clock, spider } = this.#run.settings
    const { seedsEveryMs: everyMs } = this.#run.revisits
    const { seeds } = spider
    if (everyMs === Infinity || typeof seeds !== 'function' || this.isStopped) return
    this.#timer = clock.at(clock.now() + everyMs, () => {
      this.#offered = 0
      this.#rest = readAll(seeds)
      void this.#flow()
    })
  }
}

/** What the function throws is an error of reading, as what its generator throws. */
async function* readAll(seeds: Seeds): AsyncGenerator<string | Seed> {
  yield* seeds()
}

/** A URL of each beginning up to the path: to parse a million would take seconds. Those next to each other are often of one. */
function urlByOrigin(entries: readonly (string | Seed)[]): readonly string[] {
  const urls = new Map<string, string | undefined>()
  let last = ' '
  for (const entry of entries) {
    const url: unknown = typeof entry === 'string' ? entry : entry?.url
    if (typeof url !== 'string' || (url.startsWith(last) && url[last.length] === '/')) continue
    last = BEFORE_PATH.exec(url)?.[0] ?? ' '
    if (!urls.has(last)) urls.set(last, parseUrl(url))
  }
  return [...urls.values()].filter((url) => url !== undefined)
}
