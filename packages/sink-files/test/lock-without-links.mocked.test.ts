// The lock of an output on a file system that has no links, such as exFAT.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readLockFile, takeLockFile } from '../src/lock-file.ts'

vi.mock('node:fs/promises', async (original) => ({
  ...(await original<Record<string, unknown>>()),
  link: () => Promise.reject(Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' })),
}))

let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'avocet-lock-'))))
afterEach(() => rmSync(folder, { recursive: true }))

it('is taken by one of two processes, and holds what that one wrote', async () => {
  const path = join(folder, 'teas.jsonl.lock')
  const isDead = (): Promise<boolean> => Promise.resolve(false)

  expect(await takeLockFile({ path, text: '1 111 crawl', isDead })).toBeUndefined()
  expect(await takeLockFile({ path, text: '2 222 crawl', isDead })).toBe('1 111 crawl')

  expect(await readLockFile(path)).toBe('1 111 crawl')
  expect(readdirSync(folder)).toEqual(['teas.jsonl.lock'])
})
