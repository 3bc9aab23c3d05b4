// `avocet verify`: checks the file of a store and what must hold between its rows, and prints what is wrong.
import { verifyStore, type StoreFault } from '@avocet/plugin-sqlite'
import type { ExitCode } from '../exit-code.ts'
import { existingStore } from '../load/store-path.ts'
import { writeDocument } from '../output/machines.ts'
import { print } from '../output/people.ts'
import type { Place } from '../place.ts'
import { printable } from '../text/printable.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'

/** Prints one line, or one a fault; with `json` one document. 7 for a store with a fault. Throws AVO_FRONTIER_…, AVO_USAGE. */
export async function verifyCommand(store: string | undefined, json: boolean, { folder, stdout }: Place): Promise<ExitCode> {
  const path = await existingStore(folder, store)
  const { faults, known, items } = await verifyStore(path)
  const isSound = faults.length === 0
  if (json) await writeDocument(stdout, { schema: 1, store: path, sound: isSound, known, items, faults })
  else if (isSound) {
    await print(
      stdout,
      `${printable(path)}: sound (${formatCount(known ?? 0)} URLs, ${formatCountOf(items ?? 0, 'item', 'items')})`,
    )
  } else
    await print(stdout, [`${printable(path)}: ${formatCountOf(faults.length, 'fault', 'faults')}`, ...faults.map(lineOf), REMEDY])
  return isSound ? 0 : 7
}

const REMEDY = 'keep the file; make a new store of what can be read with avocet rescue STORE --to NEW, and go on with that'

function lineOf({ kind, message, rows }: StoreFault): string {
  if (kind === 'file') return `  file: ${printable(message)}`
  return `  does not hold: ${printable(message)} (${rows === undefined ? '?' : formatCountOf(rows, 'row', 'rows')})`
}
