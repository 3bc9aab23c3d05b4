// Stores in a file of this machine: SQLite.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '@avocet/core/store'
import { storeFiles } from './store-files.ts'
import type { StoreKind, StoreSpec } from './store-kind.ts'

/** Endings of files that SQLite has beside one of its own. */
export const COMPANIONS: readonly string[] = ['-wal', '-shm', '-journal']

/** By absolute path. */
export const SQLITE_KIND: StoreKind = {
  async frontier(path, { clock, lockPatienceMs }) {
    const { sqlite } = await storeFiles()
    // It knows no other options.
    return sqlite(path, { ...(clock && { clock }), ...(lockPatienceMs !== undefined && { lockPatienceMs }) })
  },
  reader: async (path) => (await storeFiles()).openReader(path),
  exists: async (path) => existsSync(path),
  async probe(path, spec, clock) {
    if (existsSync(path)) await (await storeFiles()).probeStore(path, spec)
    await writeProbe(dirname(path), spec, clock)
  },
  async remove(path) {
    for (const companion of ['', ...COMPANIONS]) await rm(`${path}${companion}`, { force: true })
  },
}

/** A store beside it, made and removed: says whether the folder can be written, and whether SQLite's WAL works on its file system. */
async function writeProbe(folder: string, spec: StoreSpec, clock: Clock): Promise<void> {
  const path = join(folder, `.check-${process.pid}.db`)
  const frontier = await SQLITE_KIND.frontier(path, {})
  try {
    await frontier.open({ name: 'check', ...spec }, clock.now())
    await frontier.close()
  } finally {
    await SQLITE_KIND.remove(path)
  }
}
