// One test run for the whole workspace, straight from the sources: no test ever sees a stale build.
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Without 'import': these reach Node, and so 'require' of packages that are both (pg-pool), too. Vite adds what an import needs. Without 'module': Node has no
// such condition, and what is behind it is for bundlers (@opentelemetry/api).
const conditions = ['@avocet/source', 'node', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts', 'stress/test/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/called-directly.ts'],
    // Limits of what hangs: on a busy machine a test takes five times as long as alone.
    testTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    // Many files wait for processes that they start, so a core for vitest itself would be idle.
    maxWorkers: '100%',
    // Hundreds of processes are started from the sources; compiling these anew takes half the time of each.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node-compile') },
  },
})
