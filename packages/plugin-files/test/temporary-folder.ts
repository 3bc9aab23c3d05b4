// A folder of one test, and what is in it.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Its path; removed when the test has finished. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'avocet-files-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Paths of all files below `folder`, sorted. */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()
}
