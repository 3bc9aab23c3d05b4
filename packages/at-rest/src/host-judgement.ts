// What a host is like, and why: the one judgement that every command, the page and the metrics tell.
//
// From what core remembers of the host, which is committed with each unit: so a host at rest is judged as it was when it was last asked, and one that fails
// does not look ready because its wait has ended. A host has one condition, the gravest. Single failures and refusals are none: learning a rate causes some.
import { formatDuration } from '@avocet/core/plugin'
import type { HostRecord } from '@avocet/core/store'
import { coreMemory, type CoreHostMemory } from '@avocet/core/tools'

/** So many failures in a row of a host that has answered; of one that never has, the first counts. */
const FAILURES = 2
/** More refusals in a row than one step back of a rate policy causes, with several requests in flight. */
const REFUSALS = 5
/** An exchange that takes so long makes a host slow, however slow the others are. */
const SLOW_MS = 1_000

/** What a host is like. `unreachable`: its requests fail, or it was given up; `refusing`: 429, 5xx; `broken layout`: a handler in trouble, or no page left. */
type HostCondition = 'paused' | 'unreachable' | 'blocked' | 'refusing' | 'broken layout' | 'slow' | 'fine'

/** What a host is like, and why. */
export interface HostJudgement {
  readonly condition: HostCondition
  /** In words; where it is fine empty, or in which hours it is visited while it is closed. */
  readonly why: string
}

/** What is known of a host at `now`, epoch ms. `pausedUntil`: by an order; `broken`: what is wrong with its pages. Throws AVO_FRONTIER_CORRUPT. */
export function judgeHost(
  host: Pick<HostRecord, 'hostKey' | 'retiredFor' | 'waiting' | 'done' | 'failed' | 'memory'>,
  { pausedUntil, now, broken }: { readonly pausedUntil: number; readonly now: number; readonly broken?: string | undefined },
): HostJudgement {
  const core = coreMemory.ofHost(host.memory)
  const words: readonly (readonly [HostCondition, string | undefined])[] = [
    ['paused', pausedUntil > now ? 'by an operator' : undefined],
    ['blocked', blocked(core)],
    ['unreachable', host.retiredFor === undefined ? failing(core, host.waiting, now) : `given up, ${host.retiredFor}`],
    ['refusing', refusing(core, now)],
    ['broken layout', broken ?? gone(host, core)],
    ['slow', slow(core)],
  ]
  for (const [condition, why] of words) if (why !== undefined) return { condition, why }
  return { condition: 'fine', why: closedFor(core, now) ?? '' }
}

/** What holds a host that is closed for the day: its hours, or those that its robots.txt says. */
const HOURS = /^(?:visited|Visit-time) /
/** And what robots.txt asks of requests. */
const ASKED = /^(?:Crawl-delay|Request-rate) /

function closedFor({ heldFor }: Partial<CoreHostMemory>, now: number): string | undefined {
  return heldFor !== undefined && (heldFor.until ?? 0) > now && HOURS.test(heldFor.why) ? heldFor.why : undefined
}

function blocked({ forbidden, served, proven }: Partial<CoreHostMemory>): string | undefined {
  const { isSuspected, isCertain, inRow } = coreMemory.blockingOf(forbidden, served === true, proven === true)
  return isSuspected || isCertain ? `the last ${inRow} answers were forbidden` : undefined
}

/**
 * Failures without an answer, or, of a host that has never answered with a success, what a plugin holds it for: its robots.txt cannot be read. Delays, hours,
 * the pace and what the host asked for hold it as well: they are no fault of it.
 */
function failing(
  { failedFor, consecutiveFailures = 0, proven, heldFor, rate, askedUntil = 0, lastEndAt }: Partial<CoreHostMemory>,
  waiting: number,
  now: number,
): string | undefined {
  const isOfPace = heldFor === undefined || heldFor.by === 'core' || heldFor.by === rate || askedUntil > now
  const isNoFault = isOfPace || HOURS.test(heldFor.why) || ASKED.test(heldFor.why)
  if (!proven && failedFor === undefined && waiting > 0 && lastEndAt) return isNoFault ? undefined : heldFor.why
  if (failedFor === undefined || consecutiveFailures < (proven ? FAILURES : 1)) return undefined
  return consecutiveFailures === 1 ? failedFor : `${failedFor}, ${consecutiveFailures} failures in a row`
}

function refusing(
  { askedUntil = 0, refusals = 0, consecutiveFailures = 0 }: Partial<CoreHostMemory>,
  now: number,
): string | undefined {
  if (askedUntil > now) return `asks to wait for ${formatDuration(askedUntil - now)}`
  if (refusals >= REFUSALS) return `429 or 503, ${refusals} times in a row`
  return consecutiveFailures >= FAILURES ? `server errors (5xx), ${consecutiveFailures} in a row` : undefined
}

/** A host that gave pages, none of which is done any more: a shop whose addresses are new. One failed page is no shop. */
function gone({ done, failed }: Pick<HostRecord, 'done' | 'failed'>, core: Partial<CoreHostMemory>): string | undefined {
  const isGone = failed > 1 && done <= (core.documents ?? 0) && (core.gave?.pages ?? 0) > 0
  return isGone ? `it gave pages, and the last visits of all ${failed} failed` : undefined
}

function slow({ lastDurationMs = 0 }: Partial<CoreHostMemory>): string | undefined {
  return lastDurationMs >= SLOW_MS ? `its last answer took ${formatDuration(lastDurationMs)}` : undefined
}
