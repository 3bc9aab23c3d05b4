// The lower part of the live block: the hosts that matter, a line each: what each is like, the rate that it was found to take, what waits, and what holds it.
import { column, columnsOf, fit, type Paint, type Tone, printable, formatCount, formatRate } from '@avocet/project/text'
import { formatDuration } from '@avocet/core/plugin'
import type { HostRow } from './scene.ts'

/** Narrower than this there is no table. */
export const MIN_TABLE_COLUMNS = 60

/** The host column takes what its names need, within these. */
const MIN_HOST_COLUMNS = 16
const MAX_HOST_SHARE = 0.27
const FOUND_COLUMNS = 8
const WAITING_COLUMNS = 7

/** Shorter waits are not counted down. */
const MIN_SHOWN_MS = 1_000

const TONES: Readonly<Record<HostRow['state'], Tone>> = {
  'broken layout': 'bad',
  unreachable: 'bad',
  blocked: 'bad',
  refusing: 'warn',
  paused: 'quiet',
  slow: 'quiet',
  fine: 'good',
}

/** The table with its head, no line wider than `width`; nothing without rows, or where it would be too narrow to be read. */
export function hostTable(
  rows: readonly HostRow[],
  { width, now }: { readonly width: number; readonly now: number },
  paint: Paint,
): readonly string[] {
  if (rows.length === 0 || width < MIN_TABLE_COLUMNS) return []
  const stateColumns = Math.max(...rows.map(({ state }) => columnsOf(state)), 5)
  const widest = Math.max(MIN_HOST_COLUMNS, ...rows.map(({ hostKey }) => columnsOf(printable(hostKey))))
  const hostColumns = Math.min(widest, Math.max(MIN_HOST_COLUMNS, Math.floor(width * MAX_HOST_SHARE)))
  // Of a crawl with a fixed delay nothing is found.
  const hasRates = rows.some(({ foundRps }) => foundRps !== undefined)
  const line = (host: string, found: string, waiting: string, held: string): string => {
    const rate = hasRates ? [column(found, FOUND_COLUMNS, 'right')] : []
    return [column(host, hostColumns), ...rate, column(waiting, WAITING_COLUMNS, 'right'), held].join(' ')
  }
  const head = `${column('state', stateColumns)} ${line('host', 'found', 'waiting', 'held')}`
  return [
    paint('quiet', fit(head, width)),
    ...rows.map((row) => {
      const { hostKey, state, foundRps, waiting } = row
      const found = foundRps === undefined ? '-' : formatRate(foundRps)
      const rest = line(printable(hostKey), found, formatCount(waiting), holdOf(row, now))
      return `${paint(TONES[state], column(state, stateColumns))} ${fit(rest, width - stateColumns - 1).trimEnd()}`
    }),
  ]
}

/** What holds it and for how long; else why it is what it is. */
function holdOf({ hold, why }: HostRow, now: number): string {
  if (!hold) return printable(why)
  const leftMs = hold.until - now
  // Numbers that are others in each frame say nothing.
  const until = Number.isFinite(leftMs) && leftMs >= MIN_SHOWN_MS ? `${formatDuration(leftMs)} ` : ''
  return `${until}${printable(hold.by)}: ${printable(hold.why)}`
}
