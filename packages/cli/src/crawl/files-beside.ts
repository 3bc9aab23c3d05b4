// What a crawl keeps beside its store, and what goes with it when the crawl starts over: kept responses, and the store as it was before --again.
import { existsSync } from 'node:fs'
import { cachePathOf, besideStore } from '../load/store-path.ts'
import { storeFiles } from '../store-kinds/store-files.ts'
import { COMPANIONS } from '../store-kinds/sqlite-kind.ts'
import { formatCountOf } from '../text/quantity.ts'
import { checkOurs } from './kept-crawl.ts'
import { rm } from 'node:fs/promises'

/** A file of ours. */
export interface FileBeside {
  readonly path: string
  /** In words, for people. */
  readonly contents: string
  remove(): Promise<void>
}

/** Those of the store at `path`, whether or not it is there. Files that are not ours are not among them. */
export async function filesBeside(path: string): Promise<readonly FileBeside[]> {
  const [cache, before] = [cachePathOf(path), besideStore(path, '.before')]
  const { ownResponses } = await storeFiles()
  const responses = await ownResponses(cache)
  const count = responses?.count === undefined ? 'kept responses' : formatCountOf(responses.count, 'kept response')
  const isBefore = existsSync(before) && (await isOurs(before))
  return [
    ...(responses === undefined ? [] : [fileBeside(cache, count)]),
    ...(isBefore ? [fileBeside(before, 'the store before --again')] : []),
  ]
}

function fileBeside(path: string, contents: string): FileBeside {
  return {
    path,
    contents,
    // The file itself last, because it says whose the others are.
    async remove() {
      for (const companion of [...COMPANIONS, '']) await rm(`${path}${companion}`, { force: true })
    },
  }
}

async function isOurs(path: string): Promise<boolean> {
  return checkOurs(path).then(
    () => true,
    () => false,
  )
}
