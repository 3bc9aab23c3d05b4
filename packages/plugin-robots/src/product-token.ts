// The name by which a robots.txt addresses a crawler: the first word of its User-Agent (RFC 9309 §2.2.1).

/** Digits are not in the RFC's grammar, but in many a crawler's name. */
const TOKEN = /^[A-Za-z0-9_-]+/

/**
 * The product token of a User-Agent header or of a `User-agent:` line, in lower case; undefined when there is none.
 *
 * @example
 * ```ts
 * productToken('Price-Watch/1.2 (+https://example.org/bot)') // 'price-watch'
 * ```
 */
export function productToken(userAgent: string): string | undefined {
  return TOKEN.exec(userAgent.trim())?.[0].toLowerCase()
}

/** `Mozilla/5.0 (compatible; our-bot/1.0; +https://…)`: the name stands behind `compatible`. */
const COMPATIBLE = /^Mozilla\/[\d.]+ \(compatible; *([^;)]+)/

/**
 * The name by which robots.txt files address a crawler that sends `userAgent`: its product token (RFC 9309 §2.2.1), in lower case; `avocet` where
 * there is none.
 *
 * @example
 * ```ts
 * agentOf('Mozilla/5.0 (compatible; Price-Watch/2.1; +https://example.org/bot)') // 'price-watch'
 * ```
 */
export function agentOf(userAgent: string): string {
  return agentIn(userAgent) ?? 'avocet'
}

/** The same; undefined where there is none. */
export function agentIn(userAgent: string): string | undefined {
  return productToken(COMPATIBLE.exec(userAgent)?.[1] ?? userAgent)
}

/** `*`, also with something after a space. */
export function isEveryAgent(value: string): boolean {
  return /^\*(?:\s|$)/.test(value)
}
