// The name under which robots.txt files know a crawler, from the user agent that it sends.

/** RFC 9309 §2.2.1: letters, `_` and `-`. Digits are taken as well: names such as `web24` are in use, and servers match them. */
const TOKEN = /^[A-Za-z][\w-]*/
/** `Mozilla/5.0 (compatible; our-bot/1.0; +https://…)`: the name stands behind `compatible`. */
const COMPATIBLE = /^Mozilla\/[\d.]+ \(compatible; *([^;)]+)/

/** What a robots.txt may call nobody in particular. */
const NOBODY = 'avocet'

/**
 * The product token of `userAgent`: RFC 9309 wants it to be a part of it.
 *
 * @example
 * ```ts
 * productToken('price-watch/2.1 (+https://example.org/bot)') // 'price-watch'
 * ```
 */
export function productToken(userAgent: string | undefined): string {
  if (userAgent === undefined) return NOBODY
  const named = COMPATIBLE.exec(userAgent)?.[1] ?? userAgent
  return TOKEN.exec(named.trim())?.[0] ?? NOBODY
}
