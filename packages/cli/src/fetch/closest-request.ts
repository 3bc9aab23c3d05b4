// Which of several requests that a store has of a URL is meant: the one that is nearest to what was typed.
//
// A URL may be requested with several methods, bodies and header fields, each for a handler of its own. What was typed must be the request's (method, body), or
// is preferred (handler, then header fields). Among the others a request that a URL alone says goes first: one that is safe, then one without own fields.
import { isSecretName, type RequestRecord } from '@avocet/core/store'
import { fit } from '../text/columns.ts'
import type { RequestWish } from './kept-pages.ts'

/** The nearest requests of a URL. */
export interface ClosestRequests {
  readonly first: RequestRecord
  /** All that may be meant, of any handler. */
  readonly same: readonly RequestRecord[]
  /** As near as the first, which is one of them. */
  readonly like: readonly RequestRecord[]
  /** A line where these are several: how many, and in what they differ. */
  readonly differences: readonly string[]
}

/** What was typed of it. */
interface Told extends Pick<RequestWish, 'method' | 'headers' | 'body'> {
  readonly handler?: string | undefined
}

/** Those of `requests` that are nearest to what was told; undefined where none can be meant. */
export function closestRequests(requests: readonly RequestRecord[], told: Told): ClosestRequests | undefined {
  const same = requests.filter((record) => isWhatWasTold(record, told))
  const nearest = Math.min(...same.map((record) => distanceOf(record, told)))
  const like = same.filter((record) => distanceOf(record, told) === nearest)
  const [first] = like.toSorted((a, b) => Number(hasOwnFields(a)) - Number(hasOwnFields(b)))
  return first && { first, same, like, differences: differencesOf(like) }
}

function isWhatWasTold(record: RequestRecord, { method, body }: Told): boolean {
  if (method !== undefined && (record.method ?? 'GET') !== method) return false
  return body === undefined || record.body === body
}

/** Fields that are typed differ from the request's, at most so many. */
const MOST_FIELDS = 1_000

/** 0: nothing that was typed says otherwise. */
function distanceOf(record: RequestRecord, { handler, headers = {} }: Told): number {
  const isOther = handler !== undefined && record.handler !== handler
  const own = fieldsOf(record)
  const others = Object.entries(headers).filter(([name, value]) => tells(name) && own.get(name.toLowerCase()) !== value)
  const isUnasked = record.method !== undefined && record.method !== 'GET'
  return (isOther ? MOST_FIELDS * 2 : 0) + Math.min(others.length, MOST_FIELDS - 1) * 2 + (isUnasked ? 1 : 0)
}

function hasOwnFields(record: RequestRecord): boolean {
  return fieldsOf(record).size > 0
}

/** By names in lower case: those that may have the site answer otherwise. */
function fieldsOf({ headers = {} }: RequestRecord): ReadonlyMap<string, string> {
  const named = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value])
  return new Map(named.filter(([name]) => tells(name)))
}

/** Not who asks, nor the type of a body, which the body implies. */
function tells(name: string): boolean {
  return name.toLowerCase() !== 'content-type' && !isSecretName(name)
}

/** Values of a field that a line names, and columns of each. */
const MAX_NAMED = 5
const MAX_COLUMNS = 30

function differencesOf(like: readonly RequestRecord[]): string[] {
  const [first] = like
  if (first === undefined || like.length < 2) return []
  const fields = new Set(like.flatMap((record) => [...fieldsOf(record).keys()]))
  const differing = [...fields].flatMap((name) => {
    const values = [...new Set(like.map((record) => fieldsOf(record).get(name) ?? 'none'))]
    if (values.length === 1) return []
    const named = values.slice(0, MAX_NAMED).map((value) => fit(value, MAX_COLUMNS))
    return [`${name} (${named.join(', ')}${values.length > named.length ? ', …' : ''})`]
  })
  const isSame = (key: 'method' | 'body' | 'identity'): boolean => like.every((record) => record[key] === first[key])
  const rest = (['method', 'body'] as const).filter((key) => !isSame(key))
  const ways = [...(differing.length > 0 ? ['--header'] : []), ...rest.map((key) => `--${key}`)]
  const count = `one of ${like.length} requests of this URL, which differ in`
  if (ways.length > 0) return [`${count} ${[...differing, ...rest].join(', ')}; choose another with ${ways.join(', ')}`]
  return isSame('identity') ? [] : [`${count} the identity of their links`]
}
