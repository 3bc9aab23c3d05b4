// Text for people: columns, colours, numbers, and what a terminal must not obey. It loads nothing, so that `--help` can have it.
export { column, columnsOf, fit, fold, labelled, paintFor, plain, screenColumns } from '../text/terminal.ts'
export type { Paint, Tone } from '../text/terminal.ts'
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
