// The directives of Cache-Control. What cannot be right counts as the careful reading: a server that is misread is requested once more.
import type { ResponseHeaders } from '@avocet/core/plugin'

/** Longer is no list of directives: it is read as `no-store`. */
const MAX_CHARACTERS = 4_096
/** RFC 9111 §1.2.2: what is larger counts as this. Seconds. */
const MOST_SECONDS = 2 ** 31

/** A name, and what may follow it: a quoted text or a token. */
const DIRECTIVE = /([\w!#$%&'*+.^`|~-]+)(?:=(?:"([^"]*)"|([^\s,;"]*)))?/g

/** Those of a request or a response, by lower-case name; '' for one without a value. Of one that came twice with other values, the value is not a number. */
export function directivesOf(headers: ResponseHeaders): ReadonlyMap<string, string> {
  const text = [headers['cache-control'] ?? []].flat().join(',')
  if (text.length > MAX_CHARACTERS) return new Map([['no-store', '']])
  const found = new Map<string, string>()
  for (const [, name = '', quoted, token] of text.matchAll(DIRECTIVE)) {
    const [key, value] = [name.toLowerCase(), quoted ?? token ?? '']
    found.set(key, (found.get(key) ?? value) === value ? value : 'several')
  }
  return found
}

/** Whole seconds that a directive gives, as ms; undefined where there is no such directive, 0 for one that is no number (RFC 9111 §4.2.1). */
export function msOf(directives: ReadonlyMap<string, string>, name: string): number | undefined {
  const value = directives.get(name)
  if (value === undefined) return undefined
  return /^\d+$/.test(value) ? Math.min(Number(value), MOST_SECONDS) * 1_000 : 0
}
