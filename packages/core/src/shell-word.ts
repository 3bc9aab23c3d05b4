// A text as one word of a command that a message tells: patterns of URLs have what a shell reads as its own.

/**
 * The inside of a character class, for regular expressions with the flag `u`: C0 and C1 controls with DEL, line and paragraph separators, zero-width and
 * bidirectional controls, the byte-order mark, annotations and tags, lone surrogates. Source: Unicode TR36 §2 and "Trojan Source" (CVE-2021-42574) for
 * the bidirectional ones.
 *
 * @example
 * ```ts
 * 'shop\u202e'.replace(new RegExp(`[${UNPRINTABLE}]`, 'gu'), writtenOut) // 'shop\\u{202e}'
 * ```
 */
export const UNPRINTABLE =
  '\\p{Cc}\\p{Cs}\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}'

/**
 * `text` as one word for a POSIX shell.
 *
 * @example
 * ```ts
 * shellWord("shop.example/it's/**") // `'shop.example/it'\''s/**'`
 * ```
 * Source: POSIX.1-2024, 2.2.2 Single-Quotes.
 */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A character as its number, `\u{202e}`: it is then seen, and not obeyed. */
export function writtenOut(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
