// The part of the report that the owner of a site can check in the site's own log: how densely it was asked, and which of its wishes were obeyed.
import type { Json } from '@avocet/core'
import type { HostJournal, RobotsTreatment } from '@avocet/plugin-journal'
import { isRecord } from '@avocet/project/place'

/** The robots.txt of one origin, as it was used. */
export interface RobotsUsed {
  readonly origin: string
  /** `rules`: obeyed. `open`: there is none. `unknown`: never reached, so nothing was asked. */
  readonly state: string
  /** Epoch ms; null = never. */
  readonly fetchedAt: number | null
  /** Status or code of the last attempt. */
  readonly last: string
  /** That concern us. */
  readonly rules: number
}

/** How a host was treated. Gaps are from start to start, ms. */
export interface Courtesy {
  readonly mostInSecond: number
  readonly mostInMinute: number
  /** Null before the second request. */
  readonly smallestGapMs: number | null
  /** What became of robots.txt. `treatment` null: not known, or nothing was sent yet. */
  readonly robots: { readonly treatment: RobotsTreatment | null; readonly copies: readonly RobotsUsed[] }
  /** What robots.txt asks, and the smallest gap since it was last read. */
  readonly crawlDelay: {
    readonly askedMs: number
    /** As it is written; null where it is a Crawl-delay. */
    readonly requestRate: string | null
    readonly smallestGapMs: number | null
    /** Null: nothing was asked since. */
    readonly obeyed: boolean | null
  } | null
  /** What robots.txt asks by the time of the day: `Visit-time 0600-0845 UTC`. */
  readonly timed: readonly string[]
  /** What the site says about the use of its content, as it is written: recorded, not interpreted. */
  readonly preferences: readonly string[]
  /** `early`: requests that started while a Retry-After held. */
  readonly retryAfter: {
    readonly asked: number
    readonly longestMs: number
    readonly early: number
    readonly obeyed: boolean
  } | null
}

type Known = Readonly<Record<string, Json>>
/** What the plugin `robots` explains of each origin. */
type Origins = readonly (readonly [origin: string, copy: Known])[]

/** From the journal, and from what the plugin `robots` explains of its memory, if it was part of any run. */
export function courtesyOf(known: HostJournal, robots: Known = {}): Courtesy {
  const { inSecond, inMinute, smallestGapMs = null, gapSinceMs = null, waits } = known
  const origins = Object.entries(robots).flatMap(([origin, copy]) => (isRecord(copy) ? [[origin, copy] as const] : []))
  return {
    mostInSecond: inSecond,
    mostInMinute: inMinute,
    smallestGapMs,
    robots: { treatment: known.robots ?? null, copies: origins.map(([origin, copy]) => robotsUsed(origin, copy)) },
    crawlDelay: delayIn(origins, gapSinceMs),
    timed: [...new Set(origins.flatMap(([, { timed }]) => textsIn(timed)))],
    preferences: [
      ...origins.flatMap(([origin, { preferences }]) => textsIn(preferences).map((text) => `${text} (robots.txt of ${origin})`)),
      ...textsIn(robots['declared']).map((text) => `${text} (header field)`),
    ],
    retryAfter:
      waits === undefined
        ? null
        : { asked: waits.asked, longestMs: waits.longestMs, early: waits.early, obeyed: waits.early === 0 },
  }
}

/** Requests that were sent without obeying robots.txt. */
export function unruledOf({ robots: { treatment } }: Courtesy): number {
  return treatment === null ? 0 : treatment.ignored + treatment.without
}

function robotsUsed(origin: string, { state, fetchedAt, last, rules }: Known): RobotsUsed {
  return {
    origin,
    state: typeof state === 'string' ? state : '?',
    fetchedAt: typeof fetchedAt === 'number' ? fetchedAt : null,
    last: typeof last === 'string' || typeof last === 'number' ? String(last) : '?',
    rules: typeof rules === 'number' ? rules : 0,
  }
}

function textsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
}

/** The longest of any origin: it is about the machine behind them. */
function delayIn(origins: Origins, smallestGapMs: number | null): Courtesy['crawlDelay'] {
  const asked = origins.flatMap(([, { crawlDelayMs: askedMs, requestRate = null }]) => {
    if (typeof askedMs !== 'number') return []
    const obeyed = smallestGapMs === null ? null : smallestGapMs >= askedMs
    return [{ askedMs, requestRate: requestRate as string | null, smallestGapMs, obeyed }]
  })
  return asked.toSorted((a, b) => b.askedMs - a.askedMs)[0] ?? null
}
