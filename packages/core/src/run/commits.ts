// Group commit: units of many hosts in one transaction. One commit is in progress at a time; what comes meanwhile forms the next group.
//
// A group closes at 256 units, 20 to 50 ms after its first one, or at once when nothing is in flight and nothing is ready: cheap when busy, prompt when idle.
// Each transaction writes the same pages of indexes anew and syncs, so one for each page would double what a page costs; the longer the last one took, the
// longer the next one waits, so that all of them take some twentieth of the time. A group that had to wait for the one
// before it has what came meanwhile: a store that is far away takes larger groups, not fewer pages. A transaction stops the event loop, so one takes a
// thousand new rows at most, and waits for a turn of the loop that has room. A group that failed is repeated as it was, never in parts: it may be in the
// store. A unit with more links than that is committed alone, its first links ahead of it, a thousand at a time: each is a URL that the crawl may know of,
// whether or not its page is done, and what is known is taken once. Its outcome, its items and the last of its links are one transaction, so a crash between
// leaves the page waiting. Each host's changed memory rides on its last unit of the group, so no memory is ever older than the outcomes beside it. When the
// store cannot be written the group waits in `StoreCalls`, and what was committed before is whole.
import type { Clock } from '../ports/clock.ts'
import type { CommitResult, CommitUnit } from '../ports/frontier.ts'
import type { NewRequest } from '../ports/request.ts'
import { pluginOf } from '../ports/document-handler.ts'
import { isTapped } from '../hooks/hooks.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { countRound } from '../hosts/rounds.ts'
import { COST } from '../process/loop-budget.ts'
import { GROUP_ROWS, groupRows, groupSize, type PendingUnit } from './pending-unit.ts'
import type { Run } from './run.ts'

const GROUP_UNITS = 256
const GROUP_MS = { least: 20, most: 50 }
const COMMIT_SHARE = 1 / 20
/** Units that may wait for a store that is slow or away: they are in RAM alone, and requested again if this process is lost. */
const MAX_WAITING = 1_024
/** A server that leaves a commit unanswered for longer may hang until its hosts are lost, and all that is requested meanwhile with them. */
const SILENT_MS = 3_000

/** The units that are being committed. */
export class Commits {
  readonly #run: Run
  readonly #clock: Clock
  readonly #committed: (unit: PendingUnit, result: CommitResult) => void
  #units: PendingUnit[] = []
  #committing = 0
  /** Epoch ms since which the store has left a commit without an answer; Infinity: it has not. */
  #askedAt = Infinity
  /** How long a group waits for more units. */
  #waitMs = GROUP_MS.least
  /** The next group closes as soon as this one is committed. */
  #isDue = false
  #timer: Disposable | undefined
  #dead = false

  /** `committed`: takes the result of each unit. */
  constructor(run: Run, committed: (unit: PendingUnit, result: CommitResult) => void) {
    this.#run = run
    this.#clock = run.settings.clock
    this.#committed = committed
  }

  /** Units that are not committed yet. */
  get pending(): number {
    return this.#units.length + this.#committing
  }

  /** So many wait for the store, or one for so long, that nothing more should be requested. */
  get isFull(): boolean {
    return this.pending >= MAX_WAITING || (this.#askedAt < Infinity && this.#clock.now() - this.#askedAt > SILENT_MS)
  }

  add(unit: PendingUnit): void {
    this.#units.push(unit)
    if (this.#units.length >= GROUP_UNITS) this.flush()
    else this.#timer ??= this.#clock.at(this.#clock.now() + this.#waitMs, () => this.flush())
  }

  /** Closes the group now, unless one is being committed. */
  flush(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    this.#isDue = this.#committing > 0
    if (this.#committing > 0 || this.#units.length === 0 || this.#dead) return
    const units = this.#units.splice(0, groupSize(this.#units))
    this.#committing = units.length
    this.#isDue = this.#units.length > 0
    const cost = COST.row * Math.min(GROUP_ROWS, groupRows(units))
    this.#run.settings.loop
      .whenRoom(cost, () => this.#commit(units))
      .catch((error: unknown) => {
        this.#dead = true
        this.#run.fail(error)
      })
      .finally(() => {
        this.#committing = 0
        if (this.#isDue) this.flush()
        this.#run.goOn()
      })
  }

  async #commit(units: readonly PendingUnit[]): Promise<void> {
    const [first] = units
    if (first !== undefined && first.links.length > GROUP_ROWS) return this.#commitLarge(first)
    const written = this.#commitUnitsOf(units)
    const results = await this.#answered(written)
    results.forEach((result, index) => {
      const unit = units[index]
      const one = written[index]
      if (unit !== undefined && one !== undefined) this.#ended(unit, one, result)
    })
  }

  #answered(units: readonly CommitUnit[]): Promise<readonly CommitResult[]> {
    const { calls } = this.#run
    this.#askedAt = this.#clock.now()
    return calls.make('commit', () => this.#timed(units)).finally(() => (this.#askedAt = Infinity))
  }

  async #timed(units: readonly CommitUnit[]): Promise<readonly CommitResult[]> {
    const startedAt = this.#clock.now()
    const results = await this.#run.settings.frontier.commit(units)
    const tookMs = this.#clock.now() - startedAt
    this.#waitMs = Math.min(GROUP_MS.most, Math.max(GROUP_MS.least, tookMs / COMMIT_SHARE))
    return results
  }

  /** Links first, then the unit with the last of them. What would not take the links does not get the unit. */
  async #commitLarge(unit: PendingUnit): Promise<void> {
    const { links } = unit
    let ahead: CommitResult = { status: 'committed', gained: [], added: 0, known: 0 }
    let at = 0
    for (; links.length - at > GROUP_ROWS; at += GROUP_ROWS) {
      const result = await this.#commitLinks(unit.host, links.slice(at, at + GROUP_ROWS))
      ahead = both(ahead, result)
      if (result.status !== 'committed') return this.#committed(unit, ahead)
      await this.#run.settings.loop.room(COST.row * GROUP_ROWS)
    }
    const written = this.#commitUnitsOf([{ ...unit, links: links.slice(at) }])
    const [one] = written
    const [result] = await this.#answered(written)
    if (result !== undefined && one !== undefined) this.#ended(unit, one, both(ahead, result))
  }

  #ended(unit: PendingUnit, written: CommitUnit, result: CommitResult): void {
    const { status, published = 0, changes = 0 } = result
    if (status === 'committed') {
      unit.whenCommitted?.()
      this.#run.sinks.committed(unit.items, { published, changes })
    } else {
      this.#count(unit, -1)
      this.#run.memories.notWritten(unit.host, written)
    }
    this.#committed(unit, result)
  }

  /** In memory that is written with the unit; takes it back where `times` is -1. */
  #count(unit: PendingUnit, times: 1 | -1): void {
    const { host, request, outcome, items, held, dropped = 0, rejects = [], offered: links, refused } = unit
    countRound(host.core, unit, times)
    if (this.#isDocument(unit)) countDocument(unit, times)
    const { onCommit } = this.#run.hooks
    if (request === undefined || outcome === undefined || !isTapped(onCommit)) return
    const counts = { items: items.length, held: held?.items.length ?? 0, dropped, rejects: rejects.length, links, refused }
    onCommit.call({ host, request, outcome, ...counts, isDocument: unit.isListing === true, times })
  }

  /** Whether it is a handler of a plugin that sees it, be it one that this run does not have. */
  #isDocument({ request }: PendingUnit): boolean {
    if (request === undefined || pluginOf(request.handler) === undefined) return false
    const { documents, spider } = this.#run.settings
    return documents.has(request.handler) || !Object.hasOwn(spider.handlers, request.handler)
  }

  async #commitLinks(host: LiveHost, links: readonly NewRequest[]): Promise<CommitResult> {
    // The same units each time: that is how a store knows a group that is written again.
    const units = [{ lease: host.token, links, items: [] }]
    const [result] = await this.#answered(units)
    return result ?? { status: 'fenced', gained: [], added: 0, known: 0 }
  }

  /** Units as the frontier takes them: memory on the last unit of each host, crawl memory on the last of all. */
  #commitUnitsOf(units: readonly PendingUnit[]): readonly CommitUnit[] {
    const lastOf = new Map<LiveHost, PendingUnit>()
    for (const unit of units) {
      lastOf.set(unit.host, unit)
      this.#count(unit, 1)
    }
    const crawlMemory = this.#run.memories.changedCrawl()
    return units.map((unit, index): CommitUnit => {
      const { host, request, outcome, links, items, rejects, records, held, settlesHeld } = unit
      const page = { requestId: request?.id, outcome, links, items, rejects, records, watch: watchOf(unit), held, settlesHeld }
      const memory = lastOf.get(host) === unit ? this.#run.memories.changedHost(host) : undefined
      return { lease: host.token, ...page, memory, crawlMemory: index === units.length - 1 ? crawlMemory : undefined }
    })
  }
}

/** A page that a link or a seed wants again is asked for by it in the next run, too. */
function watchOf({ watch, request, outcome }: PendingUnit): CommitUnit['watch'] {
  if (watch === undefined) return outcome !== undefined && 'gone' in outcome ? { shows: 'gone' } : undefined
  const isOnce = (request?.earlier ?? request?.again) === undefined && outcome?.kind === 'done' && outcome.again === undefined
  return isOnce ? { ...watch, isOnce } : watch
}

/** The result of two transactions of one unit. */
function both(ahead: CommitResult, last: CommitResult): CommitResult {
  return {
    ...last,
    gained: [...ahead.gained, ...last.gained],
    added: ahead.added + last.added,
    known: ahead.known + last.known,
    asked: (ahead.asked ?? 0) + (last.asked ?? 0),
  }
}

// How many documents of plugins, such as sitemaps and files, a host has given that are done: no handler of the spider saw them, so what is said of pages
// leaves them out. A sitemap that is read again in each run may be gone by then, or come after it had failed: what it was before decides.

/** Counts what the document of a unit is now in place of what it was, and takes that back where `times` is -1. */
function countDocument({ host: { core }, request, outcome }: PendingUnit, times: 1 | -1): void {
  if (request === undefined || outcome === undefined || outcome.kind === 'retry') return
  const before = request.was === 'done' ? 1 : 0
  const gained = (outcome.kind === 'done' ? 1 : 0) - before
  if (gained !== 0) core.documents = (core.documents ?? 0) + gained * times
}
