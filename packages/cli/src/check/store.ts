// Whether the store of a crawl can be opened and written, who holds it, and whether the disk of one in a file has room. The store itself is only read.
import { constants, existsSync } from 'node:fs'
import { access, mkdir, rmdir, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf, type Clock } from '@avocet/core/store'
import { IN_MEMORY, shownName, isFar, type StoreSpec, storeKind, readStore } from '@avocet/project/store'
import { formatCount, formatCountOf, formatBytes } from '@avocet/project/text'
import { finding, type Finding } from './finding.ts'

/** A crawl of a day writes about this much; below the first it may not end. */
const LITTLE_BYTES = 1 * 2 ** 30
const TOO_LITTLE_BYTES = 100 * 2 ** 20

/** How the crawl would open it. */
interface Wanted {
  readonly spec: StoreSpec
  readonly clock: Clock
}

/** Looks at the store at `path` (its address), or at the place where it would be. */
export async function storeFindings(path: string, wanted: Wanted): Promise<readonly Finding[]> {
  if (path === IN_MEMORY) {
    return [finding('store', 'warn', 'in memory (:memory:): lost when the process ends; name a file to be able to resume')]
  }
  if (isFar(path)) return [await farStore(path, wanted)]
  const folder = dirname(path)
  // Undefined when it was there before.
  const made = await mkdir(folder, { recursive: true }).catch((error: unknown) => error)
  if (made instanceof Error) return [unwritable(folder, made)]
  try {
    return [existsSync(path) ? await existing(path, wanted) : await fresh(path, folder, wanted), await disk(folder)]
  } finally {
    // Only if it is empty: somebody may have begun a crawl meanwhile.
    if (made !== undefined) await rmdir(folder).catch(() => undefined)
  }
}

async function farStore(url: string, { spec, clock }: Wanted): Promise<Finding> {
  const shown = shownName(url)
  try {
    const kind = storeKind(url)
    await kind.probe(url, spec, clock)
    return (await kind.exists(url)) ? await standing(url) : finding('store', 'ok', `${shown}: can be made`)
  } catch (error) {
    const message = messageOf(error)
    return finding('store', 'fail', message.includes(shown) ? message : `${shown}: ${message}`)
  }
}

async function existing(path: string, { spec, clock }: Wanted): Promise<Finding> {
  try {
    await access(path, constants.W_OK)
    const found = await standing(path)
    await storeKind(path).probe(path, spec, clock)
    return found
  } catch (error) {
    return unwritable(path, error)
  }
}

function standing(store: string): Promise<Finding> {
  return readStore(store, async (reader) => {
    const { liveProcesses } = await reader.info()
    const { known, waiting } = await reader.counts()
    const holds = `${shownName(store)}: ${formatCount(known)} known, ${formatCount(waiting)} waiting`
    if (liveProcesses === 0) return finding('store', 'ok', holds)
    const who = formatCountOf(liveProcesses, 'process crawls', 'processes crawl')
    return finding('store', 'warn', `${holds}; ${who} it now: another one would share the work, not start over`)
  })
}

async function fresh(path: string, folder: string, { spec, clock }: Wanted): Promise<Finding> {
  try {
    await storeKind(path).probe(path, spec, clock)
    return finding('store', 'ok', `${path}: can be made`)
  } catch (error) {
    return unwritable(folder, error)
  }
}

async function disk(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= LITTLE_BYTES) return finding('disk', 'ok', `${formatBytes(free)} free`)
  const state = free < TOO_LITTLE_BYTES ? 'fail' : 'warn'
  return { subject: 'disk', state, said: `only ${formatBytes(free)} free; make room, or put the store elsewhere with --store` }
}

function unwritable(path: string, error: unknown): Finding {
  const message = messageOf(error)
  return finding('store', 'fail', message.includes(path) ? message : `${path}: expected to read and write it, got ${message}`)
}
