// Reads what `<meta name=robots>` and X-Robots-Tag allow. Source: Google's robots meta tag specification.

/** What a page asks of crawlers. */
export interface RobotsDirectives {
  readonly noindex: boolean
  readonly nofollow: boolean
}

/** Directives with a value after a colon: not to be taken for the name of a crawler. */
const WITH_VALUE = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview'])

/** All directives there are, each ten times. Of what is longer the rest is not read. */
const MAX_CHARACTERS = 2_048

/** The directives of all meta contents and all X-Robots-Tag values together; what is said to a named crawler is not for us. */
export function robotsDirectives(metas: readonly string[], fields: readonly string[]): RobotsDirectives {
  const words = new Set([...metas.flatMap(wordsOf), ...fields.flatMap(wordsOfField)])
  const none = words.has('none')
  return { noindex: none || words.has('noindex'), nofollow: none || words.has('nofollow') }
}

function wordsOf(content: string): readonly string[] {
  return content
    .slice(0, MAX_CHARACTERS)
    .toLowerCase()
    .split(/[\s,]+/)
}

/** `noindex, nofollow` or `somebot: noindex, nofollow`: from a name on, the rest of the field is for that crawler. */
function wordsOfField(field: string): readonly string[] {
  const words: string[] = []
  for (const part of field.slice(0, MAX_CHARACTERS).toLowerCase().split(',')) {
    const colon = part.indexOf(':')
    if (colon === -1) words.push(part.trim())
    else if (!WITH_VALUE.has(part.slice(0, colon).trim())) return words
  }
  return words
}
