// `avocet verify` and `avocet rescue`: whether a store is sound, and a new store of what can be read of a damaged one.
import { resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { storeFiles, type StoreFault, type StoreRescue } from '../store-kinds/store-files.ts'
import type { ExitCode } from '../exit-codes.ts'
import { existingStore, shownName } from '../load/store-path.ts'
import { isFar } from '../store-kinds/store-address.ts'
import { writeDocument } from '../output/machines.ts'
import { print, say } from '../output/people.ts'
import type { Place } from '../place.ts'
import { commandName } from '../text/command-line.ts'
import { printable } from '../text/printable.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'
import type { StoreWish } from './status.ts'

/** Prints one line, or one a fault; with `json` one document. 7 for a store with a fault. Throws AVO_FRONTIER_…, AVO_USAGE. */
export async function verifyCommand({ store, json }: StoreWish, place: Place): Promise<ExitCode> {
  const { stdout } = place
  const path = fileStore('verify', await existingStore(place, store))
  const { faults, known, items } = await (await storeFiles()).verifyStore(path)
  const isSound = faults.length === 0
  if (json) await writeDocument(stdout, { schema: 1, store: path, sound: isSound, known, items, faults })
  else if (isSound) {
    await print(
      stdout,
      `${printable(path)}: sound (${formatCount(known ?? 0)} URLs, ${formatCountOf(items ?? 0, 'item', 'items')})`,
    )
  } else {
    const head = `${printable(path)}: ${formatCountOf(faults.length, 'fault', 'faults')}`
    const remedy = `keep the file; recover it with ${commandName()} rescue STORE --to NEW, and continue with the new store`
    await print(stdout, [head, ...faults.map(lineOf), remedy])
  }
  return isSound ? 0 : 7
}

/** Its path. Throws AVO_USAGE for a store on a server. */
function fileStore(command: string, store: string): string {
  if (!isFar(store)) return store
  throw new AvocetError(
    'AVO_USAGE',
    `${command}: expected a store in a file of SQLite, got ${shownName(store)}; the server looks after its own files (amcheck and backups of PostgreSQL)`,
  )
}

function lineOf({ kind, message, rows }: StoreFault): string {
  if (kind === 'file') return `  file: ${printable(message)}`
  return `  does not hold: ${printable(message)} (${rows === undefined ? '?' : formatCountOf(rows, 'row', 'rows')})`
}

/** What was typed for `avocet rescue`. */
export interface RescueWish extends StoreWish {
  readonly to: string | undefined
}

/** Progress is said of what takes longer. */
const QUIET_MS = 2_000
const DOING = { reading: 'reading pages', writing: 'writing the new store, step', verifying: 'verifying it, step' } as const

/** Prints what was kept and lost; with `json` one document. 0 when nothing is lost, 10 when something is. Throws AVO_FRONTIER_…, AVO_USAGE. */
export async function rescueCommand({ store, to, json }: RescueWish, place: Place): Promise<ExitCode> {
  const { folder, stdout, stderr, clock } = place
  const path = fileStore('rescue', await existingStore(place, store))
  if (to === undefined)
    throw new AvocetError('AVO_USAGE', 'expected --to NEW, the path of the new store, got nothing; for instance --to rescued.db')
  const target = resolve(folder, to)
  let saidAt = clock.monotonic()
  const { rescueStore } = await storeFiles()
  const rescue = await rescueStore(path, target, {
    reached(phase, done, total) {
      if (clock.monotonic() - saidAt < QUIET_MS) return
      saidAt = clock.monotonic()
      say(stderr, `${DOING[phase]} ${formatCount(done)} of ${formatCount(total)}`)
    },
  })
  const isWhole = Object.values(rescue.lost).every((lost) => lost === 0) && rescue.askedAgain === 0 && rescue.notes.length === 0
  if (json) await writeDocument(stdout, { schema: 1, store: path, to: target, whole: isWhole, ...rescue })
  else await print(stdout, linesOf(rescue, { path, target, isWhole }))
  return isWhole ? 0 : 10
}

function linesOf(
  { pages, damagedPages, kept, lost, askedAgain, notes }: StoreRescue,
  { path, target, isWhole }: { readonly path: string; readonly target: string; readonly isWhole: boolean },
): string[] {
  const losses = [
    [lost.requests, 'URL', 'URLs', 'found again when the pages that link to them are requested again; seeds by the next run'],
    [lost.outcomes, 'outcome', 'outcomes', 'their pages are fetched again'],
    [lost.items, 'item', 'items', 'extracted again from their pages'],
    [lost.hosts, 'host', 'hosts', 'found again with their URLs'],
    [
      lost.memories,
      'memory of a host',
      'memories of hosts',
      'rates, circuits, timeouts and closed patterns of URLs are learned again',
    ],
  ] as const
  const urls = `${formatCountOf(kept.requests, 'URL')} (${formatCount(kept.settled)} settled, ${formatCount(kept.waiting)} waiting)`
  return [
    `${printable(path)}: ${formatCountOf(pages, 'page')}, ${formatCount(damagedPages)} of them damaged`,
    `${printable(target)}: sound, ${urls}, ${formatCountOf(kept.items, 'item')}, ${formatCountOf(kept.hosts, 'host')}`,
    ...losses.flatMap(([count, one, many, what]) =>
      count === 0 ? [] : [`  lost: ${formatCountOf(count, one, many)} (${what})`],
    ),
    ...(askedAgain === 0
      ? []
      : [
          `  to be fetched again: ${formatCountOf(askedAgain, 'page')} that may have led to what is lost; no item is written twice`,
        ]),
    ...notes.map((note) => `  note: ${printable(note)}`),
    isWhole ? 'nothing is lost' : `to resume, run the same command with --store ${printable(target)}`,
  ]
}
