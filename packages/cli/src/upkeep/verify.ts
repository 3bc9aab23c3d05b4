// `avocet store verify`: whether a store is sound.
import { AvocetError } from '@avocet/core'
import { storeFiles, type StoreFault, existingStore, shownName, isFar } from '@avocet/project/store'
import type { ExitCode } from '@avocet/project/command'
import { writeDocument, print, type Place } from '@avocet/project/place'
import { printable, formatCount, formatCountOf } from '@avocet/project/text'
import type { StoreWish } from '../store/status.ts'

/** Prints one line, or one a fault; with `json` one document. 7 for a store with a fault. Throws AVO_FRONTIER_…, AVO_USAGE. */
export async function verifyCommand({ store, configPath, json }: StoreWish, place: Place): Promise<ExitCode> {
  const { stdout } = place
  const path = fileStore('store verify', await existingStore(place, store, configPath))
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
    const remedy = 'keep the file; return to a backup, or recover what can be read: sqlite3 STORE .recover | sqlite3 NEW'
    await print(stdout, [head, ...faults.map(lineOf), remedy])
  }
  return isSound ? 0 : 7
}

/** Its path. Throws AVO_USAGE for a store on a server. */
export function fileStore(command: string, store: string): string {
  if (!isFar(store)) return store
  throw new AvocetError(
    'AVO_USAGE',
    `${command}: expected a store in a file of SQLite, got ${shownName(store)}; the server looks after its own files (amcheck, autovacuum and backups of PostgreSQL)`,
  )
}

function lineOf({ kind, message, rows }: StoreFault): string {
  if (kind === 'file') return `  file: ${printable(message)}`
  return `  does not hold: ${printable(message)} (${rows === undefined ? '?' : formatCountOf(rows, 'row', 'rows')})`
}
