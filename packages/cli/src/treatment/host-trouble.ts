// Which hosts need a look, and why: given up, not treated as they asked, suspect, refusing, failing. The others are healthy.
//
// A host has one trouble, the gravest. Single refusals are none: learning a rate causes some. Of failures the same share is allowed.
import type { JournalEnd } from '@avocet/plugin-journal'
import { byName } from '../text/by-name.ts'
import { givenUpInWords } from '../text/left-undone.ts'
import { formatCount, formatCountOf, formatShare } from '../text/quantity.ts'
import { isBroken } from './courtesy.ts'
import type { HostReport } from './host-report.ts'

/** The kinds, the gravest first. */
const TROUBLES = ['given up', 'impolite', 'suspect', 'refusing', 'failing'] as const

/** One host's. */
export interface HostTrouble {
  readonly host: HostReport
  readonly kind: (typeof TROUBLES)[number]
  readonly reason: string
  /** The last URL that shows it. */
  readonly sample: string | null
}

/** From such a share of requests, or of pages, on. */
const TROUBLE_RATIO = 0.05

/** Those that have one, by kind, then by how much waits or went wrong, then by name. */
export function troublesOf(hosts: readonly HostReport[], now: number): readonly HostTrouble[] {
  return hosts
    .flatMap((host) => troubleOf(host, now) ?? [])
    .toSorted(
      (a, b) => TROUBLES.indexOf(a.kind) - TROUBLES.indexOf(b.kind) || weight(b.host) - weight(a.host) || byName(a.host, b.host),
    )
}

function weight({ waiting, refusals, failures, failed }: HostReport): number {
  return waiting + refusals + failures + failed
}

function troubleOf(host: HostReport, now: number): HostTrouble | undefined {
  const { state, retiredFor, probeAt, requests, refusals, courtesy } = host
  if (state === 'given-up')
    return { host, kind: 'given up', reason: givenUpInWords(retiredFor ?? '', probeAt, now), sample: lastWrong(host, () => true) }
  if (courtesy !== null && isBroken(courtesy))
    return { host, kind: 'impolite', reason: 'what it asked for was not obeyed; see Politeness', sample: null }
  const suspicion = suspicionOf(host)
  if (suspicion !== undefined) return { host, kind: 'suspect', ...suspicion }
  if (refusals > requests * TROUBLE_RATIO) {
    const reason = `${formatCount(refusals)} of ${formatCountOf(requests, 'request')} refused (${formatShare(refusals, requests)})`
    return { host, kind: 'refusing', reason, sample: lastWrong(host, isRefused) }
  }
  const wrong = wrongOf(host)
  if (wrong.reduce((sum, { count }) => sum + count, 0) <= requests * TROUBLE_RATIO) return undefined
  return { host, kind: 'failing', reason: failingReason(wrong, requests), sample: lastWrong(host, (how) => !isRefused(how)) }
}

function suspicionOf(host: HostReport): Pick<HostTrouble, 'reason' | 'sample'> | undefined {
  const { forbiddenInRow, handlers } = host
  if (forbiddenInRow > 1) {
    const reason = `seems to block the crawler: the last ${formatCount(forbiddenInRow)} answers were forbidden`
    return { reason, sample: lastWrong(host, (how) => /^4|^999$/.test(how) && !isRefused(how)) }
  }
  const dry = handlers.find(({ driedUp }) => driedUp)
  if (dry === undefined) return undefined
  const { handler = 'several handlers', barren, fruitful } = dry
  const before = `${formatCountOf(fruitful, 'page')} before had some`
  return { reason: `no items from the last ${formatCount(barren)} pages of ${handler}; ${before}`, sample: null }
}

/** Answers and failures that gave no page, without refusals. What a handler did with a page is not the fault of its host. */
function wrongOf({ ends }: HostReport): readonly JournalEnd[] {
  return ends.filter(({ how, url }) => url !== undefined && !isRefused(how))
}

/** The most frequent kinds of what went wrong. */
function failingReason(wrong: readonly JournalEnd[], requests: number): string {
  const kinds = wrong.slice(0, 3).map(({ how, count }) => `${formatCount(count)} × ${endInWords(how)}`)
  return `${kinds.join(', ')}${wrong.length > 3 ? ' …' : ''} of ${formatCountOf(requests, 'request')}`
}

/** `HTTP 404`, `dns-not-found`. */
export function endInWords(how: string): string {
  return /^\d/.test(how) ? `HTTP ${how}` : how
}

function isRefused(how: string): boolean {
  return how === '429' || how === '503'
}

/** The latest of those kinds. */
function lastWrong({ ends }: HostReport, concerns: (how: string) => boolean): string | null {
  const [last] = ends.filter(({ how, url }) => url !== undefined && concerns(how)).toSorted((a, b) => b.lastAt - a.lastAt)
  return last?.url ?? null
}
