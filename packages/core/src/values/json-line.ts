// One JSON text as a line of a file of JSON Lines.

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
