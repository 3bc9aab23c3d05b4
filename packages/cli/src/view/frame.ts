// The live block as lines of text: a pure function of a scene and of how large the terminal is.
import {
  columnsOf,
  fit,
  plain,
  printable,
  formatCount,
  formatCountOf,
  formatRate,
  formatRoughly,
  formatBytes,
} from '@avocet/project/text'
import type { Paint, Tone } from '@avocet/project/text'
import { formatDuration } from '@avocet/core/plugin'
import { conditionsInWords, seedsInWords } from '../text/left-undone.ts'
import { roundLine } from '../text/store-words.ts'
import { lateSinksLine } from '../text/sink-line.ts'
import { drainLines, pausedInWords, waitingInWords } from './phase-words.ts'
import { hostTable, MIN_TABLE_COLUMNS } from './host-table.ts'
import type { Scene, TroubleCount } from './scene.ts'

/** Lines that are neither totals nor hosts: the empty line, the head of the table, the footer, and the cursor's own. */
const OTHER_LINES = 4
/** Totals of a crawl that was not seen yet. */
const USUAL_TOTALS = 8

/** Of the terminal. */
interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

/** How many hosts a frame of this size shows, when its totals are those of `scene`. */
export function roomFor({ columns, rows }: ScreenSize, scene?: Scene): number {
  const above = scene === undefined ? USUAL_TOTALS : totals(scene, columns, plain).length
  return columns < MIN_TABLE_COLUMNS ? 0 : Math.max(0, rows - OTHER_LINES - above)
}

/**
 * The block: no line wider than the terminal, and less lines than it has, for what has scrolled off its top cannot be drawn over.
 *
 * @example
 * ```ts
 * const size = { columns: 80, rows: 24 }
 * frame(watcher.look(roomFor(size)), size).join('\n')
 * ```
 */
export function frame(scene: Scene, size: ScreenSize, paint: Paint = plain): string[] {
  const { columns, rows } = size
  const shown = scene.rows.slice(0, roomFor(size, scene))
  const hosts = hostTable(shown, { width: columns, now: scene.glance.status.now }, paint)
  const more = columns >= MIN_TABLE_COLUMNS ? scene.workingHosts - shown.length : 0
  const last = more > 0 ? [paint('quiet', fit(`${formatCount(more)} more`, columns))] : []
  const above = totals(scene, columns, paint).slice(0, Math.max(1, rows - 1 - last.length))
  const middle = hosts.length === 0 ? [] : ['', ...hosts]
  return [...above, ...middle.slice(0, Math.max(0, rows - 1 - last.length - above.length)), ...last].slice(
    0,
    Math.max(1, rows - 1),
  )
}

const GAP = '  '
/** Kinds of trouble that are named. */
const MAX_KINDS = 6

/** A label and a value. */
interface Figure {
  readonly label: string
  readonly value: string
  readonly tone?: Tone
}

/** Lines no wider than `width`. */
function totals(scene: Scene, width: number, paint: Paint): readonly string[] {
  return [
    paint('title', fit(titleOf(scene), width)),
    ...drainLines(scene.glance.status, width).map((line) => paint('warn', line)),
    ...(scene.glance.status.rounds ?? []).map((each) => fit(`round ${roundLine(each, scene.glance.status.now)}`, width)),
    ...figureLines(workFigures(scene), width, paint),
    ...figureLines(paceFigures(scene), width, paint),
    ...troubleLine(
      { label: scene.processes === undefined ? 'failed in this run' : 'failed', kinds: scene.failures },
      width,
      paint,
    ),
    ...troubleLine({ label: 'trouble', kinds: troublesOf(scene) }, width, paint),
    ...troubledLine(scene).map((line) => paint('bad', fit(line, width))),
    ...heldLine(scene).map((line) => paint('warn', fit(line, width))),
    ...sinksLine(scene).map((line) => paint('warn', fit(line, width))),
  ]
}

/** `hosts 1 broken layout, 11 fine; shop.example: handler product failed on 4 of its last 16 pages`; none while no host is in trouble. */
function troubledLine({ judged }: Scene): readonly string[] {
  const [worst] = judged?.inTrouble ?? []
  if (judged === undefined || worst === undefined) return []
  return [`hosts ${conditionsInWords(judged.conditions)}; ${printable(worst.hostKey)}: ${printable(worst.why)}`]
}

/** `1 host waits: shop.example, breaker: open after connect-refused, 48 s`; none when nothing is held. */
function heldLine({ heldHosts, firstHeld, glance }: Scene): readonly string[] {
  // A crawl that drains waits for none of them.
  if (firstHeld === undefined || glance.status.drain !== undefined) return []
  const { hostKey, hold } = firstHeld
  const who = `${printable(hostKey)}, ${printable(hold.by)}: ${printable(hold.why)}`
  const left = formatDuration(hold.until - glance.status.now)
  return [
    heldHosts === 1 ? `1 host waits: ${who}, ${left}` : `${formatCount(heldHosts)} hosts wait, the first for ${left}: ${who}`,
  ]
}

/** At most one line: sinks that lag behind, or fail. */
function sinksLine({ glance: { status } }: Scene): readonly string[] {
  const line = lateSinksLine(status.sinks ?? [], status.now)
  return line === undefined ? [] : [line]
}

function titleOf({ glance: { status } }: Scene): string {
  const elapsed = formatDuration(status.now - status.startedAt)
  const name = printable(status.name)
  const paused = pausedInWords(status)
  if (paused !== undefined && status.drain === undefined) return `${name} ${paused}`
  const waiting = waitingInWords(status)
  if (waiting !== undefined) return `${name} ${waiting}`
  return status.phase === 'running' ? `${name} running for ${elapsed}` : `${name} ${status.phase} after ${elapsed}`
}

function workFigures({ glance: { status } }: Scene): readonly Figure[] {
  return [
    ...(status.seeds === undefined ? [] : [{ label: 'seeds', value: seedsInWords(status.seeds) }]),
    { label: 'known', value: formatCount(status.known) },
    { label: 'done', value: formatCount(status.done), tone: 'good' },
    { label: 'waiting', value: formatCount(status.waiting) },
    { label: 'failed', value: formatCount(status.failed), ...(status.failed > 0 && { tone: 'bad' as const }) },
    { label: 'items', value: formatCount(status.items) },
    ...(status.run.rejects > 0 ? [{ label: 'rejects', value: formatCount(status.run.rejects), tone: 'warn' as const }] : []),
    { label: 'received', value: formatBytes(status.run.wireBytes) },
  ]
}

function paceFigures(scene: Scene): readonly Figure[] {
  const { glance, processes } = scene
  const { status, pagesPerSecond, averagePagesPerSecond, restMs } = glance
  return [
    { label: 'rate', value: `${formatRate(pagesPerSecond)} now, ${formatRate(averagePagesPerSecond)} average` },
    ...(processes === undefined ? ownFigures(scene) : [{ label: 'processes', value: formatCount(processes) }]),
    ...(status.run.retried > 0 ? [{ label: 'retries', value: formatCount(status.run.retried) }] : []),
    // Until somebody resumes it, and once it ends early, nobody wants to know.
    ...(status.phase === 'running'
      ? [{ label: 'left', value: restMs === undefined ? 'unknown' : `about ${formatRoughly(restMs)}` }]
      : []),
  ]
}

/** What only the process knows that crawls. */
function ownFigures({ glance: { status }, parkedHosts }: Scene): readonly Figure[] {
  const hosts = [
    `${formatCount(status.liveHosts)} at work`,
    ...(parkedHosts > 0 ? [`${formatCount(parkedHosts)} later`] : []),
    ...(status.pausedHosts ? [`${formatCount(status.pausedHosts.count)} paused`] : []),
  ]
  return [
    { label: 'in flight', value: `${formatCount(status.inFlight)}/${formatCount(status.slots)}` },
    ...(status.connections ? [{ label: 'connections', value: formatCount(status.connections.open) }] : []),
    { label: 'hosts', value: hosts.join(', ') },
  ]
}

/** As many figures on a line as fit. */
function figureLines(all: readonly Figure[], width: number, paint: Paint): readonly string[] {
  const lines: string[] = []
  let free = 0
  for (const { label, value, tone } of all) {
    const needed = columnsOf(label) + 1 + columnsOf(value)
    const text = `${paint('quiet', label)} ${paint(tone ?? 'title', value)}`
    const line = lines.at(-1)
    if (line !== undefined && needed + GAP.length <= free) {
      lines[lines.length - 1] = `${line}${GAP}${text}`
      free -= needed + GAP.length
    } else {
      lines.push(needed <= width ? text : fit(`${label} ${value}`, width))
      free = width - needed
    }
  }
  return lines
}

/** Plugins that threw are a kind of their own. */
function troublesOf({ troubles, glance }: Scene): readonly TroubleCount[] {
  const { pluginErrors } = glance.status.run
  return pluginErrors === 0
    ? troubles
    : [...troubles, { kind: pluginErrors === 1 ? 'plugin error' : 'plugin errors', count: pluginErrors }]
}

type Troubles = { readonly label: string; readonly kinds: readonly TroubleCount[] }

/** The most frequent kinds, as far as they fit. */
function troubleLine({ label, kinds }: Troubles, width: number, paint: Paint): readonly string[] {
  const free = width - label.length - 1
  if (kinds.length === 0 || free < 1) return []
  const counts = kinds.slice(0, MAX_KINDS).map(({ kind, count }) => `${formatCount(count)} ${printable(kind)}`)
  return [`${paint('quiet', label)} ${paint(label === 'trouble' ? 'warn' : 'bad', fit(counts.join(', '), free))}`]
}

/** One line, such as `price-watch: 1,204 pages, 12.4 /s, 8 in flight, 311 waiting, 2 failed, about 25 s left`. */
export function progressLine(scene: Scene): string {
  const { status, pagesPerSecond, restMs } = scene.glance
  const { run } = status
  const paused = pausedInWords(status)
  const parts = [
    formatCountOf(run.pages, 'page'),
    formatRate(pagesPerSecond),
    ...(scene.processes === undefined ? [`${formatCount(status.inFlight)} in flight`] : []),
    ...(status.seeds === undefined ? [] : [`seeds: ${seedsInWords(status.seeds)}`]),
    `${formatCount(status.waiting)} waiting`,
    `${formatCount(run.failed)} failed`,
    ...(run.failures > 0 ? [formatCountOf(run.failures, 'network error')] : []),
    ...(run.pluginErrors > 0 ? [formatCountOf(run.pluginErrors, 'plugin error')] : []),
    ...(restMs === undefined ? [] : [`about ${formatRoughly(restMs)} left`]),
    ...(status.pausedHosts ? [`${formatCountOf(status.pausedHosts.count, 'host')} paused by an operator`] : []),
    ...[paused ?? waitingInWords(status) ?? []].flat(),
    ...drainLines(status, Infinity),
    ...heldLine(scene),
    ...sinksLine(scene),
  ]
  return `${printable(status.name)}: ${parts.join(', ')}`
}
