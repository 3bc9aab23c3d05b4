// The lower part of the live block: the hosts that matter, a line each, with as many columns as there is room for.
import { column, columnsOf, fit, type Paint, type Tone, printable, formatCount, formatRate } from '@avocet/project/text'
import { formatDuration } from '@avocet/core/plugin'
import type { Slice } from './answer-history.ts'
import type { HostRow } from './scene.ts'

/** Narrower than this there is no table. */
export const MIN_TABLE_COLUMNS = 60

/** The host column takes what its names need, within these. */
const MIN_HOST_COLUMNS = 16
const MAX_HOST_SHARE = 0.27

/** What is left for what holds a host: `48 s after connect-refused`. Always the same, or the table would jump. */
const REASON_COLUMNS = 33
/** Columns that make way for it. */
const BEFORE_REASONS = ['last 3 min', 'breaker', 'answers', 'took'] as const

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

/** One column: `from` is the least width of a terminal that shows it. */
interface Column {
  readonly head: string
  readonly columns: number
  readonly align: 'left' | 'right'
  readonly from: number
  /** Left out when all its cells are `-`. */
  readonly isOptional?: boolean
  cell(row: HostRow): string
}

const COLUMNS: readonly Column[] = [
  {
    head: 'found',
    columns: 8,
    align: 'right',
    from: 60,
    isOptional: true,
    cell: ({ foundRps }) => (foundRps === undefined ? '-' : formatRate(foundRps)),
  },
  { head: 'answers', columns: 8, align: 'right', from: 120, cell: ({ answeredRps }) => formatRate(answeredRps) },
  { head: 'last 3 min', columns: 12, align: 'left', from: 72, cell: ({ slices }) => sparkline(slices, 12) },
  { head: 'last 3 min', columns: 24, align: 'left', from: 150, cell: ({ slices }) => sparkline(slices, 24) },
  { head: 'took', columns: 7, align: 'right', from: 100, cell: ({ tookMs }) => (tookMs === 0 ? '-' : formatShort(tookMs)) },
  { head: 'breaker', columns: 9, align: 'left', from: 110, isOptional: true, cell: ({ breaker = '-' }) => printable(breaker) },
  { head: 'refused', columns: 7, align: 'right', from: 140, cell: ({ refused }) => formatCount(refused) },
  { head: 'flight', columns: 6, align: 'right', from: 90, cell: ({ inFlight }) => formatCount(inFlight) },
  { head: 'items', columns: 7, align: 'right', from: 130, cell: ({ items }) => formatCount(items) },
  { head: 'waiting', columns: 7, align: 'right', from: 60, cell: ({ waiting }) => formatCount(waiting) },
]

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
  const shown = columnsFor(width, { rows, room: width - stateColumns - hostColumns - REASON_COLUMNS - 2 })
  const cells = shown.map(({ head, columns, align }) => column(head, columns, align))
  const head = [column('state', stateColumns), column('host', hostColumns), ...cells, 'held'].join(' ')
  return [
    paint('quiet', fit(head, width)),
    ...rows.map((row) => {
      const state = column(row.state, stateColumns)
      const host = column(printable(row.hostKey), hostColumns)
      const rest = [host, ...shown.map(({ cell, columns, align }) => column(cell(row), columns, align)), holdOf(row, now)].join(
        ' ',
      )
      return `${paint(TONES[row.state], state)} ${fit(rest, width - stateColumns - 1).trimEnd()}`
    }),
  ]
}

/**
 * Of two columns with one head the wider that fits; none for rates and breakers where no plugin has any, and less of them where no room is left for reasons.
 */
function columnsFor(
  width: number,
  { rows, room }: { readonly rows: readonly HostRow[]; readonly room: number },
): readonly Column[] {
  const fitting = COLUMNS.filter(
    ({ from, cell, isOptional }) => from <= width && !(isOptional && rows.every((row) => cell(row) === '-')),
  )
  let shown = fitting.filter(({ head, from }) => !fitting.some((other) => other.head === head && other.from > from))
  const taken = (): number => shown.reduce((sum, { columns }) => sum + columns + 1, 0)
  for (const head of BEFORE_REASONS) if (taken() > room) shown = shown.filter((other) => other.head !== head)
  return shown
}

/** At most seven columns: `850 ms`, `4.2 s`, `30 s`, `12 min`. */
function formatShort(ms: number): string {
  return ms < 60_000 ? formatDuration(ms) : `${formatCount(ms / 60_000)} min`
}

/** What holds it and for how long; else why it is what it is. */
function holdOf({ hold, breaker, why }: HostRow, now: number): string {
  if (!hold) return printable(why)
  const leftMs = hold.until - now
  // Numbers that are others in each frame say nothing.
  const until = Number.isFinite(leftMs) && leftMs >= MIN_SHOWN_MS ? `${formatDuration(leftMs)} ` : ''
  return `${until}${reasonOf(hold, breaker)}`
}

/** That the breaker is open is told by its column; what it came after is not. `breaker`: its state, as its plugin calls it. */
function reasonOf({ by, why }: NonNullable<HostRow['hold']>, breaker: string | undefined): string {
  const isTold = breaker !== undefined && why.startsWith(`${breaker} `)
  return isTold ? printable(why.slice(breaker.length + 1)) : `${printable(by)}: ${printable(why)}`
}

const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const
const NOTHING = '·'
const ONLY_TROUBLE = '×'

/**
 * `slices` in `columns` characters, several slices a character where they are more. The tallest block is the most of this host.
 *
 * @example
 * ```ts
 * sparkline([{ good: 1, bad: 0 }, { good: 8, bad: 1 }, { good: 0, bad: 2 }, { good: 0, bad: 0 }], 4) // '▁█×·'
 * ```
 */
export function sparkline(slices: readonly Slice[], columns: number): string {
  const each = Math.ceil(slices.length / columns)
  const sums = Array.from({ length: Math.ceil(slices.length / each) }, (_, index) => {
    const part = slices.slice(index * each, (index + 1) * each)
    return { good: part.reduce((sum, { good }) => sum + good, 0), bad: part.reduce((sum, { bad }) => sum + bad, 0) }
  })
  const most = Math.max(1, ...sums.map(({ good }) => good))
  return sums.map(({ good, bad }) => (good > 0 ? block(good / most) : bad > 0 ? ONLY_TROUBLE : NOTHING)).join('')
}

function block(share: number): string {
  return BLOCKS[Math.ceil(share * BLOCKS.length) - 1] ?? BLOCKS[0]
}
