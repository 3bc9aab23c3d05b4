// What is on the disk when a promise resolves, seen in the system calls of a real process. Where nobody can watch those, nothing is seen.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './stores.ts'

const canWatch = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0

/** How many times something was forced to disk, by what was being done. */
function syncsOf(level: 'full' | 'normal'): Record<string, number> {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  const child = [
    process.execPath,
    '--conditions=@avocet/source',
    join(import.meta.dirname, 'sync-child.ts'),
    join(folder.path, 's.db'),
    level,
  ]
  const { stderr } = spawnSync('strace', ['-f', '-e', 'trace=write,fsync,fdatasync', ...child], { encoding: 'utf8' })
  const syncs: Record<string, number> = {}
  let doing = 'open'
  for (const line of stderr.split('\n')) {
    doing = /write\(2, "begin (\w+)/.exec(line)?.[1] ?? doing
    if (/(fsync|fdatasync)\(/.test(line)) syncs[doing] = (syncs[doing] ?? 0) + 1
  }
  return syncs
}

describe.skipIf(!canWatch)('what was promised, when the power goes', () => {
  it('is on the disk with FULL', { timeout: 60_000 }, () => {
    const { add = 0, mark = 0 } = syncsOf('full')

    expect(add).toBeGreaterThan(0)
    expect(mark).toBeGreaterThan(0)
  })

  it('is on the disk with NORMAL too where a file depends on it: how far an output is written', { timeout: 60_000 }, () => {
    const { add = 0, mark = 0 } = syncsOf('normal')

    expect(add).toBe(0)
    expect(mark).toBeGreaterThan(0)
  })
})
