// Counts what a process loads: in modules, for a time says as much of the machine as of the program.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '..')
const SOURCES = ['--conditions=@avocet/source']
/** Tells every module that the process loads, whoever imports or requires it, after what it prints itself. */
const COUNTING = `import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({ load: (url, context, next) => (url.startsWith('node:') || loaded.push(url), next(url, context)) })
  process.on('exit', () => console.log('\\nloaded ' + loaded.join('\\nloaded ')))`

interface Loaded {
  /** Paths from the root of the repository. */
  readonly loaded: readonly string[]
  readonly printed: string
}

/** What `avocet` loads with these words, in an empty folder: from the sources, or as it is in `tree` (scripts/published.ts). */
export async function modulesOf(words: readonly string[], tree?: string): Promise<Loaded> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-loaded-'))
  const command = join(tree ?? ROOT, 'packages/cli/bin/avocet.js')
  try {
    return await run([...(tree === undefined ? SOURCES : []), command, ...words], folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What a program that consists of `code` loads, but for itself. */
export async function modulesOfProgram(code: string): Promise<readonly string[]> {
  const { loaded } = await run([...SOURCES, '--input-type=module', '--eval', code], ROOT)
  return loaded.filter((path) => path.includes('/'))
}

async function run(words: readonly string[], cwd: string): Promise<Loaded> {
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(COUNTING)}`]
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, ...words], { cwd })
  const [printed = '', ...loaded] = stdout.split('\nloaded ')
  return { printed, loaded: loaded.map((url) => url.trim().replace(`${pathToFileURL(ROOT).href}/`, '')) }
}
