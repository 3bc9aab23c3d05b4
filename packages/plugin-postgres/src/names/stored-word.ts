// Texts that are found by an index (reasons, kinds of errors, parts of memories, names of sinks): PostgreSQL has none of more than 2,704 bytes there.
//
// One that is longer is its beginning, and a hash of the whole that tells it from others; whoever looks for it asks for the same.
import { hash } from 'node:crypto'
import { beginningOf } from '@avocet/core/store'
import { storableText } from '../connection/storable-text.ts'

/** With the group of a reject beside it, of up to 600 bytes, it fits into an index. */
export const MOST_WORD_BYTES = 2_000
/** In UTF-8 none is longer than 3 bytes. */
const MOST_BYTES_EACH = 3
const SHOWN = 500

/** The word as it is stored. */
export function storedWord(word: string): string {
  const text = storableText(word)
  if (!isTooLong(text)) return text
  return `${beginningOf(text, SHOWN)}… ${hash('sha256', text).slice(0, 32)}`
}

/** Whether an index cannot have it. */
export function isTooLong(text: string): boolean {
  return text.length * MOST_BYTES_EACH > MOST_WORD_BYTES && Buffer.byteLength(text) > MOST_WORD_BYTES
}
