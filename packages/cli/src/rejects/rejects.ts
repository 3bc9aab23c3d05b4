// `avocet rejects`: items that the spider's schema or a sink refused. `list` says which and why; `retry` tries them again.
import type { FrontierReader, RejectGroup, RejectRecord } from '@avocet/core/store'
import { meantStore } from '@avocet/project/load'
import { existingStore, withReader } from '@avocet/project/store'
import { writeDocument, print, type Place, commandLine } from '@avocet/project/place'
import { printable, formatCount, formatCountOf } from '@avocet/project/text'
import { rejectGroupLine } from '../text/store-words.ts'
import { wantedOf, type RejectsOptions } from './wanted.ts'

/** Characters of an item that a list shows. */
const MOST_OF_ITEM = 200

/** Exit code 0 also when there is nothing to list or to retry. Throws AVO_FRONTIER_…, AVO_USAGE, and AVO_SPIDER_… for a spider that cannot be loaded. */
export async function rejectsCommand(options: RejectsOptions, place: Place): Promise<void> {
  const store = await meantStore(options, place)
  if (options.action === 'list') return list({ ...options, ...(store !== undefined && { store }) }, place)
  const { retryRejects } = await import('./retry.ts')
  return retryRejects(options, await existingStore(place, store), place)
}

async function list(options: RejectsOptions, place: Place): Promise<void> {
  const { store, limit, json } = options
  const { stdout } = place
  return withReader(place, store, async (reader) => {
    const found = await reader.rejects({ ...wantedOf(options), limit: limit + 1 })
    const [shown, more] = [found.slice(0, limit), found.length > limit]
    const [groups, count] = [await reader.rejectGroups(), await countOf(reader)]
    if (json) await writeDocument(stdout, { schema: 1, count, groups, more, rejects: shown.map(documentOf) })
    else await print(stdout, [...shown.flatMap(linesOf), ...closing({ shown: shown.length, more, count, groups }, options)])
  })
}

async function countOf(reader: FrontierReader): Promise<number> {
  return (await reader.counts()).rejects ?? 0
}

/** The item as it is, not as a text. */
function documentOf({ json, ...record }: RejectRecord): object {
  return { ...record, item: JSON.parse(json) as unknown }
}

function linesOf({ source, url, reason, json, retried }: RejectRecord): string[] {
  const item = json.length > MOST_OF_ITEM ? `${json.slice(0, MOST_OF_ITEM - 1)}…` : json
  const waits = retried ? ', to be handed over again' : ''
  return [`${printable(source)}  ${printable(url)}  ${printable(reason)}${waits}`, `  ${printable(item)}`]
}

interface Listed {
  readonly shown: number
  readonly more: boolean
  /** Of the whole store. */
  readonly count: number
  readonly groups: readonly RejectGroup[]
}

function closing({ shown, more, count, groups }: Listed, { store }: RejectsOptions): string[] {
  if (count === 0) return ['no rejects: neither the schema nor a sink refused an item']
  const first = more ? `the first ${formatCount(shown)} (--limit for more); ` : ''
  return [
    ...(shown === 0 ? [] : ['']),
    `${shown === 0 ? 'no matching rejects; ' : first}in the store: ${formatCountOf(count, 'reject')}`,
    ...groups.slice(0, 10).map((group) => `  ${rejectGroupLine(group)}`),
    'once the schema or the sink is corrected, to try them again:',
    `  ${commandLine(['rejects', 'retry', ...(store === undefined ? [] : [store])])}`,
  ]
}
