// Makes any text safe to print on a terminal: what a server chose must not move the cursor, hide or reorder what we say.

/**
 * The inside of a character class, for regular expressions with the flag `u`: C0 and C1 controls with DEL, line and paragraph separators, zero-width and
 * bidirectional controls, the byte-order mark, annotations and tags, lone surrogates. Source: Unicode TR36 §2 and "Trojan Source" (CVE-2021-42574) for
 * the bidirectional ones.
 */
const UNPRINTABLE =
  '\\p{Cc}\\p{Cs}\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}'

/** Longest field printed; a URL of 8,000 characters is the longest that a crawl accepts. */
const MAX_FIELD_CHARACTERS = 8_000

const IN_FIELD = new RegExp(`[${UNPRINTABLE}]`, 'gu')
const IN_TEXT = new RegExp(`(?![\\t\\n])[${UNPRINTABLE}]`, 'gu')

/**
 * Bold, faint, italic, underlined, six colours and grey, and the ends of all these: what `Paint` and Node's inspection write (ECMA-48 SGR). A page that
 * smuggles one in has coloured its own words; concealed, blinking and black text and backgrounds are not among them.
 */
const IN_LINE = new RegExp(`\\u001b\\[(?:[1-4]|2[234]|3[1-69]|90)m|[${UNPRINTABLE}]`, 'gu')

/**
 * `text` with everything that a terminal would obey instead of show written as `\u{…}`, cut at 8,000 characters.
 *
 * @example
 * ```ts
 * printable('https://a.example/\u001b[2J') // 'https://a.example/\\u{1b}[2J'
 * ```
 */
export function printable(text: string): string {
  const shown = text.length > MAX_FIELD_CHARACTERS ? `${text.slice(0, MAX_FIELD_CHARACTERS)}…` : text
  return shown.replace(IN_FIELD, writtenOut)
}

/** A line that is put together and painted, of any length: only its colours are obeyed. */
export function printableLine(line: string): string {
  return line.replace(IN_LINE, (found) => (found.startsWith('\u001b[') ? found : writtenOut(found)))
}

/** A text of many lines, of any length, with its tabs and line ends. A carriage return in front of a line feed is no line end of a terminal's. */
export function printableText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(IN_TEXT, writtenOut)
}

/** A character as its number, `\u{202e}`: it is then seen, and not obeyed. */
function writtenOut(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
