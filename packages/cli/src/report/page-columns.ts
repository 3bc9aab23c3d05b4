// Columns and cells of the tables of a page: what a cell says, and what it is sorted by.
import type { TableCell, TableColumn } from '@avocet/html-report'
import { formatDuration, formatMoment, formatRate } from '../text/quantity.ts'

/** A column of texts, of names, which head their rows, or of single words. */
export function text(name: string, kind: 'text' | 'name' | 'word' = 'text'): TableColumn {
  return { name, kind }
}

/** A column that is sorted by its quantities. */
export function number(name: string): TableColumn {
  return { name, kind: 'number' }
}

/** Ms; nothing where there is none. */
export function duration(ms: number | null | undefined): TableCell {
  return typeof ms === 'number' && Number.isFinite(ms) ? { text: formatDuration(ms), order: ms } : null
}

/** Epoch ms; nothing where there is none. */
export function moment(at: number | null | undefined): TableCell {
  return typeof at === 'number' && Number.isFinite(at) ? { text: formatMoment(at).replace(' UTC', ''), order: at } : null
}

/** Requests per second; nothing where there is none. */
export function rate(perSecond: number | null): TableCell {
  return perSecond === null ? null : { text: formatRate(perSecond), order: perSecond }
}
