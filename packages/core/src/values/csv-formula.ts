// An apostrophe in front of cells that a spreadsheet would take for a formula, so that a page cannot run one on the machine of a person who opens the file.
//
// Spreadsheets skip blanks, line ends and marks without a width before they look for the sign, each other ones: all of them are skipped here. A cell that
// begins with a tab or a line end is always guarded. Source: OWASP, CSV injection.

/** Full-width signs count as well; and apostrophes in front, so that one more can be distinguished from those that were there. */
const FORMULA = /^'*(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u

/**
 * The text of a CSV cell as it is safe to write: with an apostrophe in front where a spreadsheet would run it as a formula.
 *
 * @example
 * ```ts
 * guardedCell('=1+1') // "'=1+1"
 * ```
 */
export function guardedCell(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell
}
