// Reads what a page directs its reader to do: what `<meta name=robots>` and X-Robots-Tag allow, and where `<meta http-equiv=refresh>` goes.
//
// Source: Google's robots meta tag specification; HTML standard, "shared declarative refresh steps".

/** What a page asks of crawlers. */
export interface RobotsDirectives {
  readonly noindex: boolean
  readonly nofollow: boolean
}

/** Directives with a value after a colon: not to be taken for the name of a crawler. */
const WITH_VALUE = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview'])

/** All directives there are, each ten times. Of what is longer the rest is not read. */
const MAX_CHARACTERS = 2_048
const MAX_DELAY_SECONDS = 86_400
/** No honest number has more digits; so many of them are already longer than a day. */
const MAX_DIGITS = 32

/** `our-bot/1.0`, `Mozilla/5.0 (compatible; our-bot/1.0; …)`: its product token (RFC 9309 §2.2.1). */
const AGENT = /^(?:mozilla\/[\d.]+ \(compatible; *)?([\w-]+)/

/** The name by which sites address a crawler that sends `userAgent`, in lower case; undefined when it has none. */
export function crawlerNameOf(userAgent = ''): string | undefined {
  return AGENT.exec(userAgent.trim().toLowerCase())?.[1]
}

/** The directives of all meta contents and all X-Robots-Tag values together; what is said to a crawler of another name than `agent` is not for us. */
export function robotsDirectives(metas: readonly string[], fields: readonly string[], agent?: string): RobotsDirectives {
  const words = new Set([...metas.flatMap(wordsOf), ...fields.flatMap((field) => wordsOfField(field, agent))])
  const none = words.has('none')
  return { noindex: none || words.has('noindex'), nofollow: none || words.has('nofollow') }
}

function wordsOf(content: string): readonly string[] {
  return content
    .slice(0, MAX_CHARACTERS)
    .toLowerCase()
    .split(/[\s,]+/)
}

/** `noindex, nofollow` or `somebot: noindex, nofollow`: from a name on, up to the next one, the field is for that crawler. */
function wordsOfField(field: string, agent: string | undefined): readonly string[] {
  const words: string[] = []
  let isOurs = true
  for (const part of field.slice(0, MAX_CHARACTERS).toLowerCase().split(',')) {
    const colon = part.indexOf(':')
    const name = part.slice(0, Math.max(0, colon)).trim()
    // A name has no spaces: `25 Jun 2030 15:00:00` is the rest of a date.
    const isNamed = /^[\w-]+$/.test(name) && !WITH_VALUE.has(name)
    if (isNamed) isOurs = name === agent
    if (isOurs) words.push(...part.slice(isNamed ? colon + 1 : 0).split(/\s+/))
  }
  return words
}

/** A refresh as it is written. */
export interface Refresh {
  readonly delaySeconds: number
  /** Not resolved. */
  readonly href: string
}

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
