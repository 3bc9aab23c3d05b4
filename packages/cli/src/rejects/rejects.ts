// `avocet rejects`: items that the spider's schema or a sink refused, or that a plugin holds, and why.
import type { RejectGroup, RejectRecord } from '@avocet/core/store'
import { type NamedStore, withReader } from '@avocet/project/store'
import { writeDocument, print, type Place } from '@avocet/project/place'
import { printable, formatCount, formatCountOf } from '@avocet/project/text'
import { heldLines, rejectGroupLine } from '../text/store-words.ts'

/** Characters of an item that a list shows. */
const MOST_OF_ITEM = 200

/** What was typed. */
export interface RejectsOptions extends NamedStore {
  /** `schema`, or the name of a sink. Absent: all. */
  readonly source?: string
  readonly hostKey?: string
  readonly limit: number
  readonly json: boolean
}

/** Exit code 0 also when there is nothing to list. Throws AVO_FRONTIER_…, AVO_USAGE, and AVO_CONFIG_… for a configuration that cannot be loaded. */
export async function rejectsCommand(options: RejectsOptions, place: Place): Promise<void> {
  const { source, hostKey, limit, json } = options
  const { stdout } = place
  return withReader(place, options, async (reader) => {
    const wanted = { ...(source !== undefined && { source }), ...(hostKey !== undefined && { hostKey }) }
    const found = await reader.rejects({ ...wanted, limit: limit + 1 })
    const [shown, more] = [found.slice(0, limit), found.length > limit]
    const [{ rejects: groups }, { rejects: count = 0 }] = [await reader.problems(), await reader.counts()]
    if (json) await writeDocument(stdout, { schema: 1, count, groups, more, rejects: shown.map(documentOf) })
    else await print(stdout, [...shown.flatMap(linesOf), ...closing({ shown: shown.length, more, count, groups })])
  })
}

/** The item as it is, not as a text. */
function documentOf({ json, ...record }: RejectRecord): object {
  return { ...record, item: JSON.parse(json) as unknown }
}

function linesOf({ source, url, reason, json }: RejectRecord): string[] {
  const item = json.length > MOST_OF_ITEM ? `${json.slice(0, MOST_OF_ITEM - 1)}…` : json
  return [`${printable(source)}  ${printable(url)}  ${printable(reason)}`, `  ${printable(item)}`]
}

interface Listed {
  readonly shown: number
  readonly more: boolean
  /** Of the whole store. */
  readonly count: number
  readonly groups: readonly RejectGroup[]
}

function closing({ shown, more, count, groups }: Listed): string[] {
  if (count === 0) return ['no rejects: neither the schema nor a sink refused an item']
  const first = more ? `the first ${formatCount(shown)} (--limit for more); ` : ''
  return [
    ...(shown === 0 ? [] : ['']),
    `${shown === 0 ? 'no matching rejects; ' : first}in the store: ${formatCountOf(count, 'reject')}`,
    ...groups.slice(0, 10).map((group) => `  ${rejectGroupLine(group)}`),
    ...heldLines(groups),
  ]
}
