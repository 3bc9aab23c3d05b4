// Stores of another version are refused.
import { join } from 'node:path'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'teas', hostKeying: 'host' }

let path: string

beforeEach(async () => {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  path = join(folder.path, 'teas.db')
  const frontier = sqlite(path)
  await frontier.open(SPEC, 10_000)
  await frontier.close()
})

describe('a store of another version', () => {
  it.each([0, 1, 9])('as %i, is refused in one line that says what came and what to do', async (version) => {
    new Database(path).exec(`PRAGMA user_version = ${version}`).close()
    const refused = {
      code: 'AVO_FRONTIER_VERSION',
      message: `${path}: expected a store of version 2, got version ${version}; use the Avocet that made it, or start over`,
    }

    await expect(sqlite(path).open(SPEC, 20_000)).rejects.toMatchObject(refused)
    await expect(openReader(path)).rejects.toMatchObject(refused)
  })
})
