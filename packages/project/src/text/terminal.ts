// Text on a terminal: how many columns it takes, how to cut or fold it to fit, and its colours.
import type { Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { stripVTControlCharacters, styleText } from 'node:util'

/** East Asian wide and fullwidth characters and emoji take two columns (Unicode TR11), combining marks none. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u
const NO_WIDTH = /^[\p{Mn}\p{Me}]$/u

/** Columns of a printable text. */
export function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) columns += columnsOfCharacter(character)
  return columns
}

/**
 * `text` cut to at most `columns`, with an ellipsis in place of what is missing.
 *
 * @example
 * ```ts
 * fit('quotes.example', 8) // 'quotes.…'
 * ```
 */
export function fit(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let kept = ''
  let used = 0
  for (const character of text) {
    used += columnsOfCharacter(character)
    if (used > columns - 1) break
    kept += character
  }
  return columns > 0 ? `${kept}…` : ''
}

/**
 * `line` folded between words into lines of at most `columns`, the second and later ones indented by two more than the first. A word
 * that is longer stays whole, so that a URL can be copied. So does a line that is a command alone, to be pasted. Colours take no columns.
 *
 * @example
 * ```ts
 * fold('  this run: 12 pages, 12 items', 20) // ['  this run: 12', '    pages, 12 items']
 * ```
 */
export function fold(line: string, columns: number): string[] {
  if (COMMAND_ALONE.test(line)) return [line]
  const indent = /^ */.exec(line)?.[0] ?? ''
  const lines: string[] = []
  let current = indent
  let used = indent.length
  for (const [index, word] of line.slice(indent.length).split(' ').entries()) {
    const needed = columnsOf(stripVTControlCharacters(word))
    // The second of two blanks, which is between columns: a new line has its indent instead.
    if (index > 0 && word === '' && used + 1 > columns) continue
    if (index > 0 && used + 1 + needed > columns) {
      lines.push(current)
      current = `${indent}  ${word}`
      used = indent.length + 2 + needed
    } else {
      current += index === 0 ? word : ` ${word}`
      used += needed + (index === 0 ? 0 : 1)
    }
  }
  return [...lines, current]
}

/** As messages write it: on a line of its own, indented. */
const COMMAND_ALONE = /^ {2}(?:npx )?(?:avocet|vitest) [a-z]/

/** `text` filled up with blanks to `columns`, or cut to them. */
export function column(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const fitted = fit(text, columns)
  const blanks = ' '.repeat(Math.max(0, columns - columnsOf(fitted)))
  return align === 'left' ? fitted + blanks : blanks + fitted
}

/** Lines of a label and a text, the texts below each other. */
export function labelled(columns: number): (label: string, text: string) => string {
  return (label, text) => `  ${label.padEnd(columns)} ${text}`.trimEnd()
}

function columnsOfCharacter(character: string): number {
  if (character < '\u0300') return 1
  if (NO_WIDTH.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}

/** Of a terminal that does not say, as some do over serial lines and in containers. */
const DEFAULT_COLUMNS = 80

/** Columns of the terminal; Infinity where there is none: a line in a log or a pipe is folded by nobody, so that grep finds it. */
export function screenColumns({ isTTY, columns = 0 }: Pick<Partial<WriteStream>, 'isTTY' | 'columns'>): number {
  if (isTTY !== true) return Infinity
  return columns > 0 ? columns : DEFAULT_COLUMNS
}

// Colour, where the stream can show it: NO_COLOR and FORCE_COLOR are honoured by Node itself.

/** What a colour says. */
export type Tone = 'title' | 'quiet' | 'good' | 'warn' | 'bad'

/** Gives text a tone; the number of columns stays the same. */
export type Paint = (tone: Tone, text: string) => string

const STYLES = { title: 'bold', quiet: 'dim', good: 'green', warn: 'yellow', bad: 'red' } as const satisfies Record<Tone, string>

/** Without any colour. */
export const plain: Paint = (_tone, text) => text

/** With the colours that `stream` can show. */
export function paintFor(stream: Writable): Paint {
  return (tone, text) => (text === '' ? text : styleText(STYLES[tone], text, { stream }))
}
