// The tests of the whole workspace, straight from the sources: no test ever sees a stale build. A file says by the end of its name which project it is in.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const ROOTS = ['packages/*/test', 'examples/*/test', 'stress/test', 'test']

/** By the end of a file's name: `x.process.test.ts`. A contract may be called that alone: `contract.test.ts`. */
const KINDS = {
  contracts: '*contract.test.ts',
  smoke: '*.smoke.test.ts',
  process: '*.process.test.ts',
  postgres: '*.postgres.test.ts',
  browser: '*.browser.test.ts',
  docs: '*.docs.test.ts',
  stress: '*.stress.test.ts',
} as const

/** Each file starts several processes, or computes: run last, fewer at once, so that what they measure in real time is not late. */
const BUSY: ReadonlySet<string> = new Set(['process', 'browser', 'docs', 'stress'])

/** Vite replaces what Node has: for tests of a system that lacks something. */
const MOCKED = '*.mocked.test.ts'
const conditions = ['@avocet/source', 'node', 'default']

const within = (pattern: string): string[] => ROOTS.map((root) => `${root}/**/${pattern}`)

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: within('*.test.ts'), exclude: [...Object.values(KINDS), MOCKED].flatMap(within) },
      },
      {
        extends: true,
        resolve: { conditions },
        ssr: { resolve: { conditions } },
        test: { name: 'mocked', include: within(MOCKED), experimental: { viteModuleRunner: true }, isolate: true },
      },
      ...Object.entries(KINDS).map(([name, pattern]) => {
        const few = BUSY.has(name) ? { maxWorkers: '150%', sequence: { groupOrder: 1 } } : {}
        const globalSetup = name === 'postgres' ? ['test/postgres-of-run.ts'] : []
        return { extends: true as const, test: { name, include: within(pattern), globalSetup, ...few } }
      }),
    ],
    setupFiles: ['test/called-directly.ts'],
    // Node runs the sources as they are, and a worker imports each of them once for all of its files: importing was a third of the time of a run. A test file
    // leaves the process as it found it: environment, listeners, timers.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    isolate: false,
    execArgv: ['--conditions=@avocet/source'],
    // Limits of what hangs: on a busy machine a test takes five times as long as alone.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // Most files wait for servers, clocks and processes: three at once kept 0.9 of 2 cores busy.
    maxWorkers: Math.ceil(1.5 * availableParallelism()) + 2,
    // Processes are started from the sources; compiling these anew takes half the time of each.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node-compile') },
  },
})
