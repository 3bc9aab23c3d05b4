// The plugin `journal`: writes down what a crawl did to each host, for `avocet report`. It decides nothing.
//
// All of it is memory of the host, committed with what it was learned from: a crash loses nothing that the store did not lose as well. Only the
// list of the last starts is in RAM: a minute that reaches across the end of a process is counted from how many there were, spread evenly.
import { definePlugin, type Plugin } from '@avocet/core'
import { isRefusal, reasonOf, type Exchange, type FailureCode, type HostView, type Session } from '@avocet/core/plugin'
import { CrawlRecorder } from './crawl-recorder.ts'
import { countRefused, countUnit, driedUpOf, refusedIn } from './handler-yields.ts'
import { freshJournal, keptTimeline, NAME, TIMELINE_BLOB, timelineText, withBucket } from './host-memory.ts'
import type { JournalMemory } from './host-memory.ts'
import { addStart, countEnd, heardWait, startedBeside, type Density, type Starts } from './laws/starts-and-ends.ts'
import { noteInRings, openRings } from './laws/rate-ring.ts'
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
  const runs = new WeakMap<RunsMemory, Here>()
  const felt = ({ exchange, now }: Heard, memory: JournalMemory, run: RunsMemory): void => {
    const here = runs.get(run)
    if (here === undefined) return
    started(exchange, memory, here.starts)
    runGoesOn(run, now)
    if (exchange.sentAt !== undefined && !exchange.required)
      noteRobots(memory, robotsAt(exchange.host, here.robots), exchange.sentAt)
  }
  const ended = ({ exchange, now, end, code }: Ended, memory: JournalMemory, run: RunsMemory): void => {
    noteEnd(exchange.host, memory, { end, now, run })
    runs.get(run)?.recorder.ended(end, now, code)
  }
  return definePlugin<JournalMemory, RunsMemory>({
    name: NAME,
    seesRequired: true,
    outsideEffects: false,
    hostMemory: freshJournal,
    crawlMemory: freshRuns,
    merge: mergedRuns,
    findings: { parts: [NAME], broken: driedUpOf, refused: refusedIn },
    open(session, run) {
      runBegins(run, session, session.info.running)
      runs.set(run, { starts: new RecentStarts(), robots: robotsIn(session), recorder: new CrawlRecorder(session) })
    },
    onAdmit(exchange, _memory, run) {
      runs.get(run)?.recorder.begun(exchange)
    },
    // What was sent and then let go of, at a stop or for a fault of this machine: the host was asked.
    onUnsent(exchange, memory, run) {
      const { sentAt } = exchange
      if (sentAt === undefined) return runs.get(run)?.recorder.over()
      felt({ exchange, now: sentAt }, memory, run)
      countEnd((memory.ends ??= []), { how: 'let-go', at: sentAt, url: exchange.request.url })
      const end = { kind: 'let-go', wireBytes: 0 } as const
      noteEnd(exchange.host, memory, { end, now: sentAt, run })
      // Its slot was taken until now.
      runs.get(run)?.recorder.ended(end)
    },
    onResponse({ exchange, response, now }, memory, run) {
      felt({ exchange, now }, memory, run)
      const { status, headers, wireBytes, timings } = response
      const isError = status >= FIRST_ERROR
      // A site without robots.txt has done nothing wrong.
      const url = isError && !exchange.required ? exchange.request.url : undefined
      countEnd((memory.ends ??= []), { how: String(status), at: now, url })
      if (isError) {
        const waits = heardWait(memory.waits, headers, now)
        if (waits !== undefined) memory.waits = waits
      }
      if (exchange.required) {
        memory.requiredAt = Math.round(now)
        memory.gapSinceMs = undefined
      }
      const kind = isRefusal(status) ? 'refused' : 'answered'
      ended({ exchange, now, end: { kind, wireBytes, firstByteMs: timings.firstByteMs } }, memory, run)
    },
    onError({ exchange, failure, now }, memory, run) {
      felt({ exchange, now }, memory, run)
      const { code, wireBytes } = failure
      countEnd((memory.ends ??= []), { how: reasonOf(code), at: now, url: exchange.request.url })
      ended({ exchange, now, end: { kind: 'failed', wireBytes }, code }, memory, run)
    },
    onCommit(unit, memory) {
      countUnit(memory, unit)
      countRefused(memory, unit)
    },
    onSettled(settled, run) {
      runs.get(run)?.recorder.settled(settled)
    },
  })
}

/** What a run has in RAM. */
interface Here {
  readonly starts: RecentStarts
  readonly robots: RobotsHere
  readonly recorder: CrawlRecorder
}

interface Heard {
  readonly exchange: Exchange
  /** Epoch ms. */
  readonly now: number
}

interface Ended extends Heard {
  readonly end: EndedExchange
  readonly code?: FailureCode
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
  const robots = (memory.robots ??= { obeyed: 0, ignored: 0, without: 0 })
  robots[here]++
  if (here !== 'obeyed') robots.lastUnruledAt = Math.round(sentAt)
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

/** Into the open bucket; one whose time is over goes to the others, in the blob. */
function noteEnd(host: HostView, memory: JournalMemory, { end, now, run }: Omit<Ended, 'exchange'> & { run: RunsMemory }): void {
  if (memory.runAt !== run.startedAt) beginRun(host, memory, run)
  const { 0: place = 0, 1: requests = 0 } = memory.open
  if (placeOf(now, memory.widthMs) > place) {
    if (requests > 0) closeBucket(host, memory)
    memory.open = openedAt(placeOf(now, memory.widthMs))
    // With a clock that was ahead, and is right again, it moves back.
  } else memory.open[0] = placeOf(now, memory.widthMs)
  note(memory.open, end)
  noteInRings(host, (memory.rings ??= openRings()), { now, refused: end.kind === 'refused' })
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
