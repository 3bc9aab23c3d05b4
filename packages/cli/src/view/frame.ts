// The live block as lines of text: a pure function of a scene and of how large the terminal is.
import { hostTable, MIN_TABLE_COLUMNS } from './host-table.ts'
import { plain, type Paint } from './paint.ts'
import type { Scene } from './scene.ts'
import { totals } from './totals.ts'

/** A table of more hosts is not read, it is searched: `avocet hosts` is for that. */
const MAX_HOSTS = 12
/** Lines that are not hosts, at most: totals, an empty line, the head of the table, and the cursor's own. */
const OTHER_LINES = 11

/** Of the terminal. */
export interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

/** How many hosts a frame of this size shows. */
export function roomFor({ columns, rows }: ScreenSize): number {
  return columns < MIN_TABLE_COLUMNS ? 0 : Math.min(MAX_HOSTS, Math.max(0, rows - OTHER_LINES))
}

/**
 * The block: no line wider than the terminal, and less lines than it has, for what has scrolled off its top cannot be drawn over.
 *
 * @example
 * ```ts
 * const size = { columns: 80, rows: 24 }
 * frame(lookout.look(roomFor(size)), size).join('\n')
 * ```
 */
export function frame(scene: Scene, { columns, rows }: ScreenSize, paint: Paint = plain): string[] {
  const table = hostTable(scene.rows, { width: columns, now: scene.glance.status.now }, paint)
  const lines = [...totals(scene, columns, paint), ...(table.length === 0 ? [] : ['', ...table])]
  return lines.slice(0, Math.max(1, rows - 1))
}
