// What a crawl remembers of its runs: when each began, its user agent, and its policies.
//
// A report is about what was done. The configuration may have changed since, so that what ran is written down as the run begins: the policies and
// plugins with their options, within bounds, of the last runs. Processes that crawl one store at the same time are one run, which began with the first of
// them; each writes its own memory, and opening joins them.
import type { HostOptions } from '@avocet/core'
import { reportedOptions, type Session } from '@avocet/core/plugin'
import { NAME } from './host-memory.ts'

/** A policy or plugin of a run. */
export interface RanPlugin {
  readonly name: string
  /** The policy that it implemented. */
  readonly policy?: string
  /** What it was made with. Absent where nothing was chosen, or where it says nothing of that. */
  readonly options?: Readonly<Record<string, string | number | boolean>>
}

/** One run, of one process or of several at the same time. Epoch ms. */
export interface JournalRun {
  readonly startedAt: number
  /** Of its last exchange, to the minute. */
  readonly lastAt: number
  readonly userAgent: string
  readonly plugins: readonly RanPlugin[]
  /** What was set for all hosts. Absent: nothing. */
  readonly hostOptions?: HostOptions
}

/** Crawl memory. */
export interface RunsMemory {
  /** Epoch ms at which this run began, in the first of its processes. */
  startedAt: number
  /** Oldest first; the last is this one. */
  runs: readonly JournalRun[]
}

/** What a run is known by when it begins. */
export type BeginningRun = Pick<Session, 'now' | 'userAgent' | 'plugins' | 'hostOptions'>

/** Runs that are remembered. All of it is written whenever it changes, and compared with each commit. */
const MAX_RUNS = 10
/** Characters that one takes as JSON, at most. */
const MAX_RUN = 4_000
const MAX_PLUGINS = 30
const MAX_NAME = 60
const MAX_AGENT = 500
/** Written so often, not with every exchange. */
const MINUTE_MS = 60_000

/** Memory of a crawl that was never run. */
export function freshRuns(): RunsMemory {
  return { startedAt: 0, runs: [] }
}

/** Of two processes. */
export function mergedRuns(a: RunsMemory, b: RunsMemory): RunsMemory {
  return { startedAt: Math.max(a.startedAt, b.startedAt), runs: joined([...a.runs, ...b.runs]) }
}

/** A run begins, or goes on in one more process: beside those that are `running`, of which this is the crawl memory. */
export function runBegins(memory: RunsMemory, session: BeginningRun, running: Session['info']['running'] = []): void {
  const { userAgent, plugins, hostOptions } = session
  const lastAt = Math.round(session.now)
  const startedAt = Math.min(lastAt, ...running.flatMap((parts) => memoriesIn(parts[NAME]).map((each) => each.startedAt)))
  memory.startedAt = startedAt
  const run = {
    startedAt,
    lastAt,
    userAgent: userAgent.slice(0, MAX_AGENT),
    ...(Object.keys(hostOptions).length > 0 && { hostOptions: { ...hostOptions } }),
    plugins: briefly(plugins),
  }
  memory.runs = [...memory.runs.filter((earlier) => earlier.startedAt !== startedAt), run].slice(-MAX_RUNS)
}

/** An exchange of this run ended. */
export function runGoesOn(memory: RunsMemory, now: number): void {
  const run = memory.runs.at(-1)
  if (run === undefined || now - run.lastAt < MINUTE_MS) return
  memory.runs = [...memory.runs.slice(0, -1), { ...run, lastAt: Math.round(now) }]
}

/**
 * The last runs of a crawl, oldest first, from its store (`atRest(reader)`); none where the journal was not part of it.
 *
 * @example
 * ```ts
 * const userAgent = runsOf(await atRest(frontier.reader)).at(-1)?.userAgent
 * ```
 */
export function runsOf(crawl: { memories(plugin: string): readonly string[] }): readonly JournalRun[] {
  return joined(crawl.memories(NAME).flatMap((text) => memoriesIn(text).flatMap(({ runs }) => runs)))
}

function memoriesIn(text = ''): readonly RunsMemory[] {
  const [version, memory] = text === '' ? [] : (JSON.parse(text) as [number, RunsMemory])
  return version === 1 && memory !== undefined ? [memory] : []
}

/** Each once, as it was seen last. */
function joined(runs: readonly JournalRun[]): readonly JournalRun[] {
  const byStart = new Map<number, JournalRun>()
  for (const run of runs) if (run.lastAt >= (byStart.get(run.startedAt)?.lastAt ?? 0)) byStart.set(run.startedAt, run)
  return [...byStart.values()].toSorted((a, b) => a.startedAt - b.startedAt).slice(-MAX_RUNS)
}

function briefly(plugins: Session['plugins']): readonly RanPlugin[] {
  const named = plugins.slice(0, MAX_PLUGINS).map(({ name, policy, options }) => ({
    name: name.slice(0, MAX_NAME),
    ...(policy !== undefined && { policy }),
    ...(options !== undefined && Object.keys(options).length > 0 && { options: reportedOptions(options) }),
  }))
  if (JSON.stringify(named).length <= MAX_RUN) return named
  // Whether robots.txt is ignored is not left out.
  return named.map(({ options, ...plugin }) => ({
    ...plugin,
    ...(options?.['ignore'] === true && { options: { ignore: true } }),
  }))
}
