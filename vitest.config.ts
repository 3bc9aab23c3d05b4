// One test run for the whole workspace, straight from the sources: no test ever sees a stale build.
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts', 'stress/test/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/called-directly.ts'],
    // Node runs the sources as they are, and a worker imports each of them once for all of its files: importing was a third of the time of a run. A test file
    // leaves the process as it found it: environment, listeners, timers.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    isolate: false,
    execArgv: ['--conditions=@avocet/source'],
    // Limits of what hangs: on a busy machine a test takes five times as long as alone.
    testTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    // Many files wait for processes that they start, so a core for vitest itself would be idle.
    maxWorkers: '100%',
    // Processes are started from the sources; compiling these anew takes half the time of each.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node-compile') },
  },
})
