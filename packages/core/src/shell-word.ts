// A text as one word of a command that a message tells: patterns of URLs have what a shell reads as its own.

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
