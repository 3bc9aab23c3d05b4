// Stores of the tests: in a folder of their own, and as a crash would leave them.
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Frontier } from '@avocet/core/store'
import type { FrontierStore } from '@avocet/testkit/contracts'
import { sqlite, type SqliteOptions } from '@avocet/plugin-sqlite'

/** A folder that is gone after `dispose`. */
export function temporaryFolder(): { path: string; dispose(): void } {
  const path = mkdtempSync(join(tmpdir(), 'avocet-sqlite-'))
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) }
}

/** A store for the contract. A crash is a copy of its files, as the disk has them when the process is killed. */
export function sqliteStore(options: SqliteOptions = {}): FrontierStore {
  const folder = temporaryFolder()
  const opened: Frontier[] = []
  let life = 0
  const path = (): string => join(folder.path, `${life}.db`)
  return {
    frontier() {
      const frontier = sqlite(path(), options)
      opened.push(frontier)
      return frontier
    },
    async crash() {
      const before = `${life++}.db`
      const left = readdirSync(folder.path).filter((name) => name.startsWith(before) && !name.endsWith('-shm'))
      for (const name of left) copyFileSync(join(folder.path, name), path() + name.slice(before.length))
    },
    async dispose() {
      for (const frontier of opened) await frontier.close()
      folder.dispose()
    },
  }
}
