// Whether the store of a crawl can be opened and written, who holds it, and whether the disk has room. The store itself is only read.
import { constants, existsSync } from 'node:fs'
import { access, mkdir, rm, rmdir, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CANONICALISATION, messageOf, type Clock } from '@avocet/core/store'
import { formatBytes } from '@avocet/core/tools'
import { IN_MEMORY } from '../load/store-path.ts'
import { readStore } from '../store/open-store.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'
import { finding, type Finding } from './finding.ts'

/** A crawl of a day writes about this much; below the first it may not end. */
const LITTLE_BYTES = 1 * 2 ** 30
const TOO_LITTLE_BYTES = 100 * 2 ** 20

/** Looks at the store at `path` (absolute), or at the place where it would be. */
export async function storeFindings(path: string, clock: Clock): Promise<readonly Finding[]> {
  if (path === IN_MEMORY) {
    return [finding('store', 'warn', 'in memory (:memory:): lost when the process ends; name a file to be able to resume')]
  }
  const folder = dirname(path)
  // Undefined when it was there before.
  const made = await mkdir(folder, { recursive: true }).catch((error: unknown) => error)
  if (made instanceof Error) return [unwritable(folder, made)]
  try {
    return [existsSync(path) ? await existing(path, folder, clock) : await fresh(path, folder, clock), await disk(folder)]
  } finally {
    // Only if it is empty: somebody may have begun a crawl meanwhile.
    if (made !== undefined) await rmdir(folder).catch(() => undefined)
  }
}

async function existing(path: string, folder: string, clock: Clock): Promise<Finding> {
  try {
    return await readStore(path, async (reader): Promise<Finding> => {
      const { liveProcesses } = await reader.info()
      const { known, waiting } = await reader.counts()
      await access(path, constants.W_OK)
      await writeProbe(folder, clock)
      const holds = `${path}: ${formatCount(known)} known, ${formatCount(waiting)} waiting`
      if (liveProcesses === 0) return finding('store', 'ok', holds)
      const who = formatCountOf(liveProcesses, 'process crawls', 'processes crawl')
      return finding('store', 'warn', `${holds}; ${who} it now: another one would share the work, not start over`)
    })
  } catch (error) {
    return unwritable(path, error)
  }
}

async function fresh(path: string, folder: string, clock: Clock): Promise<Finding> {
  try {
    await writeProbe(folder, clock)
    return finding('store', 'ok', `${path}: can be made`)
  } catch (error) {
    return unwritable(folder, error)
  }
}

/** A store beside it, made and removed: says whether the folder can be written, and whether SQLite's WAL works on its file system. */
async function writeProbe(folder: string, clock: Clock): Promise<void> {
  const path = join(folder, `.check-${process.pid}.db`)
  const { sqlite } = await import('@avocet/plugin-sqlite')
  const frontier = sqlite(path)
  try {
    await frontier.open({ name: 'check', canonicalisation: CANONICALISATION, hostKeying: 'host' }, clock.now())
    await frontier.close()
  } finally {
    for (const ending of ['', '-wal', '-shm']) await rm(path + ending, { force: true })
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
