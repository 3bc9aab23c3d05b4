// What `avocet fetch --explain` says: what each policy decided about a page and its host, the way that the request took, and what came of it.
import { labelled, printable, formatBytes } from '@avocet/project/text'
import { formatDuration } from '@avocet/core/plugin'
import { valuesInWords } from '@avocet/project/place'
import type { HopReport, VisitReport } from './visit-report.ts'

const row = labelled(11)

/** Lines, unfolded. Times are counted from `now`. */
export function explainLines(report: VisitReport, now: number): string[] {
  const { policyOf, policies, holds, hops } = report
  return [
    printable(report.finalUrl),
    row('robots.txt', robotsInWords(report)),
    ...Object.entries(policies)
      .filter(([, known]) => Object.keys(known).length > 0)
      // A policy is listed as what it decides; another plugin by its name.
      .map(([name, known]) => row(policyOf[name] ?? printable(name), valuesInWords(known, now))),
    ...holds.map(({ by, why, until }) => row('held by', `${printable(by)}${restInWords(until, now)}: ${printable(why)}`)),
    ...limitLines(report),
    ...hops.map((hop, index) => row(index === 0 ? 'requests' : '', hopInWords(hop))),
    ...answerLines(report),
    row('in a crawl', report.next),
  ]
}

function robotsInWords({ robots, policyOf }: VisitReport): string {
  if (!Object.values(policyOf).includes('robots')) return 'not obeyed: no policy for robots.txt'
  if (robots === undefined) return 'not known'
  return `${robots.allowed ? 'allowed' : 'not allowed'}${robots.rule === undefined ? '' : `: ${printable(robots.rule)}`}`
}

function restInWords(until: number | null, now: number): string {
  return until === null || until <= now ? '' : ` for ${formatDuration(until - now)}`
}

function limitLines({ limits }: VisitReport): string[] {
  if (limits === undefined) return []
  const { connectMs, firstByteMs, idleMs, totalMs, minBytesPerSecond } = limits
  const phases = Object.entries({ connect: connectMs, 'first byte': firstByteMs, 'pause in the body': idleMs, total: totalMs })
  const least = `at least ${formatBytes(minBytesPerSecond)} a second`
  return [row('limits', `${phases.map(([name, ms]) => `${name} ${formatDuration(ms)}`).join(', ')}, ${least}`)]
}

function hopInWords(hop: HopReport): string {
  const { url, status, failed, location, connectMs, firstByteMs, bodyMs } = hop
  const answer = failed ?? `${status}${location === undefined ? '' : ` to ${printable(location)}`}`
  const times = [
    ...(connectMs === undefined ? (firstByteMs === undefined ? [] : ['kept connection']) : [`connect ${exactly(connectMs)}`]),
    ...(firstByteMs === undefined ? [] : [`first byte ${exactly(firstByteMs)}`]),
    ...(bodyMs === undefined ? [] : [`body ${exactly(bodyMs)}`]),
  ]
  return `${printable(url)}  ${answer}${times.length === 0 ? '' : `  (${times.join(', ')})`}`
}

/** Loopback and good networks answer in less than ten. */
function exactly(ms: number): string {
  return ms < 10 ? `${ms} ms` : formatDuration(ms)
}

function answerLines(report: VisitReport): string[] {
  const { status, contentType, charset, coding, wireBytes = 0, decodedBytes = 0 } = report
  if (status === undefined) return []
  const size =
    coding === undefined
      ? formatBytes(decodedBytes)
      : `${formatBytes(wireBytes)} on the wire (${printable(coding)}), ${formatBytes(decodedBytes)} decoded`
  return [row('answer', `${status}, ${printable(contentType ?? '')}, ${charset}, ${size}`)]
}
