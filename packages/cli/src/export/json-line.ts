// A line of JSON Lines, whatever its reader takes for the end of a line.

/** Next line, line separator, paragraph separator: JSON has them raw in strings, and Python's `splitlines` and others end lines at them. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g

/** `json`, one JSON text, as a line: the line ends in it are escaped, so that it means the same. */
export function jsonLine(json: string): string {
  return `${json.replace(LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}
