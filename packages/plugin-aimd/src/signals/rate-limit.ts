// RateLimit and RateLimit-Policy: the draft of the HTTPAPI group, and the forms it had before. Pure.
//
//   RateLimit-Policy: "burst";q=100;w=60      RateLimit: "burst";r=50;t=30                     2024 and later
//   RateLimit-Policy: 100;w=60                RateLimit: limit=100, remaining=50, reset=30     2023
// The first three-field form (RateLimit-Limit, -Remaining, -Reset) is read with the X- fields (x-rate-limit.ts), which it was made of.
// Source: draft-ietf-httpapi-ratelimit-headers. Malformed fields are ignored, as it demands.
import { fieldMembers, type FieldMember } from './structured-field.ts'
import { amount, durationMs, type Quota, type Quotas } from './quota.ts'

/** Reads both fields; either may be absent. */
export function rateLimitQuotas(field: string | undefined, policyField: string | undefined): Quotas {
  const members = field === undefined ? [] : fieldMembers(field)
  const policies = policyField === undefined ? [] : fieldMembers(policyField)
  const named = new Map((policies ?? []).map((member) => [nameOf(member), policyOf(member)]))
  const left = isDictionary(members) ? [dictionaryQuota(members)] : (members ?? []).map(stateOf)
  const quotas = left.map(({ name, quota }) => ({ ...named.get(name), ...quota, unit: named.get(name)?.unit ?? quota.unit }))
  for (const { name } of left) named.delete(name)
  return {
    quotas: [...quotas, ...named.values()],
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
function policyOf({ value, parameters }: FieldMember): Quota {
  const { q, qu, w } = parameters
  const unit = qu === undefined || qu === 'requests' ? 'requests' : qu === 'concurrent-requests' ? 'concurrent' : 'else'
  return quotaOf(unit, { limit: typeof value === 'number' ? value : q, window: w })
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
