// Reads JSON that a store keeps. What we write is always JSON, so anything else is damage: SQLite checks the structure of its pages, not what long texts on
// them say.
import { AvocetError } from '../values/errors.ts'
import type { MemoryParts } from './frontier-reader.ts'
import { shown } from '../values/shown.ts'

const remedy =
  'keep the file; see what is wrong with avocet store verify; return to a backup, or recover what can be read: sqlite3 STORE .recover | sqlite3 NEW'

/**
 * The value of `text`, of which `what` says what it is.
 *
 * @throws AVO_FRONTIER_CORRUPT.
 */
export function storedJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AvocetError('AVO_FRONTIER_CORRUPT', `expected ${what} in the store to be JSON, got ${shown(text)}`, {
      cause,
      remedy,
    })
  }
}

/**
 * What core remembers of a host, from its part of the memory at rest; nothing where no unit of the host was committed.
 *
 * @throws AVO_FRONTIER_CORRUPT.
 */
export function coreMemoryIn<Memory extends object>({ core }: MemoryParts): Partial<Memory> {
  return core === undefined ? {} : (storedJson(core, 'the memory of a host') as [number, Memory])[1]
}

/** What core remembers of a whole crawl, as one process left it. What cannot be read says nothing: a reader is no judge of a store. */
export function coreCrawlMemoryIn<Memory extends object>({ core = 'null' }: MemoryParts): Partial<Memory> {
  try {
    return (JSON.parse(core) as readonly [number, Memory?] | null)?.[1] ?? {}
  } catch {
    return {}
  }
}
