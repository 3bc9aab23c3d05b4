// The one writer of `create-avocet`: a folder's name may hold what a terminal obeys, and is shown instead. It has no other package to take this from.
import type { Writable } from 'node:stream'

/** Controls but the line end, what is unseen or reorders text, lone surrogates. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** Writes `text`, which ends its lines itself. */
export function say(stream: Pick<Writable, 'write'>, text: string): void {
  stream.write(text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`))
}
