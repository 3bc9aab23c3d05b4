// Items as text that other programs read safely: cells of CSV, lines of JSON.
//
// A cell that a spreadsheet would take for a formula gets an apostrophe in front, so that a page cannot run one on the machine of a person who opens the file.
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

/** Next line, line separator, paragraph separator: JSON has them raw in strings, and Python's `splitlines` and others end lines at them. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g

/**
 * `json`, one JSON text, as a line: other line ends in it are escaped, so that it means the same.
 *
 * @example
 * ```ts
 * jsonLine('{"n":1}') // '{"n":1}\n'
 * ```
 */
export function jsonLine(json: string): string {
  return `${json.replace(LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}
