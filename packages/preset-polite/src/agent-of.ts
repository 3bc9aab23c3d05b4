// The name by which robots.txt files address a crawler, from the user agent that it sends.
import { productToken } from '@avocet/plugin-robots'

/** `Mozilla/5.0 (compatible; our-bot/1.0; +https://…)`: the name stands behind `compatible`. */
const COMPATIBLE = /^Mozilla\/[\d.]+ \(compatible; *([^;)]+)/

/**
 * The product token in `userAgent` (RFC 9309 §2.2.1 wants it to be a part of it), in lower case; `avocet` where there is none.
 *
 * @example
 * ```ts
 * agentOf('Mozilla/5.0 (compatible; Price-Watch/2.1; +https://example.org/bot)') // 'price-watch'
 * ```
 */
export function agentOf(userAgent: string): string {
  return productToken(COMPATIBLE.exec(userAgent)?.[1] ?? userAgent) ?? 'avocet'
}
