// One crawl as the page sees it: its store, and over it what this process knows of it where it runs the crawl itself.
//
// What the store says is kept for a second or longer, and for longer beside a running crawl; the scene, which has totals, rates and what waits, is of now.
import { atRest, Orders } from '@avocet/at-rest'
import type { CrawlConfig } from '@avocet/core'
import type { Clock, FrontierReader } from '@avocet/core/store'
import type {
  CrawlHead,
  CrawlSource,
  FailuresPicture,
  History,
  HostLines,
  HostPicture,
  HostsWish,
  ItemsPicture,
  NowPicture,
  PolitenessSheet,
  Series,
  UrlPicture,
} from '@avocet/dashboard'
import { runsOf } from '@avocet/plugin-journal'
import { historiansOf } from '@avocet/project/plan'
import { shownName } from '@avocet/project/store'
import { crawlAtRest, sinksAtRest } from '../store/at-rest.ts'
import { phaseOf } from '../store/status.ts'
import { idleUntil } from '../view/phase-words.ts'
import type { Scene } from '../view/scene.ts'
import { historyOfCrawl, hostPicture } from './host-pictures.ts'
import { HostRows } from './host-rows.ts'
import { KeptFor } from './kept-for.ts'
import { nowAtRest, nowOfScene, type StoreTotals } from './now-picture.ts'
import { givenUpPages, urlPicture } from './url-pictures.ts'

/** What is watched. */
export interface WatchedParts {
  readonly name: string
  /** Address of the store. */
  readonly store: string
  readonly reader: FrontierReader
  readonly config: Partial<CrawlConfig>
  readonly clock: Clock
  /** Paths are told from there. */
  readonly folder: string
  /** The crawl as it is, where this process runs it. */
  readonly live?: () => Scene
  /** Whether what takes long is waited for: for a file, which is written once. Default: not. */
  readonly isPatient?: boolean
}

const [AT_REST_MS, LIVE_MS, SLOW_MS, HISTORY_MS] = [1_000, 2_000, 3_000, 10_000]
/** As many pages may be open. */
const MAX_PICTURES = 8
const NO_SERIES: Series = { widthMs: 0, points: [] }
const NO_HISTORY: History = { hour: NO_SERIES, day: NO_SERIES, week: NO_SERIES, whole: NO_SERIES }

/** The source of one crawl. */
export class WatchedCrawl implements CrawlSource {
  readonly #parts: WatchedParts
  readonly #table: HostRows
  readonly #totals: KeptFor<StoreTotals>
  readonly #history: KeptFor<History>
  readonly #failures: KeptFor<FailuresPicture>
  readonly #items: KeptFor<ItemsPicture>
  #isOrderedToPause = false
  #liveProcesses = 0
  readonly #pictures = new Map<string, KeptFor<AnyPicture>>()

  constructor(parts: WatchedParts) {
    const { folder, live, clock } = parts
    // Beside a crawl of this process nothing may hold it up.
    const reader = live === undefined ? parts.reader : yieldingReader(parts.reader)
    this.#parts = { ...parts, reader }
    this.#table = new HostRows(this.#parts)
    this.#totals = new KeptFor({ clock, keepMs: live === undefined ? AT_REST_MS : LIVE_MS, find: () => this.#readTotals() })
    this.#history = new KeptFor({
      clock,
      keepMs: HISTORY_MS,
      find: async () => historyOfCrawl(await atRest(reader), clock.now()),
    })
    this.#failures = new KeptFor({ clock, keepMs: SLOW_MS, find: () => givenUpPages(reader, folder) })
    this.#items = new KeptFor({ clock, keepMs: AT_REST_MS, find: () => itemsPicture(reader) })
  }

  async head(): Promise<CrawlHead> {
    const { name, store: path, live } = this.#parts
    const store = shownName(path)
    if (live !== undefined) {
      const { status } = live().glance
      const { phase, now: at, pausedFor = null } = status
      return { name, store, phase, at, pausedFor, idleUntil: idleUntil(status) ?? null, trouble: null }
    }
    const { phase, orders } = await this.#totals.ask()
    const pausedFor = orders.isPaused ? 'by an operator' : null
    return { name, store, phase, at: this.#now, pausedFor, idleUntil: null, trouble: null }
  }

  async now(): Promise<NowPicture> {
    const { live } = this.#parts
    const stored = await this.#totals.ask()
    return live === undefined ? nowAtRest(stored, this.#now) : nowOfScene(live(), stored)
  }

  async history(): Promise<History> {
    // What costs more than a moment is not waited for by the numbers of now.
    if (this.#parts.isPatient === true) return this.#history.ask()
    return this.#history.soon() ?? NO_HISTORY
  }

  hosts(wish: HostsWish): Promise<HostLines> {
    return this.#table.lines(wish)
  }

  async host(hostKey: string): Promise<HostPicture | undefined> {
    return this.#kept(`host ${hostKey}`, () => this.#hostAsStored(hostKey))
  }

  async url(url: string): Promise<UrlPicture> {
    const { reader, store: storePath, config, folder } = this.#parts
    return this.#kept(`url ${url}`, () => urlPicture({ reader, storePath, config, folder, url, now: this.#now }))
  }

  items(): Promise<ItemsPicture> {
    return this.#items.ask()
  }

  failures(): Promise<FailuresPicture> {
    return this.#failures.ask()
  }

  async politeness(hostKey: string): Promise<PolitenessSheet | undefined> {
    const { reader, config } = this.#parts
    return this.#kept(`politeness ${hostKey}`, async () => {
      const [record] = await reader.hosts({ hostKey })
      if (record === undefined) return undefined
      const [{ politenessSheet }, { hostReport }] = [
        await import('../treatment/politeness-sheet.ts'),
        await import('../treatment/host-report.ts'),
      ]
      const crawl = await crawlAtRest(reader)
      const about = { name: (await reader.info()).name, now: this.#now, lastRuns: runsOf(crawl) }
      return politenessSheet(hostReport(crawl, record, { explainersFor: historiansOf(config), now: about.now }), about)
    })
  }

  /** Whether the crawl was ordered to pause, as it was last read. */
  get isOrderedToPause(): boolean {
    return this.#isOrderedToPause
  }

  /** Processes that crawl, as it was last read. */
  get liveProcesses(): number {
    return this.#liveProcesses
  }

  /** Something was changed: what is shown next is read anew, and so is what can be done. */
  async renew(): Promise<void> {
    for (const kept of [this.#totals, this.#failures, this.#items]) kept.forget()
    this.#pictures.clear()
    // A store that cannot be read now says so where it is shown.
    await this.#totals.ask().catch(() => undefined)
  }

  async #readTotals(): Promise<StoreTotals> {
    const { reader, live, store } = this.#parts
    const orders = await Orders.of(reader)
    this.#isOrderedToPause = orders.isPaused
    const counts = await reader.counts()
    const info = await reader.info()
    const judged = await this.#table.judged()
    this.#liveProcesses = info.liveProcesses
    return {
      ...{ counts, orders, judged },
      liveProcesses: info.liveProcesses,
      phase: phaseOf(info),
      failures: live === undefined ? await reader.failures() : [],
      sinks: live === undefined ? await sinksAtRest(reader, store) : [],
    }
  }

  get #now(): number {
    return this.#parts.clock.now()
  }

  async #hostAsStored(hostKey: string): Promise<HostPicture | undefined> {
    const { reader, store: storePath, config, folder } = this.#parts
    const [record] = await reader.hosts({ hostKey })
    if (record === undefined) return undefined
    const line = await this.#table.line(record)
    return hostPicture({ reader, storePath, config, record, now: this.#now, line, folder })
  }

  /** The last few that were looked at. */
  async #kept<Picture extends AnyPicture>(key: string, find: () => Promise<Picture>): Promise<Picture> {
    const kept = this.#pictures.get(key) ?? new KeptFor<AnyPicture>({ clock: this.#parts.clock, keepMs: AT_REST_MS, find })
    this.#pictures.delete(key)
    this.#pictures.set(key, kept)
    const [oldest] = this.#pictures.size > MAX_PICTURES ? this.#pictures.keys() : []
    if (oldest !== undefined) this.#pictures.delete(oldest)
    return (await kept.ask()) as Picture
  }
}

type AnyPicture = HostPicture | UrlPicture | PolitenessSheet | undefined

/** The same store; whoever loops over its pages gives way between two of them. */
function yieldingReader(reader: FrontierReader): FrontierReader {
  return new Proxy(reader, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...said: readonly unknown[]): Promise<unknown> => {
        await new Promise((done) => setImmediate(done))
        return Reflect.apply(member, target, said) as unknown
      }
    },
  })
}

// The newest items of a store, and those that were refused.

const SHOWN = 50
/** Longer items are cut: a page may yield megabytes. */
const MAX_CHARACTERS = 4_000
const MAX_REJECTS = 50

/** As they are now. */
async function itemsPicture(reader: Pick<FrontierReader, 'items' | 'counts' | 'rejects' | 'problems'>): Promise<ItemsPicture> {
  const newest = await reader.items({ newestFirst: true, limit: SHOWN })
  const { items: count, rejects: rejectCount = 0 } = await reader.counts()
  const rejects = rejectCount === 0 ? [] : await reader.rejects({ limit: MAX_REJECTS })
  const groups = rejectCount === 0 ? [] : (await reader.problems()).rejects
  return {
    count,
    items: newest.map(({ seq, url, json }) => ({ seq, url, json: cut(json) })),
    rejectCount,
    rejectGroups: groups.map(({ source, reason, count: times }) => ({ source, reason, count: times })),
    rejects: rejects.map(({ id, source, url, reason, json }) => ({ id: String(id), source, url, reason, json: cut(json) })),
  }
}

function cut(json: string): string {
  return json.length > MAX_CHARACTERS ? `${json.slice(0, MAX_CHARACTERS)}…` : json
}
