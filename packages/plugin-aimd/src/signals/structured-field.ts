// Reads structured fields (RFC 9651) as far as rate limits need them: lists and dictionaries of bare items with parameters. Pure.
//
// Strict as the standard wants it: what is malformed anywhere is malformed as a whole, and then it is ignored. No inner lists.

/** A bare item; byte sequences and dates are not needed and read as text. */
type BareItem = string | number | boolean

/** A member of a list or dictionary, with its parameters. */
export interface FieldMember {
  /** Key in a dictionary; empty in a list. */
  readonly key: string
  readonly value: BareItem
  readonly parameters: Readonly<Record<string, BareItem>>
}

/** Longer fields are not read: no honest limit needs more. */
const MAX_CHARACTERS = 2_048
const MAX_MEMBERS = 32

const KEY = String.raw`[a-z*][a-z0-9_.*-]*`
const ITEM = String.raw`"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"|[A-Za-z*][\w:/!#$%&'*+.^\x60|~-]*|-?\d{1,12}\.\d{1,3}|-?\d{1,15}|\?[01]|:[A-Za-z0-9+/=]*:|@-?\d{1,15}`
const MEMBER = new RegExp(String.raw`(?:(${KEY})=)?(${ITEM})((?:; *${KEY}(?:=(?:${ITEM}))?)*)[ \t]*(,|$)[ \t]*`, 'y')
const PARAMETER = new RegExp(String.raw`; *(${KEY})(?:=(${ITEM}))?`, 'g')

/** Members of a list or of a dictionary; undefined when `text` is neither, or empty. */
export function fieldMembers(text: string): readonly FieldMember[] | undefined {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > MAX_CHARACTERS) return undefined
  const members: FieldMember[] = []
  MEMBER.lastIndex = 0
  for (;;) {
    const found = MEMBER.exec(trimmed)
    if (found === null || members.length >= MAX_MEMBERS) return undefined
    const [, key = '', value = '', parameters = '', separator] = found
    members.push({ key, value: bare(value), parameters: parametersOf(parameters) })
    if (separator === '') return isUniform(members) ? members : undefined
    if (MEMBER.lastIndex >= trimmed.length) return undefined
  }
}

function parametersOf(text: string): Readonly<Record<string, BareItem>> {
  if (text === '') return {}
  // No prototype: a parameter may be called anything, also `__proto__`.
  const parameters = Object.create(null) as Record<string, BareItem>
  for (const [, key = '', value] of text.matchAll(PARAMETER)) parameters[key] = value === undefined ? true : bare(value)
  return parameters
}

function bare(text: string): BareItem {
  if (text.startsWith('"')) return text.slice(1, -1).replaceAll(/\\(["\\])/g, '$1')
  if (text.startsWith('?')) return text === '?1'
  return /^-?\d/.test(text) ? Number(text) : text
}

/** Either all members have keys or none. */
function isUniform(members: readonly FieldMember[]): boolean {
  return members.every(({ key }) => (key === '') === (members[0]?.key === ''))
}
