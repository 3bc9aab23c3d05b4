// What units say of watched and held items, as `watch_units` of the store takes it.
import { keptReason, rejectGroupOf, watchLaws, type CommitUnit } from '@avocet/core/store'
import { inRange, MOST_INT, storableText } from '../connection/storable-text.ts'
import { storedWord } from '../names/word-ids.ts'
import type { Concluded } from './outcome-row.ts'

/** A unit of a group, and its place there. */
export interface PlacedUnit extends Concluded {
  readonly unit: CommitUnit
  readonly place: number
}

/** The objects. None where all of them only repeat visits: the store finds what those replace by itself, if anything is held. */
export function watchRows(units: readonly PlacedUnit[]): object[] {
  const says = units.some(({ unit: { watch, held, settlesHeld } }) => (watch ?? held ?? settlesHeld) !== undefined)
  return says ? units.flatMap(rowOf) : []
}

/** A request that was never tried has nothing that is held, and may show what is held of another page. */
function rowOf({ held, id, out, outcome, unit, place }: PlacedUnit): object[] {
  const { watch, held: holding, settlesHeld: fate, items } = unit
  const replaces = watchLaws.replacesHeld(unit) && (!out.isPlain || watch !== undefined)
  if (!replaces && (watch ?? holding ?? fate) === undefined) return []
  const row = { place, id, host: held.id, at: inRange(outcome.fetched?.at ?? 0), fate, replaces }
  return [{ ...row, ...(holding && heldOf(holding)), ...(watch && shownBy(watch, items)) }]
}

function heldOf({ items, reason: said }: NonNullable<CommitUnit['held']>): object {
  const reason = keptReason(storableText(said))
  const held = items.map(({ json, ordinal, watched }, n) => {
    return { ordinal: ordinal ?? n, json, ...(watched && { key: storedWord(watched.key), value: watched.value }) }
  })
  return { held, reason, kind: rejectGroupOf(reason) }
}

function shownBy(watch: NonNullable<CommitUnit['watch']>, items: CommitUnit['items']): object {
  const watched = items.flatMap((item) => item.watched ?? [])
  return {
    shows: watch.shows,
    is_once: watch.isOnce === true,
    ...('goneAfterVisits' in watch && { gone_after: inRange(watch.goneAfterVisits, MOST_INT) }),
    keys: watched.map(({ key }) => storedWord(key)),
    shown: watched.map(({ value }) => value),
  }
}
