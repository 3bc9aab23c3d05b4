// What is kept of a response has no secrets in it: no header field that hands one out, and no value of a secret parameter in the body.
//
// Core has hidden the parameters in URLs and header fields already. In a body they are where the site writes them: in the query of links (`?token=…`),
// in JSON (`"token":"…"`) and in hidden fields of forms. A value that was found in one of these is hidden wherever else it is, so that a handler makes the
// same links of the kept body as before, for links hold references, too.
import type { Response } from '@avocet/core'
import { SECRET_REFERENCE } from '@avocet/core/store'

/** Fields that hand a secret out. */
const HANDS_OUT = /^set-cookie2?$|auth|token|secret|session|api-?key|csrf|xsrf|jwt/

/** Shorter values are too common in a text. */
const MIN_VALUE = 6
/** Of one body. */
const MAX_VALUES = 20

/** Makes the function for a crawl whose secret parameters have these names; undefined for a body that cannot be searched. */
export function cleanOf(names: readonly string[]): (response: Response) => Pick<Response, 'headers' | 'body'> | undefined {
  const places = placesOf(names)
  return ({ headers, body }) => {
    const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !HANDS_OUT.test(name)))
    if (names.length === 0) return { headers: kept, body }
    // In UTF-16 there is a zero in every pair of bytes, and no name would be found.
    if (body.length >= 2 && (body[0] === 0 || body[1] === 0 || body[0] === 0xff || body[0] === 0xfe)) return undefined
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
    const hidden = hide(text, places)
    return { headers: kept, body: hidden === text ? body : Buffer.from(hidden, 'latin1') }
  }
}

/** Where a value is: behind these, or in a tag with this name. */
interface Places {
  readonly before: readonly RegExp[]
  readonly names: readonly RegExp[]
}

/** A tag ends before the next one begins, so that each character is looked at once. */
const INPUT = /<input\b[^<>]{0,2000}>/gi
const VALUE = /(\bvalue=["']?)([^"'<>\s]+)/i

function hide(text: string, { before, names }: Places): string {
  const values = new Set<string>()
  const replaced = (lead: string, value: string): string => {
    if (value !== SECRET_REFERENCE && value.length >= MIN_VALUE && values.size < MAX_VALUES) values.add(value)
    return lead + SECRET_REFERENCE
  }
  let hidden = text.replace(INPUT, (tag) =>
    names.some((name) => name.test(tag))
      ? tag.replace(VALUE, (_whole, lead: string, value: string) => replaced(lead, value))
      : tag,
  )
  for (const pattern of before) hidden = hidden.replace(pattern, (_whole, lead: string, value: string) => replaced(lead, value))
  for (const value of values) hidden = hidden.replaceAll(value, SECRET_REFERENCE)
  return hidden
}

function placesOf(names: readonly string[]): Places {
  const escaped = names.map((name) => name.replace(/[^\w-]/g, '\\$&'))
  return {
    before: escaped.flatMap((name) => [
      new RegExp(`([?&;]${name}=)([^&"'<>\\s#;\\\\]+)`, 'gi'),
      new RegExp(`("${name}"\\s{0,9}:\\s{0,9}")([^"\\\\]+)`, 'gi'),
    ]),
    names: escaped.map((name) => new RegExp(`\\bname=["']?${name}["'\\s>]`, 'i')),
  }
}
