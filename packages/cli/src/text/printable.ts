// Makes any text safe to print on a terminal: what a server chose must not move the cursor, hide or reorder what we say.

/** Longest field printed; a URL of 2,083 characters is the longest that a crawl accepts. */
const MAX_FIELD_CHARACTERS = 2_048

/**
 * C0 and C1 controls with DEL, line and paragraph separators, zero-width and bidirectional controls, the byte-order mark, lone
 * surrogates. Source: Unicode TR36 §2 and "Trojan Source" (CVE-2021-42574) for the bidirectional ones.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu

/**
 * `text` with everything that a terminal would obey instead of show written as `\u{…}`, cut at 2,048 characters.
 *
 * @example
 * ```ts
 * printable('https://a.example/\u001b[2J') // 'https://a.example/\\u{1b}[2J'
 * ```
 */
export function printable(text: string): string {
  const shown = text.length > MAX_FIELD_CHARACTERS ? `${text.slice(0, MAX_FIELD_CHARACTERS)}…` : text
  return shown.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}
