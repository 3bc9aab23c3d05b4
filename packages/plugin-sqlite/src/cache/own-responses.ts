// Whether a file is one of kept responses: only those may be removed with the store that they are of.
import { closeSync, lstatSync, openSync, readSync } from 'node:fs'
import { AvocetError } from '@avocet/core'
import { CACHE_APPLICATION_ID } from '../file/schema.ts'
import { openResponses } from './kept-responses.ts'

/** Where SQLite has the number of the application in the header of a file (https://sqlite.org/fileformat2.html §1.3.8). */
const APPLICATION_AT = 68

/**
 * What `responseCache` kept in the file at `path`, sound or not; undefined where there is none, or anything else. `count` is absent of one that cannot be read.
 */
export async function ownResponses(path: string): Promise<{ readonly count?: number } | undefined> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined
  try {
    const responses = await openResponses(path)
    try {
      return { count: responses.count }
    } finally {
      responses.close()
    }
  } catch (error) {
    const isOlder = error instanceof AvocetError && error.code === 'AVO_FRONTIER_VERSION'
    return isOlder || applicationOf(path) === CACHE_APPLICATION_ID ? {} : undefined
  }
}

function applicationOf(path: string): number | undefined {
  const file = openSync(path, 'r')
  try {
    const header = Buffer.alloc(APPLICATION_AT + 4)
    return readSync(file, header, 0, header.length, 0) === header.length ? header.readUInt32BE(APPLICATION_AT) : undefined
  } finally {
    closeSync(file)
  }
}
