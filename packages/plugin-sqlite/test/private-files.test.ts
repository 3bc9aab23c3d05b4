// Who may read a store and what lies beside it, and where its files are written.
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { sqlite } from '@avocet/plugin-sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { InProgressFile, inProgressOf } from '@avocet/store-sql'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'private', hostKeying: 'host' }

function folder(): string {
  const { path, dispose } = temporaryFolder()
  onTestFinished(dispose)
  return path
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

describe('a store', () => {
  it('can be read by its owner alone, with its companions and its folders, whatever the umask', async () => {
    const before = process.umask(0)
    onTestFinished(() => void process.umask(before))
    const root = folder()
    const path = join(root, 'a/b/store.db')

    const frontier = sqlite(path)
    await frontier.open(SPEC, 0)
    await frontier.inProgress([1])

    const names = readdirSync(join(root, 'a/b'))
    expect(names).toEqual(
      expect.arrayContaining(['store.db', 'store.db-shm', 'store.db-wal', expect.stringContaining('-in-progress-')]),
    )
    expect(new Set(names.map((name) => modeOf(join(root, 'a/b', name))))).toEqual(new Set(['600']))
    expect([modeOf(join(root, 'a')), modeOf(join(root, 'a/b'))]).toEqual(['700', '700'])
    await frontier.close()
  })

  it('keeps the mode that its owner gave it', async () => {
    const path = join(folder(), 'store.db')
    writeFileSync(path, '')
    chmodSync(path, 0o640)

    const frontier = sqlite(path)
    await frontier.open(SPEC, 0)

    expect([modeOf(path), modeOf(`${path}-wal`)]).toEqual(['640', '640'])
    await frontier.close()
  })
})

describe('the file of pages in progress', () => {
  it('follows no symbolic link', () => {
    const [path, victim] = [join(folder(), 'store.db'), join(folder(), 'victim')]
    writeFileSync(victim, 'precious')
    symlinkSync(victim, `${path}-in-progress-1`)

    const file = new InProgressFile(path, 1)
    file.write([7, 8])

    expect(readFileSync(victim, 'utf8')).toBe('precious')
    expect(lstatSync(`${path}-in-progress-1`).isFile()).toBe(true)
    expect(inProgressOf(path, 1)).toEqual([7, 8])
    file.close()
    expect(existsSync(`${path}-in-progress-1`)).toBe(false)
  })

  it('is read neither through a link nor beyond what it can hold', () => {
    const [path, other] = [join(folder(), 'store.db'), join(folder(), 'other')]
    const bytes = Buffer.alloc(8 * 5_000)
    bytes.writeDoubleLE(4_999, 0)
    writeFileSync(other, bytes)
    symlinkSync(other, `${path}-in-progress-1`)
    writeFileSync(`${path}-in-progress-2`, bytes)

    expect(inProgressOf(path, 1)).toEqual([])
    expect(inProgressOf(path, 2)).toHaveLength(1_000)
  })
  it.runIf(process.getuid?.() === 0)('is not read if another user has put it there', () => {
    const path = join(folder(), 'store.db')
    const file = new InProgressFile(path, 1)
    file.write([7])
    expect(inProgressOf(path, 1)).toEqual([7])

    chownSync(`${path}-in-progress-1`, 65_534, 65_534)

    expect(inProgressOf(path, 1)).toEqual([])
    file.close()
  })
})
