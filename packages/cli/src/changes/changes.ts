// Changes of watched items as a store has them, and as they come.
import { sleepUntil, type ChangeQuery, type ChangeRecord, type FrontierReader } from '@avocet/core/store'
import { itemChangeOf } from '@avocet/delivery'
import { print, say, writeDocument, writeRecords, type Place } from '@avocet/project/place'
import { type NamedStore, withReader } from '@avocet/project/store'
import { formatCountOf, formatMoment, printable } from '@avocet/project/text'
import { knownHost } from '../store/known-host.ts'
import { fieldChanges } from '../visits/field-changes.ts'

/** How often new ones are looked for. */
const LOOK_MS = 1_000
/** Read at once. */
const PAGE = 1_000
/** Fields of one change on a line. */
const MOST_FIELDS = 5

/** What was typed. */
export interface ChangesWish extends NamedStore {
  readonly sinceMs?: number
  readonly hostKey?: string
  readonly key?: string
  readonly limit: number
  readonly follow: boolean
  readonly form: 'lines' | 'jsonl' | 'json'
}

/** Exit code 0 also when there is nothing to list. Throws AVO_FRONTIER_…, AVO_USAGE. */
export function changesCommand(wish: ChangesWish, place: Place): Promise<void> {
  const { sinceMs, hostKey, limit, follow, form } = wish
  const { stdout, stderr, clock } = place
  const since = sinceMs === undefined ? {} : { since: clock.now() - sinceMs }
  return withReader(place, wish, async (reader) => {
    // Its first page may be to come.
    if (hostKey !== undefined && !follow) await knownHost(reader, hostKey, { wanted: '--host: expected a host' })
    const [newest] = await reader.changes({ newestFirst: true, limit: 1 })
    const found = await reader.changes({ ...ofItems(wish), ...since, newestFirst: true, limit: limit + 1 })
    const [shown, more] = [found.slice(0, limit).toReversed(), found.length > limit]
    if (form === 'json') return writeDocument(stdout, { schema: 1, more, changes: shown.map(itemChangeOf) })
    await printed(shown, wish, place)
    if (more) say(stderr, `the last ${formatCountOf(limit, 'change')}; --limit N shows more, --since 1h those of an hour`)
    if (newest === undefined) say(stderr, 'no changes so far: they are recorded for a spider with items: { key, watch }')
    else if (shown.length === 0) say(stderr, `no matching changes; the last one of the store: ${lineOf(newest)}`)
    if (follow) await followed(reader, { ...wish, afterSeq: Math.max(newest?.seq ?? 0, shown.at(-1)?.seq ?? 0) }, place)
  })
}

/** Until the process is ended, or nobody reads any more. */
async function followed(reader: FrontierReader, wish: ChangesWish & { readonly afterSeq: number }, place: Place): Promise<never> {
  const { key, hostKey } = wish
  let { afterSeq } = wish
  for (;;) {
    const all = await reader.changes({ afterSeq, limit: PAGE })
    afterSeq = all.at(-1)?.seq ?? afterSeq
    const meant = all.filter((change) => (key ?? change.key) === change.key && (hostKey ?? change.hostKey) === change.hostKey)
    await printed(meant, wish, place)
    if (all.length < PAGE) await sleepUntil(place.clock, place.clock.now() + LOOK_MS)
  }
}

function ofItems({ hostKey, key }: ChangesWish): Pick<ChangeQuery, 'hostKey' | 'key'> {
  return { ...(hostKey !== undefined && { hostKey }), ...(key !== undefined && { key }) }
}

async function printed(changes: readonly ChangeRecord[], { form }: ChangesWish, { stdout }: Place): Promise<void> {
  if (changes.length === 0) return
  if (form === 'lines') await print(stdout, changes.map(lineOf))
  else
    await writeRecords(
      stdout,
      changes.map((change) => JSON.stringify(itemChangeOf(change))),
    )
}

/** `2026-11-30 16:08:09 UTC  shop.example  tea-1  12.5 -> 11.9`. A field is named where there are several. */
function lineOf({ at, hostKey, key, kind, before = {}, after = {} }: ChangeRecord): string {
  const isOne = new Set([...Object.keys(before), ...Object.keys(after)]).size === 1
  const { fields, more } = fieldChanges(kind === 'back' ? {} : before, after, MOST_FIELDS)
  const values = fields.map(({ path, before: was, after: is }) => {
    const value = kind === 'changed' ? `${was ?? 'none'} -> ${is ?? 'none'}` : (is ?? was ?? '')
    return printable(isOne ? value : `${path} ${value}`)
  })
  const words = [...values, ...(more > 0 ? [`and ${formatCountOf(more, 'more field')}`] : [])].join(', ')
  return [formatMoment(at), printable(hostKey), printable(key), kind === 'changed' ? words : `${kind}: ${words}`].join('  ')
}
