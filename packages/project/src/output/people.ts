// The one writer for people: what a page, a server, a file name or somebody's code put into a line is shown by the terminal and never obeyed.
//
// Callers escape fields (`printable`), so that none is endless; here every line is escaped once more, so that a field which somebody forgot does no harm.
// Where nothing is drawn and read by machines instead, see machines.ts.
import { Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { fold, screenColumns } from '../text/terminal.ts'
import { printableLine, printableText } from '../text/printable.ts'
import { writeAsIs } from './write-as-is.ts'

/** A stream that may be a terminal. */
type Screen = Pick<Writable, 'write'> & Pick<Partial<WriteStream>, 'isTTY' | 'columns'>

/** A remark, on standard error: without waiting, and without an error when nobody listens any more. A terminal gets it folded between words. */
export function say(stderr: Screen, lines: string | readonly string[]): void {
  stderr.write(linesOf(folded(stderr, lines)))
}

/**
 * A result, on standard output, folded as a remark is: in a pipe or a file each line stays whole, so that grep finds it.
 *
 * @throws AVO_OUTPUT_CLOSED, AVO_OUTPUT_UNWRITABLE.
 */
export function print(stdout: Writable & Screen, lines: string | readonly string[]): Promise<void> {
  return writeAsIs(stdout, linesOf(folded(stdout, lines)))
}

/** A document that has lines of its own, such as the body of a page. Throws as `print` does. */
export function printText(stdout: Writable, text: string): Promise<void> {
  const shown = printableText(text)
  return writeAsIs(stdout, shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`)
}

/** A block that is drawn over itself. `before`, `lineEnd` and `after` move the cursor and are ours. */
export interface Block {
  readonly lines: readonly string[]
  /** Said above it, for good. */
  readonly above?: readonly string[]
  readonly before: string
  readonly lineEnd: string
  readonly after: string
}

/** Draws it in one write, so that nothing flickers. */
export function draw(stderr: Pick<Writable, 'write'>, { lines, above = [], before, lineEnd, after }: Block): void {
  stderr.write(before + linesOf(above) + lines.map((line) => printableLine(line) + lineEnd).join('') + after)
}

/** A stream for code that prints by itself, such as a console: line by line as `say`. */
export function screenOf(stream: Writable): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string | Buffer, _encoding, done) {
      stream.write(String(text).split('\n').map(printableLine).join('\n'), done)
    },
  })
}

function folded(stream: Screen, lines: string | readonly string[]): readonly string[] {
  const columns = screenColumns(stream)
  return [lines].flat().flatMap((line) => fold(line, columns))
}

function linesOf(lines: string | readonly string[]): string {
  return [lines]
    .flat()
    .map((line) => `${printableLine(line)}\n`)
    .join('')
}
