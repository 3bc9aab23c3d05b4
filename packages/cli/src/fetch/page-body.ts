// The body of a page as it is written out: every byte of it into a pipe or a file; on a terminal only what is text, and nothing that it would obey.
import type { Page } from '@avocet/core'

/** `*` and `+` types that are text though they do not say so. */
const TEXT_TYPE = /^text\/|[/+](?:json|xml|javascript|ecmascript|yaml|x-ndjson|x-www-form-urlencoded)$/

/** Controls but tab and line ends; what reorders or hides text. As `printable` has it, for text of many lines. */
const UNPRINTABLE = /(?![\t\n\r])[\p{Cc}\p{Cs}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu

/** Whether the body is text, by its content type and its first kilobytes. */
export function isText({ contentType, response }: Page): boolean {
  return (
    TEXT_TYPE.test(contentType) || (contentType === 'application/octet-stream' && !response.body.subarray(0, 8_192).includes(0))
  )
}

/** The body for a terminal: decoded, its controls written as `\u{…}`. */
export function screenText({ body }: Page): string {
  const shown = body.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
  return shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`
}
