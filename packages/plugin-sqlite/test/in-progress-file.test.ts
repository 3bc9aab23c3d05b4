// What stands beside a store where the pages in progress are written down, and cannot be removed.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'in-progress', hostKeying: 'host' }

function place(): string {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  return join(folder.path, 'store.db')
}

it('closes a store in good order when the file of pages in progress cannot be removed', async () => {
  const path = place()
  const frontier = sqlite(path)
  await frontier.open(SPEC, 0)
  mkdirSync(`${path}-in-progress-1`)

  await frontier.close()

  expect(existsSync(`${path}-wal`)).toBe(false)
  const reader = await openReader(path)
  expect(await reader.info()).toMatchObject({ liveProcesses: 0 })
  await reader.close()
})

it('opens a store when what a dead process had in progress cannot be removed', async () => {
  const path = place()
  const before = sqlite(path)
  await before.open(SPEC, 0)
  await before.close()
  const db = new Database(path)
  db.exec("INSERT INTO process (id, boot, namespace, pid, thread, started, heartbeat) VALUES (7, 'boot', 'here', 1, 0, '1', 0)")
  db.close()
  mkdirSync(`${path}-in-progress-7`)

  const frontier = sqlite(path)
  await frontier.open(SPEC, 1)

  expect(await frontier.reader.info()).toMatchObject({ liveProcesses: 1 })
  await frontier.close()
})
