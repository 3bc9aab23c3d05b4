// RateLimit and RateLimit-Policy: the draft of the HTTPAPI group, and the forms it had before. Pure.
//
//   RateLimit-Policy: "burst";q=100;w=60      RateLimit: "burst";r=50;t=30                     2024 and later (draft 11)
//   RateLimit-Policy: 100;w=60                RateLimit: limit=100, remaining=50, reset=30     2023
// The first three-field form (RateLimit-Limit, -Remaining, -Reset) is read with the X- fields (quotas-of.ts), which it was made of.
// Source: draft-ietf-httpapi-ratelimit-headers. Malformed fields are ignored, as it demands.

/** Reads both fields; either may be absent. */
export function rateLimitQuotas(field: string | undefined, policyField: string | undefined): Quotas {
  const members = field === undefined ? [] : fieldMembers(field)
  const policies = policyField === undefined ? [] : fieldMembers(policyField)
  const named = Map.groupBy((policies ?? []).map(policyOf), ({ name }) => name)
  const left = isDictionary(members) ? [dictionaryQuota(members)] : (members ?? []).map(stateOf)
  // Of several policies of a name, such as one for each partition (pk), none is known to be that of a state: they all count.
  const quotas = left.map(({ name, quota }) => {
    const [own, another] = named.get(name) ?? []
    return { ...(another === undefined && own?.quota), ...quota, unit: own?.quota.unit ?? quota.unit }
  })
  for (const { name } of left) if (named.get(name)?.length === 1) named.delete(name)
  return {
    quotas: [...quotas, ...[...named.values()].flat().map(({ quota }) => quota)],
    ignored: Number(members === undefined) + Number(policies === undefined),
  }
}

interface Named {
  readonly name: string
  readonly quota: Quota
}

function isDictionary(members: readonly FieldMember[] | undefined): members is readonly FieldMember[] {
  return members?.[0] !== undefined && members[0].key !== ''
}

/** `limit=100, remaining=50, reset=30`. */
function dictionaryQuota(members: readonly FieldMember[]): Named {
  const value = (key: string): unknown => members.find((member) => member.key === key)?.value
  return { name: '', quota: quotaOf('requests', { limit: value('limit'), remaining: value('remaining'), reset: value('reset') }) }
}

/** `"burst";r=50;t=30`. */
function stateOf(member: FieldMember): Named {
  const { r, t } = member.parameters
  return { name: nameOf(member), quota: quotaOf('requests', { remaining: r, reset: t }) }
}

/** `"burst";q=100;w=60`, or `100;w=60`. */
function policyOf(member: FieldMember): Named {
  const { q, qu, w } = member.parameters
  const unit = qu === undefined || qu === 'requests' ? 'requests' : qu === 'concurrent-requests' ? 'concurrent' : 'else'
  return { name: nameOf(member), quota: quotaOf(unit, { limit: typeof member.value === 'number' ? member.value : q, window: w }) }
}

function nameOf({ value }: FieldMember): string {
  return typeof value === 'string' ? value : ''
}

interface Said {
  readonly limit?: unknown
  readonly window?: unknown
  readonly remaining?: unknown
  readonly reset?: unknown
}

function quotaOf(unit: Quota['unit'], said: Said): Quota {
  const limit = amount(said.limit)
  const windowMs = durationMs(said.window)
  const remaining = amount(said.remaining)
  const resetMs = durationMs(said.reset)
  return {
    unit,
    ...(limit !== undefined && { limit }),
    ...(windowMs !== undefined && { windowMs }),
    ...(remaining !== undefined && { remaining }),
    ...(resetMs !== undefined && { resetMs }),
  }
}

// Reads structured fields (RFC 9651) as far as rate limits need them: lists and dictionaries of bare items with parameters. Pure.
//
// Strict as the standard wants it: what is malformed anywhere is malformed as a whole, and then it is ignored. No inner lists.

/** A bare item; byte sequences, dates and display strings are not needed and read as text. */
type BareItem = string | number | boolean

/** A member of a list or dictionary, with its parameters. */
interface FieldMember {
  /** Key in a dictionary; empty in a list. */
  readonly key: string
  readonly value: BareItem
  readonly parameters: Readonly<Record<string, BareItem>>
}

/** Longer fields are not read: no honest limit needs more. */
const MAX_CHARACTERS = 2_048
const MAX_MEMBERS = 32

const KEY = String.raw`[a-z*][a-z0-9_.*-]*`
const ITEM = String.raw`%?"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"|[A-Za-z*][\w:/!#$%&'*+.^\x60|~-]*|-?\d{1,12}\.\d{1,3}|-?\d{1,15}|\?[01]|:[A-Za-z0-9+/=]*:|@-?\d{1,15}`
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

// What one quota of a host says, in any of the header fields for it. Pure.

/** One quota. What a field did not say is absent. */
export interface Quota {
  /** `requests`, `concurrent` requests, or something `else` such as bytes, of which only the end matters. */
  readonly unit: 'requests' | 'concurrent' | 'else'
  /** So many in `windowMs`. */
  readonly limit?: number
  readonly windowMs?: number
  /** So many are left for the next `resetMs`. */
  readonly remaining?: number
  readonly resetMs?: number
}

/** What the fields of an answer say, and how many of them could not be read. */
export interface Quotas {
  readonly quotas: readonly Quota[]
  readonly ignored: number
}

/** Longer windows and delays are not limits of a rate. */
const MAX_MS = 31 * 86_400_000

/** A number that says how many; undefined when it is none. */
export function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** Seconds as ms; undefined when it is no duration. */
function durationMs(seconds: unknown): number | undefined {
  const found = amount(seconds)
  return found === undefined || found * 1_000 > MAX_MS ? undefined : found * 1_000
}
