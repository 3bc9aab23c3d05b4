// What can befall a crawl of weeks: times of trouble, and how long after each of them a page may still be late. The promises, as data.
//
// The figures come from what is documented (docs/how-to/run-for-weeks.md, the plugins' options), never from what a run showed.
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Kinds of weather, by who has it: single hosts, or all of them (this machine, its network, its clock). */
export const HOST_WEATHER = [
  'outage',
  'missing',
  'maintenance',
  'closure',
  'certificate',
  'dns',
  'flapping',
  'move',
  'removal',
  'newcomer',
] as const
export const OWN_WEATHER = ['network', 'portal', 'kill', 'restart', 'clock', 'suspend', 'disk'] as const

export type WeatherKind = (typeof HOST_WEATHER)[number] | (typeof OWN_WEATHER)[number]

/** A time, ms since the web was started. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** A time in which pages cannot be had. */
export interface Trouble extends Span {
  readonly kind: WeatherKind
  /** How it looks: the style of an outage, the size of a step of the clock. */
  readonly how: string
  /** After its end nothing may keep a page from its next round any longer than this. */
  readonly graceMs: number
}

/** A trouble with the grace that its kind and length give. `isStranger`: the host has never answered before. */
export function troubleOf(kind: WeatherKind, how: string, span: Span, isStranger = false): Trouble {
  return { kind, how, ...span, graceMs: graceOf(kind, span.untilMs - span.fromMs, isStranger) }
}

/**
 * The latest moment at which a page must have been visited again, that was visited (or became known) at `sinceMs` and is due every `everyMs`:
 * a round later, or within one round after the end of every trouble that reaches into that time. `troubles` in the order of `fromMs`.
 */
export function deadlineOf(sinceMs: number, everyMs: number, troubles: readonly Trouble[], firstMs = everyMs): number {
  let deadline = sinceMs + firstMs + SLACK_MS
  for (const { fromMs, untilMs, graceMs } of troubles) {
    if (fromMs >= deadline) break
    if (untilMs + graceMs > sinceMs) deadline = Math.max(deadline, untilMs + graceMs + everyMs + SLACK_MS)
  }
  return deadline
}

/** Whether any trouble, with its grace and the round after it, reaches into `span`. */
export function isTroubled({ fromMs, untilMs }: Span, everyMs: number, troubles: readonly Trouble[]): boolean {
  return troubles.some((trouble) => trouble.fromMs < untilMs && trouble.untilMs + trouble.graceMs + everyMs + SLACK_MS > fromMs)
}

/** What a visit may be late though all is well: the spacing at a host, a slot that was not free, a host that is asked gently at first. */
const SLACK_MS = 10 * MINUTE_MS

/** The breaker's longest cool-down. */
export const COOL_DOWN_MS: number = HOUR_MS

function graceOf(kind: WeatherKind, lengthMs: number, isStranger: boolean): number {
  if (kind === 'outage') return lengthMs >= DAY_MS || isStranger ? probeMs(lengthMs) : COOL_DOWN_MS
  // A certificate that is wrong for a day is the host's, and who is given up is probed once a day.
  if (kind === 'certificate') return probeMs(lengthMs)
  // Ours to blame, so no host is; after an hour of it the failures count, and hosts cool down.
  if (kind === 'network' || kind === 'portal') return lengthMs >= HOUR_MS ? COOL_DOWN_MS : SOON_MS
  return GRACE_MS[kind]
}

/** What was parked goes on from the store. */
const SOON_MS = 5 * MINUTE_MS

const GRACE_MS: Readonly<Record<Exclude<WeatherKind, 'outage' | 'certificate' | 'network' | 'portal'>, number>> = {
  // The page keeps its schedule while it is on probation, and a Retry-After says to the second when it is over.
  missing: 0,
  maintenance: 0,
  closure: 0,
  move: 0,
  removal: 0,
  newcomer: 0,
  dns: COOL_DOWN_MS,
  flapping: COOL_DOWN_MS,
  kill: SOON_MS,
  restart: SOON_MS,
  clock: SOON_MS,
  suspend: SOON_MS,
  disk: SOON_MS,
}

/** A host that is given up is probed a day later, then at growing intervals up to a week: none is longer than the host has been away. */
export function probeMs(lengthMs: number): number {
  return Math.min(7 * DAY_MS, Math.max(DAY_MS, lengthMs))
}
