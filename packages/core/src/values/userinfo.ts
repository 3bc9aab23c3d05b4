// Takes user and password out of the URLs in a text that somebody will read: an error, a failure, a line of a report.
//
// What the parser refuses must lose them as well, for it is just such URLs that errors quote: other schemes, wrong slashes, a `/`, `?` or `#` in a password
// that should have been escaped. So the authority is found by hand: it ends at the first of these, unless what is there is `name:` and no port, or ends
// with an @; then the last @ of the word ends it. Each character is looked at twice at most.

/** Schemes whose slashes may be missing, doubled or backslashes (URL standard, "special"). */
const SPECIAL = /(?:^|[^a-z0-9+.-])(?:https?|ftp|wss?)$/i
const SCHEME = /[a-z][a-z0-9+.-]*$/i
const MAX_SCHEME_CHARACTERS = 20

/**
 * `text` without user and password in its URLs; those of stores on a server keep their user.
 *
 * @example
 * ```ts
 * withoutUserinfo('expected http(s), got "ftp://me:secret@files.example/"') // 'expected http(s), got "ftp://files.example/"'
 * withoutUserinfo('no postgres://me:secret@db.example/crawls') // 'no postgres://me@db.example/crawls'
 * ```
 */
export function withoutUserinfo(text: string): string {
  if (!text.includes('@')) return text
  let kept = ''
  let copied = 0
  for (let colon = text.indexOf(':'); colon !== -1;) {
    const start = authorityAfter(text, colon)
    if (start === undefined) {
      colon = text.indexOf(':', colon + 1)
      continue
    }
    const { userinfoEnd, next } = userinfoAt(text, start)
    if (userinfoEnd > start) {
      kept += text.slice(copied, start) + storeUser(text, start, userinfoEnd)
      copied = userinfoEnd
    }
    colon = text.indexOf(':', next)
  }
  return copied === 0 ? text : kept + text.slice(copied)
}

/** Stores are called with their user, who is no secret: without, nobody could type them again (`shownStore` of the command line). */
const STORE_SCHEME = /(?:^|[^a-z0-9+.-])postgres(?:ql)?:\/\/$/i

/** What stays of it. */
function storeUser(text: string, start: number, end: number): string {
  if (!STORE_SCHEME.test(text.slice(Math.max(0, start - MAX_SCHEME_CHARACTERS), start))) return ''
  const user = /^[\w.-]{1,63}(?=[:@])/.exec(text.slice(start, end))?.[0]
  return user === undefined ? '' : `${user}@`
}

/** Where the authority of a URL begins whose scheme ends at `colon`; undefined when it is no scheme. */
function authorityAfter(text: string, colon: number): number | undefined {
  const before = text.slice(Math.max(0, colon - MAX_SCHEME_CHARACTERS), colon)
  if (SPECIAL.test(before)) return endOf(/[/\\]*/y, text, colon + 1)
  return text.startsWith('://', colon) && SCHEME.test(before) ? colon + 3 : undefined
}

/** `next`: from where to look for the next URL. */
function userinfoAt(text: string, start: number): { readonly userinfoEnd: number; readonly next: number } {
  const end = endOf(/[^\s"'`<>/\\?#]*/y, text, start)
  const authority = text.slice(start, end)
  const at = authority.lastIndexOf('@')
  const isHostBehind = at !== -1 && at < authority.length - 1
  if (isHostBehind) return { userinfoEnd: start + at + 1, next: end }
  if (authority.startsWith('[') || (at === -1 && !/:\D/.test(authority))) return { userinfoEnd: start, next: end }
  const wordEnd = endOf(/[^\s"'`<>]*/y, text, end)
  const later = text.slice(end, wordEnd).lastIndexOf('@')
  return { userinfoEnd: later === -1 ? start + at + 1 : end + later + 1, next: wordEnd }
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return from + (pattern.exec(text)?.[0].length ?? 0)
}
