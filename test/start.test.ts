// What is loaded when a program or the command starts: counted in modules, for a time says as much of the machine as of the program.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const COMMAND = join(ROOT, 'packages/cli/bin/avocet.js')
/** Tells every module that the process loads, whoever imports or requires it, after what it prints itself. */
const COUNTING = `import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({ load: (url, context, next) => (url.startsWith('node:') || loaded.push(url), next(url, context)) })
  process.on('exit', () => console.log('\\nloaded ' + loaded.join('\\nloaded ')))`

/** Paths from the root, of what a Node process with these arguments loads; and what it printed. */
function modulesOf(...words: string[]): { readonly loaded: readonly string[]; readonly printed: string } {
  const flags = ['--conditions=@avocet/source', '--import', `data:text/javascript,${encodeURIComponent(COUNTING)}`]
  const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, ...words], { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`expected exit code 0, got ${status}: ${stderr}`)
  const [printed = '', ...loaded] = stdout.split('\nloaded ')
  return { printed, loaded: loaded.map((url) => url.trim().replace(`${pathToFileURL(ROOT).href}/`, '')) }
}

/** What a program that consists of `code` loads. */
function modulesOfProgram(code: string): readonly string[] {
  return modulesOf('--input-type=module', '--eval', code).loaded.filter((path) => path.includes('/'))
}

describe('the start', { timeout: 60_000 }, () => {
  it.each([['--version'], ['--help'], ['help']])('of avocet %s loads no core, and no command', (word) => {
    const { loaded, printed } = modulesOf(COMMAND, word)

    expect(printed).toMatch(word === '--version' ? /^\d+\.\d+\.\d+/ : /^avocet crawl https:/)
    expect(loaded.filter((path) => !path.startsWith('packages/cli/'))).toEqual([])
    expect(loaded.length).toBeLessThanOrEqual(10)
  })

  it('of a program that imports core takes at most 135 modules: what a configuration needs', () => {
    const loaded = modulesOfProgram("import '@avocet/core'")

    expect(loaded.length).toBeGreaterThan(50)
    expect(loaded.length).toBeLessThanOrEqual(135)
    expect(loaded.filter((path) => !path.startsWith('packages/core/src/'))).toEqual([])
    const folders = new Set(loaded.map((path) => path.split('/')[3]))
    for (const late of ['html', 'offers', 'discovery', 'secret-renewal', 'waiting-links']) expect(folders).not.toContain(late)
  })

  it('of a process that supervises others loads no engine, no HTTP client, no parser of pages and no store', () => {
    const loaded = modulesOfProgram(`import '${ROOT}/packages/cli/src/crawl/crawl.ts'
      import '${ROOT}/packages/cli/src/crawl/crawl-in-processes.ts'`)

    expect(loaded).toContain('packages/cli/src/crawl/supervise-processes.ts')
    const late =
      /undici|cheerio|better-sqlite3|plugin-sqlite|plugin-postgres|crawl\/(engine|one-run|supervise-crawl|crawl-again|work)\.ts$/
    expect(loaded.filter((path) => late.test(path) && !path.endsWith('/http/undici-fetcher.ts'))).toEqual([])
  })

  it('of a crawl without sinks loads no delivery, and one with a fetcher of its own no HTTP client', () => {
    const loaded = modulesOfProgram(`import { crawl, memoryFrontier, spider } from '@avocet/core'
      const nowhere = {
        fetch: (outbound, receiver) => (queueMicrotask(() => receiver.failed({ code: 'AVO_ABORTED', message: '', blame: 'url', phase: 'queue' })), () => {}),
        close: async () => {},
      }
      const one = spider({ name: 'one', seeds: ['https://one.test/'], handlers: { *start() {} } })
      await crawl({ spider: one, policies: [], fetcher: nowhere, maxTimeMs: 50 }).run()`)

    expect(loaded.filter((path) => path.includes('node_modules/undici/'))).toEqual([])
    expect(loaded.filter((path) => path.endsWith('/sinks/delivery.ts'))).toEqual([])
    expect(loaded).toContain('packages/core/src/crawl/engine.ts')
  })
})
