// What a crawl keeps beside its store, and what goes with it when the crawl starts over: kept responses.
import { rm } from 'node:fs/promises'
import { cachePathOf } from '../load/store-path.ts'
import { storeFiles } from '../store-kinds/store-files.ts'
import { COMPANIONS } from '../store-kinds/sqlite-kind.ts'
import { formatCountOf } from '../text/quantity.ts'

/** A file of ours. */
export interface FileBeside {
  readonly path: string
  /** In words, for people. */
  readonly contents: string
  remove(): Promise<void>
}

/** That of the store at `path`, whether or not the store is there. Undefined where there is none, and for a file that is not ours. */
export async function fileBeside(store: string): Promise<FileBeside | undefined> {
  const path = cachePathOf(store)
  const responses = await (await storeFiles()).ownResponses(path)
  if (responses === undefined) return undefined
  return {
    path,
    contents: responses.count === undefined ? 'kept responses' : formatCountOf(responses.count, 'kept response'),
    // The file itself last, because it says whose the others are.
    async remove() {
      for (const companion of [...COMPANIONS, '']) await rm(`${path}${companion}`, { force: true })
    },
  }
}
