// What the visits of a page brought, as rows for a terminal: the newest changes, and what is between them in one line each.
import { printable, formatCount, formatCountOf, formatMoment } from '@avocet/project/text'
import type { FieldChange } from './field-changes.ts'
import type { RequestVisits } from './request-visits.ts'
import type { ItemDifference, ItemChanges } from './visit-changes.ts'
import type { LineBounds, VisitLine, VisitMoment } from './visit-lines.ts'

/** As many changes as a person reads before scrolling. */
export const FEW_CHANGES: LineBounds = { changes: 5, fields: 30 }

/** A label, and what is said under it. */
export type VisitRow = readonly [label: string, text: string]

/** None of a page that was visited once: there is nothing to compare. Visits are counted from 1. */
export function visitRows({ visits, lines, hasOlder, stamps }: RequestVisits): readonly VisitRow[] {
  if (visits < 2) return []
  const remarks = [
    ...(stamps.length > 0 ? [`${stamps.map(printable).join(', ')} not compared: a later moment in each visit`] : []),
    ...(hasOlder ? ['older visits not shown'] : []),
  ]
  return [['visits', formatCount(visits)], ...lines.flatMap(rowsOf), ...remarks.map((remark): VisitRow => ['', remark])]
}

function rowsOf(line: VisitLine): readonly VisitRow[] {
  const moment = momentInWords(line.moment)
  if (line.kind === 'oldest') return [[`visit ${line.visit + 1}`, moment]]
  if (line.kind === 'alike') return [alikeRow(line)]
  return [[`visit ${line.visit + 1}`, moment], ...changesInWords(line).map((words): VisitRow => ['', words])]
}

function alikeRow({ first, last, same, barren }: VisitLine & { readonly kind: 'alike' }): VisitRow {
  const label = first === last ? `visit ${first + 1}` : `visits ${first + 1} to ${last + 1}`
  if (same === 0) return [label, 'no items']
  return [label, barren === 0 ? 'no change' : `no change, ${barren} of them without items`]
}

function changesInWords({ items, moreItems }: ItemChanges): readonly string[] {
  return [...items.flatMap(changeInWords), ...(moreItems > 0 ? [`and ${formatCountOf(moreItems, 'more item')}`] : [])]
}

function changeInWords({ kind, title, fields, more }: ItemDifference): readonly string[] {
  const about = title === null ? '' : `${printable(title)} `
  const rest = more > 0 ? [`${about}and ${formatCountOf(more, 'more field')}`] : []
  if (kind === 'changed') return [...fields.map((field) => `${about}${fieldInWords(field)}`), ...rest]
  const values = fields.map(({ path, before, after }) => printable(`${path === '' ? '' : `${path} `}${after ?? before ?? ''}`))
  return [`${kind}: ${about}(${[...values, ...rest.map(() => '…')].join(', ')})`]
}

function fieldInWords({ path, before, after }: FieldChange): string {
  const name = path === '' ? 'item' : printable(path)
  if (before === null) return `${name}: new, ${printable(after ?? '')}`
  return after === null ? `${name}: gone, was ${printable(before)}` : `${name}: ${printable(before)} -> ${printable(after)}`
}

/** Within a minute it is one. */
const MINUTE_MS = 60_000

/** `2026-11-12 14:00:05 UTC`, or between which moments. */
export function momentInWords(moment: VisitMoment | null): string {
  if (moment === null) return 'when is not known'
  const { from, to } = moment
  if (from === to) return formatMoment(from)
  const [begin, end] = [minuteOf(from), minuteOf(to)]
  if (to - from <= MINUTE_MS) return `about ${end} UTC`
  return `between ${begin} and ${begin.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end} UTC`
}

function minuteOf(at: number): string {
  return formatMoment(at).slice(0, 16)
}
