// Modules that a test writes, changes and has imported again, as another process would.
import { statSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const WRITTEN_BY_TESTS = `${pathToFileURL(tmpdir()).href}/`
/** The clone may be in that folder as well: two copies of a package would not know each other's classes. */
const OURS = `${pathToFileURL(join(import.meta.dirname, '../../..')).href}/`

/** What was imported since the last change: by URL, when it was written. */
const imported = new Map<string, bigint | undefined>()
/** Before that, so that its URL is taken. */
const earlier = new Set<string>()
let changes = 0
let isOn = false

/**
 * From now on modules in the folder for temporary files are imported anew if one of them has changed since: one that has not may import one that has.
 * `?reload=`: as `avocet shell` does, so that errors name the file.
 */
export function importAnew(): void {
  if (!isOn) readTemporaryFilesAnew()
  isOn = true
  if ([...imported].every(([url, writtenAt]) => writtenAtOf(url) === writtenAt)) return
  changes += 1
  for (const url of imported.keys()) earlier.add(url)
  imported.clear()
}

function readTemporaryFilesAnew(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      const url = found.url.replace(/\?reload=.*/, '')
      if (!url.startsWith(WRITTEN_BY_TESTS) || url.startsWith(OURS) || url.includes('?') || url.includes('/node_modules/'))
        return found
      imported.set(url, writtenAtOf(url))
      return !earlier.has(url) || url !== found.url ? found : { ...found, url: `${url}?reload=${changes}` }
    },
  })
}

/** Undefined for what is no more. */
function writtenAtOf(url: string): bigint | undefined {
  return statSync(fileURLToPath(url), { bigint: true, throwIfNoEntry: false })?.mtimeNs
}
