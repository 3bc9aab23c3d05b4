// What is kept of a response has no secrets in it: no header field that hands one out, and no value of a secret parameter in the body.
//
// Core has hidden the parameters in URLs and header fields already. In a body they are where the site writes them: in the query of links (`?token=…`), in JSON
// (`"token":"…"`) and in hidden fields of forms. A value that was found in one of these is hidden wherever else it is, so that what a handler makes of the kept body
// are the same links as before, for links hold references, too.
import type { Response } from '@avocet/core'
import { SECRET_REFERENCE } from '@avocet/core/store'

/** Fields that hand a secret out. */
const HANDS_OUT = /^set-cookie2?$|^authentication-info$|token|secret|session|api-?key/

/** Shorter values are too common in a text. */
const MIN_VALUE = 6
/** Of one body. */
const MAX_VALUES = 100

/** Makes the function for a crawl whose secret parameters have these names; undefined for a body that cannot be searched. */
export function cleanOf(names: readonly string[] = []): (response: Response) => Pick<Response, 'headers' | 'body'> | undefined {
  const patterns = names.flatMap(patternsOf)
  return ({ headers, body }) => {
    const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !HANDS_OUT.test(name)))
    if (patterns.length === 0) return { headers: kept, body }
    // In UTF-16 there is a zero in every pair of bytes, and no name would be found.
    if (body.length >= 2 && (body[0] === 0 || body[1] === 0 || body[0] === 0xff || body[0] === 0xfe)) return undefined
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
    const hidden = hide(text, patterns)
    return { headers: kept, body: hidden === text ? body : Buffer.from(hidden, 'latin1') }
  }
}

function hide(text: string, patterns: readonly RegExp[]): string {
  const values = new Set<string>()
  for (const pattern of patterns) {
    for (const { groups } of text.matchAll(pattern)) {
      const value = groups?.['value']
      if (value !== undefined && value !== SECRET_REFERENCE && values.size < MAX_VALUES) values.add(value)
    }
  }
  let hidden = text
  for (const pattern of patterns)
    hidden = hidden.replace(pattern, (whole: string, before: string) => (whole === before ? whole : before + SECRET_REFERENCE))
  for (const value of values) if (value.length >= MIN_VALUE) hidden = hidden.replaceAll(value, SECRET_REFERENCE)
  return hidden
}

/** Each with what comes before the value, and the value. Linear: what repeats excludes what follows it. */
function patternsOf(name: string): RegExp[] {
  const escaped = name.replace(/[^\w-]/g, '\\$&')
  return [
    new RegExp(`([?&;]${escaped}=)(?<value>[^&"'<>\\s#;\\\\]+)`, 'gi'),
    new RegExp(`("${escaped}"\\s{0,9}:\\s{0,9}")(?<value>[^"\\\\]+)`, 'gi'),
    new RegExp(`(name=["']?${escaped}["']?\\s{1,9}[^<>]{0,200}?value=["']?)(?<value>[^"'<>\\s]+)`, 'gi'),
    new RegExp(
      `(?<=value=["']?)()(?<value>[^"'<>\\s]{1,4096})(?=["']?\\s{1,9}(?:[^<>]{0,200}\\s)?name=["']?${escaped}["'\\s>])`,
      'gi',
    ),
  ]
}
