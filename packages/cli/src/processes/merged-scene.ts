// Merges the scenes of several processes into one. Counts of a run are added up. Totals of the store are counted once (common-totals.ts).
import type { CrawlConfig } from '@avocet/core'
import type { CrawlStatus } from '@avocet/core/tools'
import { addCounts, NO_COUNTS } from './run-counts.ts'
import { Pace } from '../view/pace.ts'
import type { Committed } from './committed.ts'
import { CommonTotals, type ShownTotals } from './common-totals.ts'
import type { Scene, TroubleCount, HostLabel, HostRow } from '../view/scene.ts'
import { NO_WISHES, type ViewWishes } from '../view/view-wishes.ts'
import type { HadCounts } from './process-commits.ts'
import type { ProcessScene, TotalsAtOpen } from './process-messages.ts'
import type { HostOrder } from '../view/host-order.ts'

/** Which hosts are wanted. */
interface Wanted {
  readonly room?: number
  readonly wishes?: ViewWishes
}

/** What the processes that died had counted. */
type Past = Pick<Scene, 'failures' | 'troubles'> & Pick<CrawlStatus, 'run'>

/** Kinds of trouble of dead processes that are remembered: the most frequent ones. */
const MAX_KINDS = 100
const PHASES = ['running', 'paused', 'draining', 'closed', 'opening'] as const satisfies readonly CrawlStatus['phase'][]

/** Merges the scenes of one command. */
export class MergedScene {
  readonly #pace: Pace
  readonly #startedAt: number
  readonly #totals = new CommonTotals()
  #past: Past = { run: NO_COUNTS, failures: [], troubles: [] }

  /** `startedAt`: of the command, epoch ms. */
  constructor(limits: Pick<CrawlConfig, 'patienceMs' | 'maxTimeMs' | 'maxPages'>, startedAt: number) {
    this.#pace = new Pace(limits)
    this.#startedAt = startedAt
  }

  /** A process has shown something for the first time. */
  met(process: ProcessScene): void {
    this.#totals.met(process)
  }

  /** A process has finished, and shows nothing any more. */
  finished(process: ProcessScene): void {
    this.#totals.finished(process)
  }

  /** A process has died: its counts are kept, what it has `committed` among them, which it told after it showed something last. */
  gone(process: ProcessScene | undefined, committed: Partial<Committed>): void {
    const { glance, failures = [], troubles = [] } = process?.scene ?? {}
    if (process !== undefined) this.#totals.gone(process)
    this.#past = {
      run: addCounts(this.#past.run, { ...NO_COUNTS, ...glance?.status.run, ...committed }),
      failures: addKinds([this.#past.failures, failures]).slice(0, MAX_KINDS),
      troubles: addKinds([this.#past.troubles, troubles]).slice(0, MAX_KINDS),
    }
  }

  /** The totals of all, by what those that live have shown last. */
  totals(all: readonly ProcessScene[]): ShownTotals {
    return this.#totals.of(all)
  }

  /** What the store had as the first of them opened it; undefined before one has shown something. */
  get before(): HadCounts | undefined {
    return this.#totals.origin
  }

  /** What they have done beside those that live. */
  get past(): CrawlStatus['run'] {
    return this.#past.run
  }

  /** The scene of all that live; undefined before one has shown something. */
  look(all: readonly ProcessScene[], { room = 0, wishes = NO_WISHES }: Wanted = {}): Scene | undefined {
    if (all.length === 0) return undefined
    const scenes = all.map(({ scene }) => scene)
    const status = this.#statusOf(scenes, this.#totals.of(all))
    const firstHeld = scenes
      .flatMap((scene) => scene.firstHeld ?? [])
      .toSorted((a, b) => a.hold.until - b.hold.until)
      .at(0)
    const rows = mergedRows(
      scenes.map((scene) => scene.rows),
      wishes.order,
    )
    // One that changes hands is a row of both.
    const twice = sum(scenes.map((scene) => scene.rows.length)) - rows.length
    const storeProcesses = Math.max(...scenes.map((scene) => scene.storeProcesses ?? 0))
    return {
      processes: all.length,
      ...(storeProcesses > 0 && { storeProcesses }),
      glance: this.#pace.glance(status),
      failures: addKinds([this.#past, ...scenes].map(({ failures }) => failures)),
      troubles: addKinds([this.#past, ...scenes].map(({ troubles }) => troubles)),
      parkedHosts: parkedHosts(scenes),
      heldHosts: sum(scenes.map(({ heldHosts }) => heldHosts)),
      ...(firstHeld && { firstHeld }),
      matchingHosts: sum(scenes.map(({ matchingHosts }) => matchingHosts)) - twice,
      rows: rows.slice(0, room),
    }
  }

  #statusOf(scenes: readonly Scene[], totals: TotalsAtOpen): CrawlStatus {
    const each = scenes.map(({ glance }) => glance.status)
    const [first, ...others] = each
    if (first === undefined) throw new Error('expected at least one process')
    const phase = PHASES.find((one) => each.some((status) => status.phase === one)) ?? 'closed'
    const paused = each.find(({ pausedFor }) => pausedFor !== undefined)
    const isPaused = phase === 'paused' && paused?.pausedFor !== undefined
    const drain = each.flatMap((status) => status.drain ?? []).toSorted((a, b) => b.until - a.until)[0]
    const connections = each.flatMap((status) => status.connections ?? [])
    const sinks = mergedSinks(each)
    const { settledBeside: _beside, connections: _open, sinks: _sinks, ...opened } = first
    const { pausedFor: _for, pausedBy: _by, drain: _drain, ...rest } = opened
    return {
      ...rest,
      ...totals,
      phase,
      now: Math.max(first.now, ...others.map(({ now }) => now)),
      startedAt: this.#startedAt,
      run: each.map(({ run }) => run).reduce(addCounts, this.#past.run),
      inFlight: sum(each.map(({ inFlight }) => inFlight)),
      slots: sum(each.map(({ slots }) => slots)),
      handlersRunning: sum(each.map(({ handlersRunning }) => handlersRunning)),
      liveHosts: sum(each.map(({ liveHosts }) => liveHosts)),
      hosts: each.flatMap(({ hosts }) => hosts),
      ...(connections.length > 0 && {
        connections: { open: sum(connections.map(({ open }) => open)), busy: sum(connections.map(({ busy }) => busy)) },
      }),
      ...(drain && { drain }),
      ...(sinks && { sinks }),
      ...(isPaused && { pausedFor: paused.pausedFor, ...(paused.pausedBy && { pausedBy: paused.pausedBy }) }),
    }
  }
}

/** Of each sink, what the process says that runs it. */
export function mergedSinks(each: readonly Pick<CrawlStatus, 'sinks'>[]): CrawlStatus['sinks'] {
  const all = each.flatMap(({ sinks = [] }) => sinks)
  const names = [...new Set(all.map(({ name }) => name))]
  const merged = names.flatMap((name) => {
    const same = all.filter((sink) => sink.name === name)
    return same.find(({ elsewhere }) => elsewhere !== true) ?? same.slice(0, 1)
  })
  return merged.length === 0 ? undefined : merged
}

/** Counts of kinds, added up, most first. */
function addKinds(all: readonly (readonly TroubleCount[])[]): readonly TroubleCount[] {
  const counts = new Map<string, number>()
  for (const { kind, count } of all.flat()) counts.set(kind, (counts.get(kind) ?? 0) + count)
  return [...counts].map(([kind, count]) => ({ kind, count })).sort((a, b) => b.count - a.count)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}

/** In the order of the table. */
const LABELS = ['open', 'held', 'failing', 'refused', 'slow', 'busy', 'paused'] as const satisfies readonly HostLabel[]

/** A host that changes hands may be in two of them: where something is in flight it is held. */
function mergedRows(each: readonly (readonly HostRow[])[], order: HostOrder): readonly HostRow[] {
  const byKey = new Map<string, HostRow>()
  for (const row of each.flat()) {
    const other = byKey.get(row.hostKey)
    if (other === undefined || row.inFlight > other.inFlight) byKey.set(row.hostKey, row)
  }
  const rows = [...byKey.values()]
  const rankOf = ({ labels: [first = 'busy'] }: HostRow): number => LABELS.indexOf(first)
  const before = (a: HostRow, b: HostRow): number => (order === 'trouble' ? rankOf(a) - rankOf(b) : b.much - a.much)
  return rows.sort((a, b) => before(a, b) || (a.hostKey < b.hostKey ? -1 : 1))
}

/** The hosts that no process has at work. */
function parkedHosts(scenes: readonly Pick<Scene, 'parkedHosts' | 'hostKeys'>[]): number {
  const atWork = new Set(scenes.flatMap(({ hostKeys }) => hostKeys?.live ?? []))
  const parked = scenes.flatMap(({ hostKeys }) => hostKeys?.parked ?? [])
  const names = new Set(parked.filter((hostKey) => !atWork.has(hostKey)))
  const all = scenes.reduce((sum, scene) => sum + scene.parkedHosts, 0)
  return all - (parked.length - names.size)
}
