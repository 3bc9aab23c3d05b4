// A process that runs test files again and again, each time with one file broken. Started by test-runs.ts; jobs come as messages, results go back.
//
// One vitest for all runs: what it has read of the other files it keeps, so that a run of a small file takes a second. The broken file is broken
// as it is loaded, never on disk, and is kept from vitest's own cache of files: the next run would find it there.
import { join } from 'node:path'
import { createVitest, type TestModule, type VitestPluginContext } from 'vitest/node'
import { MUTANTS } from './list.ts'
import { mutated, ROOT, type Mutant } from './mutant.ts'

/** Test files, from the root, and the name of what is broken. */
export interface Job {
  readonly files: readonly string[]
  readonly mutant?: string
}

/** `broken`: the mutant is no code that could have been written, so its failure proves nothing. */
export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed' | 'timed-out' | 'broken'; readonly by: string; readonly file: string }

let current: Mutant | undefined
const isCurrent = (id: string): boolean => current !== undefined && id === join(ROOT, current.file)

// Without 'import': these reach Node, and so 'require' of packages that are both (pg-pool), too. Without 'module': Node has no such condition.
const conditions = ['@avocet/source', 'node', 'default']

const vitest = await createVitest(
  'test',
  {
    // Its own: there Node reads the sources, and here one of them is broken as Vite loads it.
    config: false,
    root: ROOT,
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/called-directly.ts'],
    execArgv: ['--conditions=@avocet/source'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    watch: false,
    bail: 1,
    maxWorkers: 1,
    reporters: [{}],
  },
  {
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    server: { watch: null },
    plugins: [
      {
        name: 'avocet-mutant',
        enforce: 'pre',
        load: (id: string) => (current !== undefined && isCurrent(id) ? mutated(current) : undefined),
        configureVitest({ defineCacheKeyGenerator }: VitestPluginContext) {
          defineCacheKeyGenerator(({ id }) => (isCurrent(id) ? false : undefined))
        },
      },
    ],
  },
)
await vitest.standalone()
process.on('message', (job: Job) => void run(job).then((outcome) => process.send?.(outcome)))
process.on('disconnect', () => void vitest.exit())
process.send?.('ready')

async function run({ files, mutant }: Job): Promise<Outcome> {
  if (current !== undefined) vitest.invalidateFile(join(ROOT, current.file))
  current = MUTANTS.find(({ name }) => name === mutant)
  if (current !== undefined) vitest.invalidateFile(join(ROOT, current.file))
  // It counts the failures of all runs, and would end the next one before it began.
  vitest.state.filesMap.clear()
  const found = await vitest.globTestSpecifications([...files])
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    found.filter(({ moduleId }) => files.includes(pathOf(moduleId))),
  )
  const failure = testModules.map(failureIn).find((each) => each !== undefined)
  if (failure !== undefined) return failure
  if (unhandledErrors.length > 0) return { kind: 'failed', by: `outside of all tests: ${String(unhandledErrors[0])}`, file: '' }
  if (testModules.length < files.length)
    throw new Error(`expected ${files.join(', ')} to be test files, got ${String(testModules.length)}`)
  return { kind: 'passed' }
}

/** The first failure in a test file. */
function failureIn(module: TestModule): Outcome | undefined {
  const [failed] = module.children.allTests('failed')
  const [error] = failed?.result().errors ?? module.errors()
  if (failed === undefined && error === undefined) return undefined
  const message = error?.message ?? ''
  const known = { by: failed?.fullName ?? `the file itself: ${message}`, file: pathOf(module.moduleId) }
  if (error?.name === 'ReferenceError' || error?.name === 'SyntaxError') return { kind: 'broken', ...known }
  return { kind: message.includes('timed out in') ? 'timed-out' : 'failed', ...known }
}

function pathOf(moduleId: string): string {
  return moduleId.slice(ROOT.length + 1)
}
