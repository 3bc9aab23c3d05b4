// What a body is: by its Content-Type field, or by its first bytes where that says nothing.
//
// Nearly all fields are a plain type with at most a plain charset. The parser for the others (whatwg-mimetype) is loaded by the first that needs it.
import { createRequire } from 'node:module'

/** A content type in parts. */
export interface ContentType {
  /** `text/html`, in lower case, without parameters. */
  readonly essence: string
  /** The charset parameter as it was given. */
  readonly charset?: string
}

/** What is used of whatwg-mimetype, which has no types. */
interface Mime {
  readonly MIMEType: {
    parse(field: string): { readonly essence: string; readonly parameters: ReadonlyMap<string, string> } | null
  }
  /** The answer of the MIME Sniffing Standard for the first bytes of a resource. */
  computedMIMEType(resource: Uint8Array): { readonly essence: string }
}

/** What fields meant that came before: a site says the same of all its pages. Cleared when full, for a server can make up new ones for ever. */
const READ = new Map<string, ContentType | null>()
const MOST_READ = 64
/** Longer fields are cut after a parameter: the parser is quadratic in white space (60,000 spaces: 6 s). Honest ones have some 100 characters. */
const MAX_FIELD_CHARACTERS = 512
/** What is looked at to guess. Source: MIME Sniffing Standard §5.2. */
const SNIFFED_BYTES = 1_445

/** A type, and a charset that is a token: part of what RFC 9110 allows, and read by everybody in the same way. */
const PLAIN = /^([a-z]+\/[a-z0-9.+-]+)(?:; ?charset=([a-z0-9._:-]+))?$/i

/** What a server writes that does not know. Source: MIME Sniffing Standard §7. */
const UNKNOWN: ReadonlySet<string> = new Set(['*/*', 'unknown/unknown', 'application/unknown'])

const require = createRequire(import.meta.url)

/** Reads `field`; where it says no type, guesses from `body` as browsers do. Source: MIME Sniffing Standard §7.1. */
export function contentTypeOf(field: string | undefined, body: Uint8Array): ContentType {
  const declared = field === undefined ? null : readField(cut(field))
  if (declared !== null && !UNKNOWN.has(declared.essence)) return declared
  const { computedMIMEType } = require('whatwg-mimetype') as Mime
  return { ...declared, essence: computedMIMEType(body.subarray(0, SNIFFED_BYTES)).essence }
}

/** The type, and the parameters that are whole. */
function cut(field: string): string {
  if (field.length <= MAX_FIELD_CHARACTERS) return field
  const head = field.slice(0, MAX_FIELD_CHARACTERS)
  const end = head.lastIndexOf(';')
  return end === -1 ? head : head.slice(0, end)
}

function readField(field: string): ContentType | null {
  const known = READ.get(field)
  if (known !== undefined) return known
  const [, essence, charset] = PLAIN.exec(field) ?? parsed(field)
  const parts = essence === undefined ? null : { essence: essence.toLowerCase(), ...(charset !== undefined && { charset }) }
  if (READ.size >= MOST_READ) READ.clear()
  READ.set(field, parts)
  return parts
}

/** The same parts as those of PLAIN; none of what is no type. */
function parsed(field: string): readonly (string | undefined)[] {
  const { MIMEType } = require('whatwg-mimetype') as Mime
  const type = MIMEType.parse(field)
  return [field, type?.essence, type?.parameters.get('charset')]
}

/** Whether links are read from it. */
export function isHtmlType(essence: string): boolean {
  return essence === 'text/html' || essence === 'application/xhtml+xml'
}

/** Whether it is XML, but not XHTML: feeds, sitemaps, data. */
export function isXmlType(essence: string): boolean {
  return !isHtmlType(essence) && (essence.endsWith('+xml') || essence === 'text/xml' || essence === 'application/xml')
}
