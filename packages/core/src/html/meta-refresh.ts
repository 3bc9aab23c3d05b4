// Reads what `<meta http-equiv=refresh>` and the Refresh field say: how long to wait, and where to go.

/** A refresh as it is written. */
export interface Refresh {
  readonly delaySeconds: number
  /** Not resolved. */
  readonly href: string
}

const MAX_DELAY_SECONDS = 86_400
/** No honest number has more digits; so many of them are already longer than a day. */
const MAX_DIGITS = 32

/**
 * Reads `content`, such as `5; url=/next`; undefined when it is malformed or names no URL (the page then only reloads itself).
 * Source: HTML standard, "shared declarative refresh steps"; fractions of seconds are kept.
 */
export function parseRefresh(content: string): Refresh | undefined {
  const time = /^[\t\n\f\r ]*([\d.]+)(?=[\t\n\f\r ;,])[\t\n\f\r ]*[;,]?[\t\n\f\r ]*/.exec(content)
  if (time === null) return undefined
  const rest = content.slice(time[0].length)
  const target = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i.exec(rest)
  let href = target === null ? rest : rest.slice(target[0].length)
  const quote = href.charAt(0)
  if (quote === '"' || quote === "'") {
    const end = href.indexOf(quote, 1)
    href = end === -1 ? href.slice(1) : href.slice(1, end)
  }
  if (href === '') return undefined
  // `.` alone is no number, and means at once; what is longer than a day will not be waited for anyway.
  return { delaySeconds: Math.min(Number.parseFloat((time[1] ?? '').slice(0, MAX_DIGITS)) || 0, MAX_DELAY_SECONDS), href }
}
