// What a host asked for and got, in words.
import type { RobotsTreatment } from '@avocet/plugin-journal'
import { printable, formatCount, formatCountOf, formatMoment } from '@avocet/project/text'
import { formatDuration } from '@avocet/core/plugin'
import type { Courtesy, RobotsUsed } from './courtesy.ts'
import type { StoreReport } from './store-report.ts'

/** Of the crawl that it belongs to. */
export type AboutCrawl = Pick<StoreReport, 'name' | 'now' | 'lastRuns'>

/** What a host asked for, and whether it was obeyed. */
interface WishRow {
  readonly name: string
  readonly words: string
  readonly isBad: boolean
}

/** All of them, in words; robots.txt may have several. */
export function wishRows(asked: Pick<Courtesy, 'robots' | 'crawlDelay' | 'preferences' | 'retryAfter'>): readonly WishRow[] {
  const delay = { name: 'Crawl-delay', words: crawlDelayLine(asked), isBad: asked.crawlDelay?.obeyed === false }
  const wait = { name: 'Retry-After', words: retryAfterLine(asked), isBad: asked.retryAfter?.obeyed === false }
  const uses = asked.preferences.map((text) => ({
    name: 'use of content',
    words: `${printable(text)}: recorded only`,
    isBad: false,
  }))
  return [...robotsRows(asked.robots), delay, wait, ...uses]
}

function robotsRows({ treatment, copies }: Courtesy['robots']): readonly WishRow[] {
  const name = 'robots.txt'
  const sent = notObeyedText(treatment)
  if (copies.length === 0) return [{ name, words: sent ?? 'not requested yet', isBad: false }]
  const rows = copies.map((copy) => ({ name, words: printable(copyText(copy, sent === undefined)), isBad: false }))
  return sent === undefined ? rows : [...rows, { name, words: sent, isBad: true }]
}

/** Undefined where it was obeyed by all requests. */
function notObeyedText(treatment: RobotsTreatment | null): string | undefined {
  if (treatment === null) return undefined
  const { obeyed, ignored, without, lastUnruledAt } = treatment
  if (ignored + without === 0) return undefined
  const all = formatCount(obeyed + ignored + without)
  const parts = [
    ...(ignored > 0 ? [`ignored, as configured then, by ${formatCount(ignored)} of ${all} requests`] : []),
    ...(without > 0 ? [`not considered by ${formatCount(without)} of ${all} requests: no robots policy was used`] : []),
  ]
  return `${parts.join('; ')}${lastUnruledAt === undefined ? '' : `; last at ${formatMoment(lastUnruledAt)}`}`
}

function copyText({ origin, state, fetchedAt, last, rules }: RobotsUsed, isObeyed: boolean): string {
  const when = fetchedAt === null ? '' : `, fetched ${formatMoment(fetchedAt)}`
  if (state === 'unknown') return `${origin}: never reached (${last})${isObeyed ? ', so nothing was requested' : ''}${when}`
  if (state === 'open') return `${origin}: none (${last}), so everything is allowed${when}`
  return `${origin}: ${formatCountOf(rules, 'rule')} for us${isObeyed ? ', obeyed' : ''} (${last})${when}`
}

function crawlDelayLine({ crawlDelay }: Pick<Courtesy, 'crawlDelay'>): string {
  if (crawlDelay === null) return 'none'
  const asked = `asks for ${formatDuration(crawlDelay.askedMs)}`
  const gap = formatDuration(crawlDelay.smallestGapMs)
  if (crawlDelay.obeyed === null) return `${asked}; nothing was sent since that was read`
  return crawlDelay.obeyed
    ? `${asked}: obeyed, the smallest gap since that was read is ${gap}`
    : `${asked}: NOT OBEYED, the smallest gap since that was read is ${gap}`
}

function retryAfterLine({ retryAfter }: Pick<Courtesy, 'retryAfter'>): string {
  if (retryAfter === null) return 'never asked'
  const { asked, longestMs, early } = retryAfter
  const times = `asked ${formatCountOf(asked, 'time')}, the longest ${formatDuration(longestMs)}`
  return early === 0
    ? `${times}: obeyed, no request was sent before`
    : `${times}: NOT OBEYED, ${formatCountOf(early, 'request')} came too early`
}
