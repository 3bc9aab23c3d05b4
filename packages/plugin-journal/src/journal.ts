// The plugin `journal`: writes down what a crawl did to each host, for `avocet report`. It decides nothing.
//
// All of it is memory of the host, committed with what it was learned from: a crash loses nothing that the store did not lose as well. Only the
// list of the last starts is in RAM: a minute that reaches across the end of a process is counted from how many there were, spread evenly.
import { definePlugin, type Plugin } from '@avocet/core'
import { isRefusal, reasonOf, type Exchange, type HostView, type Session } from '@avocet/core/plugin'
import { CrawlRecorder } from './crawl-recorder.ts'
import { countRefused, countUnit, driedUpOf, refusedIn } from './handler-yields.ts'
import { freshJournal, keptTimeline, MOMENTS, NAME, TIMELINE_BLOB, timelineText, withBucket } from './host-memory.ts'
import type { JournalMemory } from './host-memory.ts'
import { addStart, countedEnd, heardWait, startedBeside, type Density, type Starts } from './laws/starts-and-ends.ts'
import { noteInRings } from './laws/rate-ring.ts'
import { MAX_BUCKETS, note, openedAt, placeOf, withClosedBucket, type EndedExchange } from './laws/timeline.ts'
import { freshRuns, mergedRuns, runBegins, runGoesOn, type RunsMemory } from './runs.ts'

/** What this run did about robots.txt, where a host's own options do not say otherwise. */
type RobotsHere = 'obeyed' | 'ignored' | 'without'

/** Below this no status asks us to wait. */
const FIRST_ERROR = 400
/** Earlier runs that are remembered by name. */
const MAX_RUNS = 50

/**
 * Records the load on each host: how densely requests came, whether its Crawl-delay and Retry-After were kept, and what became of them over time.
 *
 * @example
 * ```ts
 * const plugins = [journal()]
 * ```
 */
export function journal(): Plugin {
  const recent = new WeakMap<RunsMemory, RecentStarts>()
  const robots = new WeakMap<RunsMemory, RobotsHere>()
  const recorders = new WeakMap<RunsMemory, CrawlRecorder>()
  const startsOf = (run: RunsMemory): RecentStarts => {
    const known = recent.get(run) ?? new RecentStarts()
    recent.set(run, known)
    return known
  }
  const felt = ({ exchange, now }: Heard, memory: JournalMemory, run: RunsMemory): void => {
    started(exchange, memory, startsOf(run))
    runGoesOn(run, now)
    if (exchange.sentAt !== undefined && !exchange.required)
      noteRobots(memory, robotsAt(exchange.host, robots.get(run) ?? 'without'), exchange.sentAt)
  }
  return definePlugin<JournalMemory, RunsMemory>({
    name: NAME,
    seesRequired: true,
    outsideEffects: false,
    hostMemory: freshJournal,
    crawlMemory: freshRuns,
    merge: mergedRuns,
    moments: MOMENTS,
    findings: { parts: [NAME], broken: driedUpOf, refused: refusedIn },
    open(session, run) {
      runBegins(run, session, session.info.running)
      robots.set(run, robotsIn(session))
      recorders.set(run, new CrawlRecorder(session))
    },
    onAdmit(exchange, _memory, run) {
      recorders.get(run)?.begun(exchange)
    },
    // What was sent and then let go of, at a stop or for a fault of this machine: the host was asked.
    onUnsent(exchange, memory, run) {
      const { sentAt } = exchange
      if (sentAt === undefined) return recorders.get(run)?.over()
      felt({ exchange, now: sentAt }, memory, run)
      memory.ends = countedEnd(memory.ends ?? [], { how: 'let-go', at: sentAt, url: exchange.request.url })
      const end = { kind: 'let-go', wireBytes: 0 } as const
      noteEnd(exchange.host, memory, { end, now: sentAt, run })
      recorders.get(run)?.ended(end)
    },
    onResponse({ exchange, response, now }, memory, run) {
      felt({ exchange, now }, memory, run)
      const { status, headers, wireBytes, timings } = response
      // A site without robots.txt has done nothing wrong.
      const wrongUrl = status >= FIRST_ERROR && !exchange.required ? { url: exchange.request.url } : {}
      memory.ends = countedEnd(memory.ends ?? [], { how: String(status), at: now, ...wrongUrl })
      if (status >= FIRST_ERROR) {
        const waits = heardWait(memory.waits, headers, now)
        if (waits !== undefined) memory.waits = waits
      }
      if (exchange.required) {
        memory.requiredAt = Math.round(now)
        memory.gapSinceMs = undefined
      }
      const kind = isRefusal(status) ? 'refused' : 'answered'
      const end = { kind, wireBytes, firstByteMs: timings.firstByteMs } as const
      noteEnd(exchange.host, memory, { end, now, run })
      recorders.get(run)?.ended(end)
    },
    onError({ exchange, failure, now }, memory, run) {
      felt({ exchange, now }, memory, run)
      memory.ends = countedEnd(memory.ends ?? [], { how: reasonOf(failure.code), at: now, url: exchange.request.url })
      const end = { kind: 'failed', wireBytes: failure.wireBytes } as const
      noteEnd(exchange.host, memory, { end, now, run })
      recorders.get(run)?.ended(end, failure.code)
    },
    onCommit(unit, memory) {
      countUnit(memory, unit)
      countRefused(memory, unit)
    },
    onSettled(settled, run) {
      recorders.get(run)?.settled(settled)
    },
  })
}

interface Heard {
  readonly exchange: Exchange
  /** Epoch ms. */
  readonly now: number
}

/** By the policies that run. */
function robotsIn({ plugins }: Session): RobotsHere {
  const policies = plugins.filter(({ policy }) => policy === 'robots')
  if (policies.length === 0) return 'without'
  return policies.every(({ options }) => options?.['ignore'] === true) ? 'ignored' : 'obeyed'
}

function robotsAt({ options }: HostView, here: RobotsHere): RobotsHere {
  return here === 'obeyed' && options.ignoreRobots === true ? 'ignored' : here
}

function noteRobots(memory: JournalMemory, here: RobotsHere, sentAt: number): void {
  const before = memory.robots ?? { obeyed: 0, ignored: 0, without: 0 }
  memory.robots = { ...before, [here]: before[here] + 1, ...(here !== 'obeyed' && { lastUnruledAt: Math.round(sentAt) }) }
}

/** Its first byte was written; what was never sent the host did not feel. */
function started({ host, sentAt }: Exchange, memory: JournalMemory, recent: RecentStarts): void {
  if (sentAt === undefined) return
  const { inSecond, inMinute, gapMs } = recent.add(host.key, sentAt, memory)
  memory.inSecond = Math.max(memory.inSecond, inSecond)
  memory.inMinute = Math.max(memory.inMinute, inMinute)
  memory.lately = sentAt >= memory.lastAt ? inMinute : memory.lately + 1
  const smallestMs = gapMs ?? Infinity
  if (smallestMs < (memory.smallestGapMs ?? Infinity)) memory.smallestGapMs = Math.round(smallestMs)
  if (memory.requiredAt !== undefined && sentAt >= memory.requiredAt && smallestMs < (memory.gapSinceMs ?? Infinity))
    memory.gapSinceMs = Math.round(smallestMs)
  if (memory.waits) memory.waits = startedBeside(memory.waits, sentAt)
  memory.firstAt = memory.firstAt === 0 ? Math.round(sentAt) : Math.min(memory.firstAt, Math.round(sentAt))
  memory.lastAt = Math.max(memory.lastAt, Math.round(sentAt))
}

interface Ended {
  readonly end: EndedExchange
  /** Epoch ms. */
  readonly now: number
  readonly run: RunsMemory
}

/** Into the open bucket; one whose time is over goes to the others, in the blob. */
function noteEnd(host: HostView, memory: JournalMemory, { end, now, run }: Ended): void {
  if (memory.runAt !== run.startedAt) beginRun(host, memory, run)
  const [place = 0, requests = 0] = memory.open
  if (placeOf(now, memory.widthMs) > place) {
    if (requests > 0) closeBucket(host, memory)
    memory.open = openedAt(placeOf(now, memory.widthMs))
    // With a clock that was ahead, and is right again, it moves back.
  } else memory.open[0] = placeOf(now, memory.widthMs)
  note(memory.open, end)
  memory.rings = noteInRings(host, memory.rings, { now, refused: end.kind === 'refused' })
}

/** Mostly at the end of the text: to read and write all of it would cost as much as all else together. */
function closeBucket(host: HostView, memory: JournalMemory): void {
  const text = host.blob(TIMELINE_BLOB)
  if (text && memory.kept !== undefined && memory.kept < MAX_BUCKETS) {
    memory.kept++
    return host.keepBlob(TIMELINE_BLOB, withBucket(text, memory.open))
  }
  const { runs, ...timeline } = keptTimeline(text)
  const longer = withClosedBucket(timeline, memory.open)
  memory.kept = longer.widthMs === memory.widthMs ? longer.buckets.length : undefined
  memory.widthMs = longer.widthMs
  host.keepBlob(TIMELINE_BLOB, timelineText({ runs, ...longer }))
}

/** The runs before it are named in the blob. */
function beginRun(host: HostView, memory: JournalMemory, { startedAt }: RunsMemory): void {
  if (memory.runAt > 0) {
    const { runs, ...timeline } = keptTimeline(host.blob(TIMELINE_BLOB))
    // Several processes that take turns are as many runs, not one a turn.
    const earlier = [...new Set([...runs, memory.runAt])].filter((at) => at !== startedAt).slice(-MAX_RUNS)
    host.keepBlob(TIMELINE_BLOB, timelineText({ runs: earlier, ...timeline }))
  }
  memory.runAt = startedAt
  memory.options = Object.keys(host.options).length > 0 ? { ...host.options } : undefined
}

/** Longer ago it matters to no window. */
const QUIET_MS = 240_000
/** Before so many hosts are known none is forgotten. */
const FEW = 1_000

/** What is remembered of starts that an earlier process saw. */
interface EarlierStarts {
  /** Epoch ms; 0 = never. */
  readonly firstAt: number
  readonly lastAt: number
  /** In the minute up to the last. */
  readonly lately: number
}

const MINUTE_MS = 60_000

/** By host. A host that is given back and leased again is the same host. */
class RecentStarts {
  readonly #hosts = new Map<string, Starts>()
  #forgetAbove = FEW

  /** One more start, epoch ms; `earlier` counts when this run has not asked the host before. */
  add(hostKey: string, at: number, earlier: EarlierStarts): Density {
    let starts = this.#hosts.get(hostKey)
    if (starts === undefined) {
      starts = spread(earlier)
      this.#hosts.set(hostKey, starts)
      if (this.#hosts.size > this.#forgetAbove) this.#forget(at)
    }
    return addStart(starts, at)
  }

  /** Looks at all of them only when there are twice as many as were left. */
  #forget(now: number): void {
    for (const [hostKey, starts] of this.#hosts) {
      const last = starts.at(-1)
      if (last !== undefined && last < now - QUIET_MS) this.#hosts.delete(hostKey)
    }
    this.#forgetAbove = Math.max(FEW, 2 * this.#hosts.size)
  }
}

/** When exactly they were is not known, only how many, and the last: evenly is the best guess, and no false gap. */
function spread({ firstAt, lastAt, lately }: EarlierStarts): Starts {
  const from = Math.max(firstAt, lastAt - MINUTE_MS)
  return Array.from({ length: lately }, (_, n) => lastAt - ((lastAt - from) * (lately - 1 - n)) / Math.max(1, lately))
}
