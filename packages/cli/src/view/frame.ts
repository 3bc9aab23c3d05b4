// The live block as lines of text: a pure function of what the crawl looks like and how wide the terminal is.
import type { HostStatus } from '@avocet/core'
import { column, columnsOf, fit } from '../text/columns.ts'
import { printable } from '../text/printable.ts'
import { formatBytes, formatCount, formatDuration, formatRate, formatRoughly } from '../text/quantity.ts'
import type { Glance } from './pace.ts'
import { plain, type Paint, type Tone } from './paint.ts'

const MAX_HOSTS = 5
/** The host column takes what the others leave, within these. */
const MIN_HOST_COLUMNS = 16
const MAX_HOST_COLUMNS = 48
const GAP = '  '

/** One figure of the summary: a label and a value. */
interface Figure {
  readonly label: string
  readonly value: string
  readonly tone?: Tone
}

/**
 * The block, no line wider than `width` columns.
 *
 * @example
 * ```ts
 * frame(pace.glance(crawl.status()), 80).join('\n')
 * ```
 */
export function frame(glance: Glance, width: number, paint: Paint = plain): string[] {
  const { status } = glance
  const title = `${printable(status.name)} ${phaseOf(glance)}`
  return [
    paint('title', fit(title, width)),
    ...rows(figures(glance), width).map((row) =>
      row.map(({ label, value, tone }) => `${paint('quiet', label)} ${paint(tone ?? 'title', value)}`).join(GAP),
    ),
    ...hostLines(status.hosts, status.now, width).map(({ text, tone }) => (tone === undefined ? text : paint(tone, text))),
  ]
}

function phaseOf({ status }: Glance): string {
  const elapsed = formatDuration(status.now - status.startedAt)
  if (status.pausedFor !== undefined) return `paused: ${printable(status.pausedFor)}`
  return status.phase === 'running' ? `running for ${elapsed}` : `${status.phase} after ${elapsed}`
}

function figures({ status, pagesPerSecond, restMs }: Glance): readonly Figure[] {
  const { run } = status
  return [
    { label: 'pages', value: formatCount(run.pages), tone: 'good' },
    { label: 'rate', value: formatRate(pagesPerSecond) },
    { label: 'in flight', value: `${formatCount(status.inFlight)}/${formatCount(status.slots)}` },
    { label: 'waiting', value: formatCount(status.waiting) },
    {
      label: 'errors',
      value: formatCount(run.failed + run.pluginErrors),
      ...(run.failed + run.pluginErrors > 0 && { tone: 'bad' as const }),
    },
    { label: 'retries', value: formatCount(run.retried) },
    { label: 'items', value: formatCount(run.items) },
    { label: 'received', value: formatBytes(run.wireBytes) },
    { label: 'hosts', value: formatCount(status.liveHosts) },
    ...(restMs === undefined ? [] : [{ label: 'left', value: `about ${formatRoughly(restMs)}` }]),
  ]
}

/** As many figures on a line as fit. */
function rows(all: readonly Figure[], width: number): readonly (readonly Figure[])[] {
  const lines: Figure[][] = []
  let free = 0
  for (const figure of all) {
    const needed = columnsOf(figure.label) + 1 + columnsOf(figure.value)
    const line = lines.at(-1)
    if (line && needed + GAP.length <= free) {
      line.push(figure)
      free -= needed + GAP.length
    } else {
      lines.push([figure])
      free = width - needed
    }
  }
  return lines
}

interface Line {
  readonly text: string
  readonly tone?: Tone
}

/** The slowest hosts with something to do, and what holds them. */
function hostLines(hosts: readonly HostStatus[], now: number, width: number): readonly Line[] {
  const slowest = hosts
    .filter(({ waiting, inFlight }) => waiting + inFlight > 0)
    .sort((a, b) => tookMs(b, now) - tookMs(a, now) || (a.hostKey < b.hostKey ? -1 : 1))
    .slice(0, MAX_HOSTS)
  if (slowest.length === 0) return []
  const widest = Math.max(MIN_HOST_COLUMNS, ...slowest.map(({ hostKey }) => columnsOf(printable(hostKey))))
  const hostColumns = Math.min(widest, MAX_HOST_COLUMNS, Math.max(MIN_HOST_COLUMNS, width - 48))
  const cells = (host: string, took: string, flight: string, waiting: string): string =>
    [column(host, hostColumns), column(took, 9, 'right'), column(flight, 6, 'right'), column(waiting, 9, 'right')].join(' ')
  const head: Line = { text: fit(`${cells('slowest hosts', 'took', 'flight', 'waiting')}${GAP}held`, width), tone: 'quiet' }
  return [head, ...slowest.map((host) => hostLine(host, now, cells, width))]
}

/** The last exchange, or the one under way if it has taken longer already: a host that hangs has no last one. */
function tookMs({ inFlight, lastStartAt, lastDurationMs }: HostStatus, now: number): number {
  return inFlight > 0 ? Math.max(lastDurationMs, now - lastStartAt) : lastDurationMs
}

type Cells = (host: string, took: string, flight: string, waiting: string) => string

function hostLine(host: HostStatus, now: number, cells: Cells, width: number): Line {
  const ms = tookMs(host, now)
  const took = ms === 0 ? '-' : formatDuration(ms)
  const text = `${cells(printable(host.hostKey), took, formatCount(host.inFlight), formatCount(host.waiting))}${GAP}${holdOf(host, now)}`
  const tone = host.consecutiveFailures >= 2 ? 'bad' : host.refused > 0 ? 'warn' : undefined
  return { text: fit(text.trimEnd(), width), ...(tone && { tone }) }
}

function holdOf({ hold, consecutiveFailures }: HostStatus, now: number): string {
  const failing = consecutiveFailures > 0 ? `${formatCount(consecutiveFailures)} failed in a row` : ''
  if (!hold || hold.until <= now) return failing
  const until = Number.isFinite(hold.until) ? `${formatDuration(hold.until - now)} ` : ''
  return `${until}${printable(hold.by)}: ${printable(hold.why)}${failing === '' ? '' : `, ${failing}`}`
}
