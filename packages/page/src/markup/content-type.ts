// What a body is: by its Content-Type field, or by its first bytes where that says nothing.
import { computedMIMEType, MIMEType } from 'whatwg-mimetype'

/** A content type in parts. */
export interface ContentType {
  /** `text/html`, in lower case, without parameters. */
  readonly essence: string
  /** The charset parameter as it was given. */
  readonly charset?: string
}

/** What fields meant that came before: a site says the same of all its pages. Cleared when full, for a server can make up new ones for ever. */
const READ = new Map<string, ContentType | null>()
const MOST_READ = 64
/** Longer fields are cut after a parameter: the parser is quadratic in white space (60,000 spaces: 6 s). Honest ones have some 100 characters. */
const MAX_FIELD_CHARACTERS = 512
/** What is looked at to guess. Source: MIME Sniffing Standard §5.2. */
const SNIFFED_BYTES = 1_445

/** What a server writes that does not know. Source: MIME Sniffing Standard §7. */
const UNKNOWN: ReadonlySet<string> = new Set(['*/*', 'unknown/unknown', 'application/unknown'])

/** Reads `field`; where it says no type, guesses from `body` as browsers do. Source: MIME Sniffing Standard §7.1. */
export function contentTypeOf(field: string | undefined, body: Uint8Array): ContentType {
  const declared = field === undefined ? null : readField(cut(field))
  if (declared !== null && !UNKNOWN.has(declared.essence)) return declared
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
  const type = MIMEType.parse(field)
  const parts = type === null ? null : partsOf(type)
  if (READ.size >= MOST_READ) READ.clear()
  READ.set(field, parts)
  return parts
}

function partsOf({ essence, parameters }: MIMEType): ContentType {
  const charset = parameters.get('charset')
  return { essence, ...(charset !== undefined && { charset }) }
}

/** Whether links are read from it. */
export function isHtmlType(essence: string): boolean {
  return essence === 'text/html' || essence === 'application/xhtml+xml'
}

/** Whether it is XML, but not XHTML: feeds, sitemaps, data. */
export function isXmlType(essence: string): boolean {
  return !isHtmlType(essence) && (essence.endsWith('+xml') || essence === 'text/xml' || essence === 'application/xml')
}
