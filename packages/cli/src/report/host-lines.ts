// How one host was treated, as text that its owner can be sent.
import { formatBytes } from '@avocet/core/tools'
import { labelled } from '../text/columns.ts'
import { printable } from '../text/printable.ts'
import { formatCount, formatCountOf, formatDuration, formatMoment, formatRate, formatShare } from '../text/quantity.ts'
import type { Courtesy } from './courtesy.ts'
import type { HostReport } from './host-report.ts'
import { stateOfHost } from './words.ts'

const row = labelled(17)

/** Lines. */
export function hostLines(host: HostReport, crawlName: string, now: number): string[] {
  const { hostKey, requests, refusals, failures, wireBytes, firstByte, foundRps, courtesy } = host
  const counts = `${formatCount(host.done)} done, ${formatCount(host.moved)} moved, ${formatCount(host.failed)} failed, ${formatCount(host.waiting)} waiting`
  return [
    `${printable(hostKey)}, asked by the crawl ${printable(crawlName)}`,
    row('state', printable(stateOfHost(host, now))),
    row('pages', counts),
    ...(courtesy === null ? [row('requests', 'not known: it was crawled without the journal')] : []),
    ...(courtesy !== null && requests === 0 ? [row('requests', 'none')] : []),
    ...(requests === 0
      ? []
      : [
          row(
            'requests',
            `${formatCountOf(requests, 'request')} in ${formatCountOf(host.runs.length, 'run')}, ${formatBytes(wireBytes)}`,
          ),
          row(
            '',
            `${formatCount(refusals)} refused (${formatShare(refusals, requests)}), ${formatCount(failures)} failed (${formatShare(failures, requests)})`,
          ),
        ]),
    ...(host.firstAt === null ? [] : [row('first request', formatMoment(host.firstAt))]),
    ...(host.lastAt === null ? [] : [row('last request', formatMoment(host.lastAt))]),
    ...(foundRps === null ? [] : [row('found rate', formatRate(foundRps))]),
    ...(firstByte === null
      ? []
      : [
          row(
            'first byte',
            `half within ${formatDuration(firstByte.halfMs)}, 9 in 10 within ${formatDuration(firstByte.nineInTenMs)}, 99 in 100 within ${formatDuration(firstByte.most99Ms)}`,
          ),
        ]),
    ...(courtesy === null || host.lastAt === null ? [] : courtesyLines(courtesy)),
  ]
}

function courtesyLines({ mostInSecond, mostInMinute, smallestGapMs, ...asked }: Courtesy): string[] {
  return [
    '',
    'politeness, by the moments at which requests were sent',
    row('in any 1 s', `at most ${formatCount(mostInSecond)}`),
    row('in any 60 s', `at most ${formatCount(mostInMinute)}`),
    row('smallest gap', smallestGapMs === null ? 'one request only' : formatDuration(smallestGapMs)),
    ...robotsLines(asked),
    row('Crawl-delay', crawlDelayLine(asked)),
    row('Retry-After', retryAfterLine(asked)),
  ]
}

function robotsLines({ robots }: Pick<Courtesy, 'robots'>): string[] {
  if (robots === null) return [row('robots.txt', 'not requested: the robots plugin was not used')]
  if (robots.ignored) return [row('robots.txt', 'ignored, as configured')]
  if (robots.copies.length === 0) return [row('robots.txt', 'not requested yet')]
  return robots.copies.map(({ origin, state, fetchedAt, last, rules }) => {
    const when = fetchedAt === null ? '' : `, fetched ${formatMoment(fetchedAt)}`
    const what =
      state === 'unknown'
        ? `never reached (${last}), so nothing was requested`
        : state === 'open'
          ? `none (${last}), so everything is allowed`
          : `${formatCountOf(rules, 'rule')} for us, kept to (${last})`
    return row('robots.txt', printable(`${origin}: ${what}${when}`))
  })
}

function crawlDelayLine({ crawlDelay }: Pick<Courtesy, 'crawlDelay'>): string {
  if (crawlDelay === null) return 'none'
  const asked = `asks for ${formatDuration(crawlDelay.askedMs)}`
  const gap = formatDuration(crawlDelay.smallestGapMs)
  if (crawlDelay.kept === null) return `${asked}; nothing was sent since that was read`
  return crawlDelay.kept
    ? `${asked}: kept, the smallest gap since that was read is ${gap}`
    : `${asked}: NOT KEPT, the smallest gap since that was read is ${gap}`
}

function retryAfterLine({ retryAfter }: Pick<Courtesy, 'retryAfter'>): string {
  if (retryAfter === null) return 'never asked'
  const { asked, longestMs, early } = retryAfter
  const times = `asked ${formatCountOf(asked, 'time')}, the longest ${formatDuration(longestMs)}`
  return early === 0
    ? `${times}: kept, no request was sent before`
    : `${times}: NOT KEPT, ${formatCountOf(early, 'request')} came too early`
}
