// The plugin `journal`: writes down what a crawl did to each host, for `avocet report`. It decides nothing.
//
// All of it is memory of the host, committed with what it was learned from: a crash loses nothing that the store did not lose as well. Only the
// list of the last starts is in RAM: a minute that reaches across the end of a process is counted from how many there were, spread evenly.
import { definePlugin, rewound, type Plugin } from '@avocet/core'
import { isRefusal, type Exchange, type HostView } from '@avocet/core/plugin'
import {
  freshJournal,
  keptTimeline,
  NAME,
  rewoundJournal,
  TIMELINE_BLOB,
  timelineText,
  withBucket,
  type JournalMemory,
} from './host-memory.ts'
import { heardWait, startedBeside } from './laws/asked-wait.ts'
import { RecentStarts } from './recent-starts.ts'
import { withClosedBucket, MAX_BUCKETS, note, openedAt, placeOf, type EndedExchange } from './laws/timeline.ts'

/** Crawl memory: epoch ms at which this run began. */
interface Run {
  startedAt: number
}

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
  const recent = new WeakMap<Run, RecentStarts>()
  const startsOf = (run: Run): RecentStarts => {
    const known = recent.get(run) ?? new RecentStarts()
    recent.set(run, known)
    return known
  }
  return definePlugin<JournalMemory, Run>({
    name: NAME,
    outsideEffects: false,
    hostMemory: freshJournal,
    crawlMemory: () => ({ startedAt: 0 }),
    merge: (a, b) => (a.startedAt >= b.startedAt ? a : b),
    rewindHost: rewoundJournal,
    rewindCrawl: ({ startedAt }, byMs) => ({ startedAt: rewound(startedAt, byMs) }),
    open({ now }, run) {
      run.startedAt = Math.round(now)
    },
    onResponse({ exchange, response, now }, memory, run) {
      started(exchange, memory, startsOf(run))
      const { status, headers, wireBytes, timings } = response
      if (status >= FIRST_ERROR) {
        const waits = heardWait(memory.waits, headers, now)
        if (waits !== undefined) memory.waits = waits
      }
      if (exchange.required) {
        memory.requiredAt = Math.round(now)
        memory.gapSinceMs = undefined
      }
      const kind = isRefusal(status) ? 'refused' : 'answered'
      noteEnd(exchange.host, memory, { end: { kind, wireBytes, firstByteMs: timings.firstByteMs }, now, run })
    },
    onError({ exchange, failure, now }, memory, run) {
      started(exchange, memory, startsOf(run))
      noteEnd(exchange.host, memory, { end: { kind: 'failed', wireBytes: failure.wireBytes }, now, run })
    },
  })
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
  readonly run: Run
}

/** Into the open bucket; one whose time is over goes to the others, in the blob. */
function noteEnd(host: HostView, memory: JournalMemory, { end, now, run }: Ended): void {
  if (memory.runAt !== run.startedAt) beginRun(host, memory, run)
  // A clock that was put back does not open the past again.
  const [place = 0, requests = 0] = memory.open
  if (placeOf(now, memory.widthMs) > place) {
    if (requests > 0) closeBucket(host, memory)
    memory.open = openedAt(placeOf(now, memory.widthMs))
  }
  note(memory.open, end)
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
function beginRun(host: HostView, memory: JournalMemory, { startedAt }: Run): void {
  if (memory.runAt > 0) {
    const { runs, ...timeline } = keptTimeline(host.blob(TIMELINE_BLOB))
    // Several processes that take turns are as many runs, not one a turn.
    const earlier = [...new Set([...runs, memory.runAt])].filter((at) => at !== startedAt).slice(-MAX_RUNS)
    host.keepBlob(TIMELINE_BLOB, timelineText({ runs: earlier, ...timeline }))
  }
  memory.runAt = startedAt
}
