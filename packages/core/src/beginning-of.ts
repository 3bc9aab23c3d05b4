// The beginning of a text that is cut at a limit: a character beyond U+FFFF, such as an emoji, is there as a whole or not at all.
//
// Half of one is no text: a file in UTF-8 has U+FFFD for it, and JSON that is checked, such as that of PostgreSQL, refuses it.

/** As much of `text` as fits into `most` UTF-16 code units. */
export function beginningOf(text: string, most: number): string {
  const last = text.length > most ? text.charCodeAt(most - 1) : 0
  const isCut = last >= 0xd8_00 && last <= 0xdb_ff
  return text.slice(0, isCut ? most - 1 : most)
}
