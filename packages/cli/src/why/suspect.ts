// A suspect host for `why`: what broke since when, and one of its pages as it was beside as it is.
import { formatDuration } from '@avocet/core/plugin'
import { HELD_SOURCE, type FrontierReader, type HostRecord, type RejectRecord, type RequestRecord } from '@avocet/core/store'
import { suspectOf, type Suspect } from '@avocet/plugin-health/findings'
import { commandName } from '@avocet/project/place'
import { formatCountOf, printable } from '@avocet/project/text'
import { fieldChanges } from '../visits/field-changes.ts'

/** An item of the page, as JSON text. `at`: when the page was fetched, epoch ms. */
interface HeldItem {
  readonly at: number
  readonly json: string
}

/** What fell out of its past. */
export interface SuspectHost extends Suspect {
  /** The first item of the page that was published last, and the one that is held. Null: there is none. */
  readonly wasItem: Omit<HeldItem, 'at'> | null
  readonly isItem: HeldItem | null
}

const MAX_HELD = 1_000
const MAX_FIELDS = 12

/** Undefined: it is not suspect. */
export async function suspectHost(reader: FrontierReader, { hostKey, memory }: HostRecord): Promise<SuspectHost | undefined> {
  const suspect = suspectOf(memory)
  if (suspect === undefined) return undefined
  const { url, handler } = suspect
  const held = await reader.rejects({ source: HELD_SOURCE, hostKey, limit: MAX_HELD })
  const isItem = held.find((each) => each.url === url)
  const [request] = await reader.requests({ url, handler, limit: 1 })
  const [wasItem] = request === undefined ? [] : await reader.itemsOfRequest({ requestId: request.id, limit: 1 })
  return { ...suspect, wasItem: wasItem ?? null, isItem: isItem ?? null }
}

/** What is held of these requests, the oldest first, as far as it is among the first of the host. */
export async function heldOf(
  reader: FrontierReader,
  hostKey: string,
  requests: readonly RequestRecord[],
): Promise<readonly RejectRecord[]> {
  const held = await reader.rejects({ source: HELD_SOURCE, hostKey, limit: MAX_HELD })
  return held.filter(({ requestId }) => requests.some(({ id }) => id === requestId))
}

/** Rows: a name, and what is told. */
export function suspectRows(suspect: SuspectHost, now: number): readonly (readonly [string, string])[] {
  const { url, at, held, wasItem, isItem } = suspect
  const read = (item: { readonly json: string } | null): unknown => (item === null ? undefined : JSON.parse(item.json))
  const { fields, more } = fieldChanges(read(wasItem), read(isItem), MAX_FIELDS)
  return [
    [
      'held',
      `${formatCountOf(held, 'visit')}: ${commandName()} rejects --source ${HELD_SOURCE}; ${commandName()} accept HOST publishes them`,
    ],
    ['for instance', `${printable(url)}, ${formatDuration(Math.max(0, now - at))} ago`],
    ...(isItem === null ? [['', 'no item any more'] as const] : []),
    ...fields.map(
      ({ path, before, after }) =>
        [printable(path), `${printable(before ?? 'nothing')} → ${printable(after ?? 'nothing')}`] as const,
    ),
    ...(more === 0 ? [] : [['', `and ${formatCountOf(more, 'more field')}`] as const]),
  ]
}
