// Text for people: columns, colours, numbers, and what a terminal must not obey. It loads nothing, so that `--help` can have it.
export { column, columnsOf, fit, fold, labelled, screenColumns } from '../text/columns.ts'
export { type Paint, paintFor, plain, type Tone } from '../text/paint.ts'
export { printable, printableLine } from '../text/printable.ts'
export {
  formatBytes,
  formatCount,
  formatCountOf,
  formatMoment,
  formatRate,
  formatRatio,
  formatRoughly,
  formatShare,
} from '../text/quantity.ts'
