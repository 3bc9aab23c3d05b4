// What the rules read: the store, which has what all processes did, and the status of this process.
import { atRest, type CrawlAtRest } from '@avocet/at-rest'
import type { CrawlReport } from '@avocet/core'
import { formatDuration, type Session } from '@avocet/core/plugin'
import { nextTurn, type HostRecord } from '@avocet/core/store'
import { coreMemory, type CrawlStatus } from '@avocet/core/tools'
import type { AlertsMemory, Level, Reading, Readings } from './laws/alert-law.ts'
import { type RecentAnswers, faded, noAnswers } from './laws/answers.ts'
import type { AlertRules } from './options.ts'

/** Name of the plugin, and of its parts of the memory. */
export const ALERTS_NAME = 'alerts'

/** Hosts that are looked at in one turn of the event loop. */
const AT_ONCE = 100
/** Above this share of its limit a value leaves an alert as it is. */
const NEAR = 0.7
/** Of fewer answers a share says nothing. A host that refuses is asked a few times an hour. */
const MIN_ANSWERS = 10

type Rules = Required<AlertRules>

/** What needs no store. */
export function readStatus({ pausedBy, pausedFor = '' }: CrawlStatus): Readings {
  const isPaused = pausedBy !== undefined && pausedBy !== 'user'
  return { paused: isPaused ? [{ subject: '', level: 'on', text: `by the ${pausedBy}: ${pausedFor}` }] : [] }
}

/** What a run says that has ended. */
export function readEnd({ ended, why }: CrawlReport): Readings {
  return ended === 'failed' || ended === 'given-up' ? { failed: [{ subject: '', level: 'on', text: why }] } : {}
}

/** What the store says, and what processes left in it of this plugin's memory. Throws AVO_FRONTIER_…. */
export async function readHosts(
  { reader, plugins, clock, status }: Session,
  rules: Rules,
): Promise<{ readonly readings: Readings; readonly left: readonly AlertsMemory[] }> {
  const crawl = await atRest(reader, plugins)
  const { startedAt, sinks = [] } = status()
  const look = new Look({ crawl, plugins, rules, startedAt, now: clock.now() })
  let count = 0
  for await (const host of crawl.hosts({ memory: 'core' })) {
    if (++count % AT_ONCE === 0) await nextTurn()
    look.take(host)
  }
  // Those of earlier runs are in the store as well.
  const names = new Set(sinks.map(({ name }) => name))
  if (names.size > 0) for (const sink of await reader.sinks()) if (names.has(sink.name)) look.takeSink(sink)
  const left = crawl.memories(ALERTS_NAME).map((text) => (JSON.parse(text) as [number, AlertsMemory])[1])
  return { readings: look.readings, left }
}

interface LookParts extends Pick<Session, 'plugins'> {
  readonly crawl: CrawlAtRest
  readonly rules: Rules
  /** Of this run, epoch ms. */
  readonly startedAt: number
  /** Epoch ms. */
  readonly now: number
}

type Sink = Awaited<ReturnType<Session['reader']['sinks']>>[number]

/** One look at the store. */
class Look {
  readonly #parts: LookParts
  readonly #all = noAnswers()
  /** Pages that are visited again, and those whose visit is late. */
  readonly #pages = { all: 0, late: 0 }
  /** A rule that finds nothing has ended; only the status says whether the crawl is paused. */
  readonly #found: Record<string, Reading[]>

  constructor(parts: LookParts) {
    this.#parts = parts
    const { paused: _, ...rules } = parts.rules
    this.#found = Object.fromEntries(Object.keys(rules).map((rule) => [rule, []]))
  }

  get readings(): Readings {
    const { rules } = this.#parts
    const { all, late } = this.#pages
    this.#refusals('', this.#all)
    const text = `${late} of ${all} pages are visited more than an interval late`
    this.#add('lateRatio', '', text, levelOf(late / Math.max(1, all), rules.lateRatio))
    return this.#found
  }

  take(host: HostRecord): void {
    const { hostKey, memory, retiredFor } = host
    const { crawl, plugins, now } = this.#parts
    const { condition, why } = crawl.judge(host, now)
    const [broken] = plugins.flatMap(({ findings }) => findings?.broken?.(host, now) ?? [])
    if (condition === 'blocked') this.#add('blocked', hostKey, why)
    // A host that is broken may be refusing as well, which is its condition then.
    this.#add('broken', hostKey, broken?.why ?? (condition === 'broken layout' ? why : undefined))
    this.#add('givenUp', hostKey, retiredFor)
    if (condition !== 'paused' && retiredFor === undefined) this.#visits(host)
    if (memory[ALERTS_NAME] === undefined) return
    const answers = faded((JSON.parse(memory[ALERTS_NAME]) as [number, RecentAnswers])[1], now)
    this.#all.all += answers.all
    this.#all.refused += answers.refused
    this.#refusals(hostKey, answers)
  }

  takeSink({ name, behind, trouble }: Sink): void {
    const { rules, now } = this.#parts
    this.#add('sinkBehindItems', name, `${behind} items behind`, levelOf(behind, rules.sinkBehindItems))
    if (trouble === undefined) return
    const failingMs = now - trouble.since
    this.#add('sinkFailsMs', name, `for ${formatDuration(failingMs)}: ${trouble.error}`, levelOf(failingMs, rules.sinkFailsMs))
  }

  /** By its last round; of several rules of a host the last one counts. That nobody crawled before this run is no news. */
  #visits({ again = 0, memory }: HostRecord): void {
    const { startedAt, now } = this.#parts
    const { rounds = [] } = coreMemory.ofHost(memory)
    const [last] = rounds.toSorted(([, a], [, b]) => b - a)
    // Pages that no rule visits again are not late.
    if (again === 0 || last === undefined) return
    const [everyMs, begunAt, visited, late] = last
    this.#pages.all += visited
    if (now > Math.max(startedAt, begunAt + everyMs) + everyMs) this.#pages.late += visited
    else if (begunAt >= startedAt) this.#pages.late += late
  }

  #refusals(subject: string, { all, refused }: RecentAnswers): void {
    if (all < MIN_ANSWERS) return
    const text = `${Math.round((100 * refused) / all)} % of the last ${Math.round(all)} answers were refusals (429, 503, 403)`
    this.#add('refusedRatio', subject, text, levelOf(refused / all, this.#parts.rules.refusedRatio))
  }

  #add(rule: string, subject: string, text: string | undefined, level: Level | 'off' = 'on'): void {
    if (text !== undefined && level !== 'off') this.#found[rule]?.push({ subject, level, text })
  }
}

function levelOf(value: number, limit: number | false): Level | 'off' {
  if (limit === false || value < NEAR * limit) return 'off'
  return value < limit ? 'between' : 'on'
}
