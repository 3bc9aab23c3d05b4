// `avocet store compact`: the file of a store at rest becomes as small as its contents.
import { existingStore, nameFrom, storeFiles } from '@avocet/project/store'
import { writeDocument, print, type Place } from '@avocet/project/place'
import { printable, formatBytes } from '@avocet/project/text'
import { fileStore } from './verify.ts'
import type { StoreWish } from '../store/status.ts'

/** Prints what it won; with `json` one document. Throws AVO_USAGE for a store on a server, AVO_FRONTIER_…. */
export async function compactCommand({ store, configPath, json }: StoreWish, place: Place): Promise<void> {
  const { folder, stdout } = place
  const path = fileStore('store compact', await existingStore(place, store, configPath))
  const { bytesBefore, bytesAfter } = await (await storeFiles()).compactStore(path)
  if (json) return writeDocument(stdout, { schema: 1, store: path, bytesBefore, bytesAfter })
  const won = bytesBefore - bytesAfter
  const gain =
    won > 0
      ? `${formatBytes(won)} given back to the disk`
      : won < 0
        ? `${formatBytes(-won)} more than before`
        : 'nothing to give back'
  await print(stdout, `${printable(nameFrom(folder, path))}: ${formatBytes(bytesAfter)}, ${gain}`)
}
