// What is loaded when a program or the command starts: counted in modules, for a time says as much of the machine as of the program.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { modulesOf, modulesOfProgram } from './loaded-modules.ts'

const ROOT = join(import.meta.dirname, '..')

describe('the start', { timeout: 60_000 }, () => {
  it.each([['--version'], ['--help'], ['help']])('of avocet %s loads no core, and no command', async (word) => {
    const { loaded, printed } = await modulesOf([word])

    expect(printed).toMatch(word === '--version' ? /^\d+\.\d+\.\d+/ : /^avocet crawl https:/)
    expect(loaded.filter((path) => !/^packages\/(?:cli|project)\//.test(path))).toEqual([])
    expect(loaded.length).toBeLessThanOrEqual(14)
  })

  it('of a program that imports avocet takes at most 200 modules: what a configuration needs, its plugin, and a store in memory', async () => {
    const loaded = await modulesOfProgram("import 'avocet'")

    expect(loaded.length).toBeGreaterThan(50)
    expect(loaded.length).toBeLessThanOrEqual(200)
    expect(
      loaded.filter((path) => !/^packages\/(?:avocet|config|core|plugin-aimd|plugin-traps|store-memory)\/src\//.test(path)),
    ).toEqual([])
    const folders = new Set(loaded.map((path) => path.split('/')[3]))
    expect(folders).not.toContain('discovery')
  })

  it('of a process that supervises others loads no engine, no HTTP client, no parser of pages and no store', async () => {
    const loaded = await modulesOfProgram(`import '${ROOT}/packages/cli/src/crawl/crawl.ts'
      import '${ROOT}/packages/cli/src/crawl/crawl-in-processes.ts'`)

    expect(loaded).toContain('packages/cli/src/crawl/supervise-processes.ts')
    const late =
      /undici|cheerio|better-sqlite3|plugin-sqlite|plugin-postgres|crawl\/(engine|one-run|supervise-crawl|crawl-again|work)\.ts$/
    expect(loaded.filter((path) => late.test(path))).toEqual([])
  })

  it('of a crawl without sinks and login loads no delivery and no logins, and one with a fetcher of its own no HTTP client', async () => {
    const loaded = await modulesOfProgram(`import { crawl, spider } from 'avocet'
      const nowhere = {
        fetch: (outbound, receiver) => (queueMicrotask(() => receiver.failed({ code: 'AVO_ABORTED', message: '', blame: 'url', phase: 'queue' })), () => {}),
        close: async () => {},
      }
      const one = spider({ name: 'one', seeds: ['https://one.test/'], handlers: { *start() {} } })
      await crawl({ spider: one, policies: [], fetcher: nowhere, maxTimeMs: 50 }).run()`)

    expect(loaded.filter((path) => path.includes('node_modules/undici/'))).toEqual([])
    expect(loaded.filter((path) => /^packages\/(?:delivery|plugin-login|plugin-recrawl)\//.test(path))).toEqual([])
    expect(loaded).toContain('packages/core/src/crawl/engine.ts')
  })

  it('of a crawl that visits pages again loads the policy for that', async () => {
    const loaded = await modulesOfProgram(`import { crawl, spider } from 'avocet'
      const nowhere = { fetch: () => () => {}, close: async () => {} }
      const one = spider({ name: 'one', seeds: ['https://one.test/'], handlers: { *start() {} } })
      const config = { policies: [], fetcher: nowhere, maxTimeMs: 50, drainMs: 0, recrawl: [{ everyMs: 1_000 }] }
      await crawl({ spider: one, ...config }).run()`)

    expect(loaded).toContain('packages/plugin-recrawl/src/recrawl.ts')
  })

  it.each([
    ['has nothing to hide', `seeds: ['https://one.test/?q=1']`, '', false],
    ['hides a parameter', `seeds: ['https://one.test/']`, `secretParameters: ['token'],`, true],
    ['has a seed with a cookie', `seeds: [{ url: 'https://one.test/', headers: { Cookie: 'sid=1' } }]`, '', true],
    ['has a seed with another header field', `seeds: [{ url: 'https://one.test/', headers: { Accept: '*/*' } }]`, '', false],
  ])('of a crawl that %s loads what hides it, or not', async (_what, seeds, config, isLoaded) => {
    const loaded = await modulesOfProgram(`import { crawl, spider } from 'avocet'
      const nowhere = {
        fetch: (outbound, receiver) => (queueMicrotask(() => receiver.failed({ code: 'AVO_ABORTED', message: '', blame: 'url', phase: 'queue' })), () => {}),
        close: async () => {},
      }
      const one = spider({ name: 'one', ${seeds}, handlers: { *start() {} } })
      await crawl({ spider: one, policies: [], fetcher: nowhere, maxTimeMs: 50, ${config} }).run()`)

    expect(loaded.some((path) => path.startsWith('packages/plugin-secrets/'))).toBe(isLoaded)
  })
})
