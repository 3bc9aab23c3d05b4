// What `avocet fetch --explain` says: what each policy decided about a page and its host, the way that the request took, and what came of it.
import type { Json, Plugin } from '@avocet/core'
import { fold, labelled } from '../text/columns.ts'
import { printable } from '../text/printable.ts'
import { formatCountOf, formatDuration, formatBytes } from '../text/quantity.ts'
import { isRecord, valuesInWords } from '../text/value-in-words.ts'
import type { HopReport, VisitReport } from './visit-report.ts'

const LABEL_COLUMNS = 11
const row = labelled(LABEL_COLUMNS)

type Values = Readonly<Record<string, Json>>

/** Lines of at most `columns`, what is folded under its label. Times are counted from `now`. */
export function explainLines(report: VisitReport, now: number, columns: number): string[] {
  const indent = ' '.repeat(LABEL_COLUMNS + 3)
  return rowsOf(report, now).flatMap((line) => {
    const [first = '', ...rest] = fold(line.slice(indent.length), columns - indent.length)
    return line.startsWith(' ') ? [line.slice(0, indent.length) + first, ...rest.map((one) => indent + one)] : fold(line, columns)
  })
}

function rowsOf(report: VisitReport, now: number): string[] {
  return [
    printable(report.finalUrl),
    ...robotsLines(report, now),
    ...Object.entries(report.policies)
      .filter(([name, known]) => !hasItsOwnRow(report, name) && Object.keys(known).length > 0)
      .map(([name, known]) => row(labelOf(report, name), policyInWords(known, holdOf(report, name, now), now))),
    ...quietHolds(report, now),
    ...limitLines(report, now),
    ...report.hops.flatMap((hop, index) => row(index === 0 ? 'requests' : '', hopInWords(hop))),
    ...answerLines(report),
    row('in a crawl', report.next),
  ]
}

/** A policy is listed as what it decides; another plugin by its name. */
function labelOf({ policyOf }: VisitReport, name: string): string {
  return policyOf[name] ?? printable(name)
}

function hasItsOwnRow({ policyOf }: VisitReport, name: string): boolean {
  return policyOf[name] === 'robots' || (policyOf[name] === 'timeouts' && name === 'adaptive-timeout')
}

/** The plugin that implements `policy`. */
function pluginOf({ policyOf }: VisitReport, policy: Plugin['policy']): string | undefined {
  return Object.keys(policyOf).find((name) => policyOf[name] === policy)
}

function robotsLines(report: VisitReport, now: number): string[] {
  const { robots, policies } = report
  const name = pluginOf(report, 'robots')
  if (name === undefined) return [row('robots', 'not obeyed: no policy for robots.txt')]
  const known = policies[name] ?? {}
  if (known['ignored'] === true) return [row('robots', 'ignored (--ignore-robots or hosts)')]
  const copies = Object.values(known).filter(isRecord)
  const delay = copies.map(({ crawlDelayMs }) => crawlDelayMs).find((ms) => typeof ms === 'number')
  const rule = robots?.rule === undefined ? '' : `: ${printable(robots.rule)}`
  const verdict = robots === undefined ? 'not known' : robots.allowed ? `allowed${rule}` : `not allowed${rule}`
  const of = copies.flatMap(({ state, last, rules }) =>
    state === undefined ? [] : [`copy: ${plainly(state)}, ${plainly(last)}, ${formatCountOf(Number(rules ?? 0), 'rule')} for us`],
  )
  const spacing = delay === undefined ? [] : [`Crawl-delay ${formatDuration(delay)}`]
  const hold = holdOf(report, name, now)
  return [row('robots', [verdict, ...spacing, ...of, ...(hold === undefined ? [] : [hold])].join('; '))]
}

function policyInWords(known: Values, hold: string | undefined, now: number): string {
  return `${valuesInWords(known, now)}${hold === undefined ? '' : `; ${hold}`}`
}

/** The one with a moment, if there is one: that is when it ends. */
function holdOf({ holds }: VisitReport, name: string, now: number): string | undefined {
  const own = holds.filter(({ by }) => by === name)
  const hold = own.find(({ until }) => until !== null) ?? own[0]
  if (hold === undefined) return undefined
  const rest = hold.until === null || hold.until <= now ? '' : ` for ${formatDuration(hold.until - now)}`
  return `holds the next request${rest}: ${printable(hold.why)}`
}

/** Of those that know nothing to tell: core, plugins without `explain`. */
function quietHolds(report: VisitReport, now: number): string[] {
  const names = [...new Set(report.holds.map(({ by }) => by))]
  return names
    .filter((name) => !hasItsOwnRow(report, name) && Object.keys(report.policies[name] ?? {}).length === 0)
    .map((name) => row(labelOf(report, name), holdOf(report, name, now) ?? ''))
}

function limitLines({ limits, policies }: VisitReport, now: number): string[] {
  if (limits === undefined) return []
  const { connectMs, firstByteMs, idleMs, totalMs, minBytesPerSecond } = limits
  const phases = Object.entries({ connect: connectMs, 'first byte': firstByteMs, 'pause in the body': idleMs, total: totalMs })
  const law = policies['adaptive-timeout']?.['law']
  const by = typeof law === 'string' ? `; ${valuesInWords({ law }, now)}` : ''
  const least = `at least ${formatBytes(minBytesPerSecond)} a second`
  return [row('timeouts', `${phases.map(([name, ms]) => `${name} ${formatDuration(ms)}`).join(', ')}, ${least}${by}`)]
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

function plainly(value: Json | undefined): string {
  return typeof value === 'string' ? printable(value) : JSON.stringify(value ?? null)
}
