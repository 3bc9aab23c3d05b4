// One run of some test files with one file broken: whether a test notices.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Mutant } from './mutant.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
const BREAKS = pathToFileURL(join(import.meta.dirname, 'broken-file.ts')).href
/** No run takes so long unless it hangs, or loops. */
const LONGEST_MS = 180_000

/** What came of it. */
export type Outcome = 'survived' | 'caught' | 'timeout'

/** Runs test files until the first test fails: with nothing broken, or with `mutant`. */
export async function testRun(files: readonly string[], mutant?: Mutant): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-mutant-'))
  const path = join(folder, 'mutant.json')
  if (mutant !== undefined)
    writeFileSync(path, JSON.stringify({ url: pathToFileURL(join(ROOT, mutant.file)).href, text: mutant.text }))
  // A group of its own: what loops is in a process that vitest started.
  const child = spawn(process.execPath, [VITEST, 'run', '--bail', '1', '--reporter', 'dot', ...files], {
    cwd: ROOT,
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, NODE_OPTIONS: `--import ${BREAKS}`, ...(mutant !== undefined && { AVOCET_MUTANT: path }) },
  })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, LONGEST_MS)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(timer)
  rmSync(folder, { recursive: true, force: true })
  if (isLate) return 'timeout'
  return code === 0 ? 'survived' : 'caught'
}
