// Where `create-avocet` runs: its streams, its folder and its Node; and the one writer to these streams. It has no other package to take that from.
import type { Writable } from 'node:stream'

/** Where it runs, injected so that a test can be somewhere else. */
export interface Surroundings {
  readonly stdout: Pick<Writable, 'write'>
  readonly stderr: Pick<Writable, 'write'>
  /** Absolute; relative paths start here. */
  readonly folder: string
  /** `20.20.2`. */
  readonly nodeVersion: string
}

/** Controls but the line end, what is unseen or reorders text, lone surrogates. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** Writes `text`, which ends its lines itself. What a terminal would obey, such as a part of a folder's name, is shown instead. */
export function printLine(stream: Pick<Writable, 'write'>, text: string): void {
  stream.write(text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`))
}
