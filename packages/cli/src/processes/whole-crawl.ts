// The processes of one command as one crawl: what is shown of it while they run, and its report.
//
// Counts of the run are those that the processes tell, added up; totals are those of the store, which knows what all have done. They differ by a beat.
import type { CrawlConfig, CrawlReport } from '@avocet/core'
import type { Clock, Counts } from '@avocet/core/store'
import type { CrawlStatus } from '@avocet/core/tools'
import { byName } from '../text/by-name.ts'
import { Pace } from '../view/pace.ts'
import type { HostLabel, HostRow, Scene, TroubleCount } from '../view/scene.ts'
import type { FromWorker, SentError } from './process-messages.ts'
import { mergedSinks, sumOfRuns, wholeReport, type StoredParts } from './whole-report.ts'

/** What the command knows of its crawl. */
interface Known {
  /** What bounds it: what is left of it is worked out from that. */
  readonly bounds: Pick<CrawlConfig, 'patienceMs' | 'maxTimeMs' | 'maxPages'>
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** Totals of the store, as they were read last. */
  readonly counts: () => Counts | undefined
}

/** What processes that died had counted. */
type Past = Pick<Scene, 'failures' | 'troubles'> & { readonly runs: readonly CrawlStatus['run'][] }

/** Kinds of trouble of dead processes that are remembered: the most frequent ones. */
const MAX_KINDS = 100
const PHASES = ['running', 'paused', 'draining', 'closed', 'opening'] as const satisfies readonly CrawlStatus['phase'][]

/** The crawl of one command. */
export class WholeCrawl {
  readonly #known: Known
  readonly #pace: Pace
  readonly #startedAt: number
  readonly #scenes = new Map<number, Scene>()
  /** When each that crawls was seen last, in monotonic ms: it shows itself four times a second. */
  readonly #seenAt = new Map<number, number>()
  readonly #reports = new Map<number, CrawlReport>()
  #past: Past = { runs: [], failures: [], troubles: [] }
  #resumed: boolean | undefined
  #outputError: SentError | undefined

  constructor(known: Known) {
    this.#known = known
    this.#pace = new Pace(known.bounds)
    this.#startedAt = known.clock.now()
  }

  /** The first error of an output. */
  get outputError(): SentError | undefined {
    return this.#outputError
  }

  /** Why it ends for all, when it has ended for one: it has failed there, or somebody has ordered that it stops. */
  get endsForAll(): boolean {
    return [...this.#reports.values()].some(({ ended }) => ended === 'failed' || ended === 'stopped')
  }

  /** Whether none that has ended could read the store: another look would wait as long as each of theirs did. */
  get foundNoStore(): boolean {
    return this.#reports.size > 0 && [...this.#reports.values()].every(({ withoutStore }) => withoutStore === true)
  }

  /** Whether each that crawls was seen within so many ms. */
  isWell(withinMs: number): boolean {
    const now = this.#known.clock.monotonic()
    return [...this.#seenAt.values()].every((at) => now - at < withinMs)
  }

  /** Notes what a process has said. */
  heard(number: number, message: FromWorker): void {
    if (message.kind === 'opened') this.#resumed ??= message.resumed
    if (message.kind === 'opened' || message.kind === 'scene') this.#seenAt.set(number, this.#known.clock.monotonic())
    if (message.kind === 'scene') this.#scenes.set(number, message.scene)
    else if (message.kind === 'output-failed') this.#outputError ??= message.error
    else if (message.kind === 'ended') {
      this.#outputError ??= message.outputError
      this.#seenAt.delete(number)
      this.#reports.set(number, message.report)
    }
  }

  /** A process has died: its counts are kept. */
  died(number: number): void {
    const { glance, failures = [], troubles = [] } = this.#scenes.get(number) ?? {}
    this.#scenes.delete(number)
    this.#seenAt.delete(number)
    this.#past = {
      runs: glance === undefined ? this.#past.runs : [sumOfRuns([...this.#past.runs, glance.status.run])],
      failures: addKinds([this.#past.failures, failures]).slice(0, MAX_KINDS),
      troubles: addKinds([this.#past.troubles, troubles]).slice(0, MAX_KINDS),
    }
  }

  /** All that live as one; undefined before one has shown something. */
  look(room: number): Scene | undefined {
    const scenes = [...this.#scenes.values()]
    const [first] = scenes
    if (first === undefined) return undefined
    const [firstHeld] = scenes.flatMap((scene) => scene.firstHeld ?? []).toSorted((a, b) => a.hold.until - b.hold.until)
    const rows = mergedRows(scenes)
    // One that changes hands is a row of both.
    const twice = sum(scenes, ({ rows: own }) => own.length) - rows.length
    const storeProcesses = Math.max(...scenes.map((scene) => scene.storeProcesses ?? 0))
    return {
      processes: scenes.length,
      ...(storeProcesses > 0 && { storeProcesses }),
      glance: this.#pace.glance(this.#statusOf(scenes.map(({ glance }) => glance.status))),
      failures: addKinds([this.#past, ...scenes].map(({ failures }) => failures)),
      troubles: addKinds([this.#past, ...scenes].map(({ troubles }) => troubles)),
      // One of them may be at work in another process.
      parkedHosts: 0,
      heldHosts: sum(scenes, ({ heldHosts }) => heldHosts),
      ...(firstHeld && { firstHeld }),
      workingHosts: sum(scenes, ({ workingHosts }) => workingHosts) - twice,
      rows: rows.slice(0, room),
    }
  }

  /** The report of all; undefined where none has one. `stored`: what the store has at the end; absent where it cannot be read. */
  report(stored: StoredParts | undefined): CrawlReport | undefined {
    return wholeReport([...this.#reports.values()], {
      startedAt: this.#startedAt,
      past: this.#past.runs,
      resumed: this.#resumed ?? false,
      ...(stored && { stored }),
    })
  }

  /** By handler, the last page that it yielded nothing for. */
  get silentPages(): ReadonlyMap<string, string> {
    const silent = [...this.#reports.values()].flatMap(({ silentHandlers }) => silentHandlers)
    return new Map(silent.flatMap(({ handler, url }) => (url === undefined ? [] : [[handler, url] as const])))
  }

  #statusOf(each: readonly CrawlStatus[]): CrawlStatus {
    const [first] = each
    if (first === undefined) throw new Error('expected at least one process')
    const phase = PHASES.find((one) => each.some((status) => status.phase === one)) ?? 'closed'
    const paused = each.find(({ pausedFor }) => pausedFor !== undefined)
    const [drain] = each.flatMap((status) => status.drain ?? []).toSorted((a, b) => b.until - a.until)
    const connections = each.flatMap((status) => status.connections ?? [])
    const sinks = mergedSinks(each)
    const { pausedFor: _for, pausedBy: _by, drain: _drain, connections: _open, sinks: _sinks, ...rest } = first
    return {
      ...rest,
      ...totalsOf(this.#known.counts()),
      phase,
      now: Math.max(...each.map(({ now }) => now)),
      startedAt: this.#startedAt,
      run: sumOfRuns([...each.map(({ run }) => run), ...this.#past.runs]),
      inFlight: sum(each, ({ inFlight }) => inFlight),
      slots: sum(each, ({ slots }) => slots),
      handlersRunning: sum(each, ({ handlersRunning }) => handlersRunning),
      liveHosts: sum(each, ({ liveHosts }) => liveHosts),
      hosts: each.flatMap(({ hosts }) => hosts),
      ...(connections.length > 0 && {
        connections: { open: sum(connections, ({ open }) => open), busy: sum(connections, ({ busy }) => busy) },
      }),
      ...(drain && { drain }),
      ...(sinks && { sinks }),
      ...(phase === 'paused' && paused?.pausedFor !== undefined && { pausedFor: paused.pausedFor }),
      ...(phase === 'paused' && paused?.pausedBy !== undefined && { pausedBy: paused.pausedBy }),
    }
  }
}

/** Before they are read, those of a process are as good. */
function totalsOf(counts: Counts | undefined): Partial<CrawlStatus> {
  if (counts === undefined) return {}
  const { known, waiting, done, moved, failed, items } = counts
  return { known, waiting, settled: done + moved + failed, done, moved, failed, items }
}

/** Counts of kinds, added up, most first. */
function addKinds(all: readonly (readonly TroubleCount[])[]): readonly TroubleCount[] {
  const counts = new Map<string, number>()
  for (const { kind, count } of all.flat()) counts.set(kind, (counts.get(kind) ?? 0) + count)
  return [...counts].map(([kind, count]) => ({ kind, count })).sort((a, b) => b.count - a.count)
}

function sum<Of>(all: readonly Of[], number: (each: Of) => number): number {
  return all.reduce((total, each) => total + number(each), 0)
}

/** In the order of the table. */
const LABELS = ['open', 'held', 'failing', 'refused', 'slow', 'busy', 'paused'] as const satisfies readonly HostLabel[]

/** A host that changes hands may be in two of them: where something is in flight it is held. */
function mergedRows(scenes: readonly Scene[]): readonly HostRow[] {
  const byKey = new Map<string, HostRow>()
  for (const row of scenes.flatMap(({ rows }) => rows)) {
    const other = byKey.get(row.hostKey)
    if (other === undefined || row.inFlight > other.inFlight) byKey.set(row.hostKey, row)
  }
  const rankOf = ({ labels: [first = 'busy'] }: HostRow): number => LABELS.indexOf(first)
  return [...byKey.values()].sort((a, b) => rankOf(a) - rankOf(b) || byName(a, b))
}
