// Breaks the code in each way of the list, one at a time, and runs the tests that should notice: `npm run mutants [-- --only TEXT] [--json]`.
//
// First the tests as they are: where they fail already nothing is proven. Then each mutant; two processes work side by side, and the working tree
// stays as it is. Fails unless each is caught. --only: mutants whose name or file contains the text. --parallel: processes.
// Not Stryker: it breaks every operator of a file, has to be told of most survivors why they do not matter, and takes hours on two cores.
import { MUTANTS } from './list.ts'
import { mutated, type Mutant } from './mutant.ts'
import type { Outcome } from './test-process.ts'
import { TestRuns } from './test-runs.ts'
import { toldOptions } from '../told-options.ts'

const WORDS = { passed: 'SURVIVED', failed: 'caught', 'timed-out': 'timeout', broken: 'BROKEN' } as const
/** All test files together, on a busy machine. */
const BASELINE_MS = 1_200_000

const { values } = toldOptions('mutants', {
  options: {
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    parallel: { type: 'string', default: '2' },
  },
})

type Caught = Extract<Mutant, { caughtBy: unknown }>

const parallel = Number(values.parallel)
if (!Number.isInteger(parallel) || parallel < 1)
  throw new Error(`expected a whole number of processes for --parallel, got ${values.parallel}`)
const { only } = values
const chosen = MUTANTS.filter(({ name, file }) => only === undefined || name.includes(only) || file.includes(only))
if (chosen.length === 0) throw new Error(`expected --only to be part of a mutant's name or file, got ${JSON.stringify(only)}`)
for (const mutant of chosen) mutated(mutant)
const mutants = chosen.filter((mutant) => 'caughtBy' in mutant)

const startedAt = performance.now()
await baseline([...new Set(mutants.flatMap(({ caughtBy }) => caughtBy))])
const results: { readonly mutant: Caught; readonly outcome: Outcome }[] = []
const queue = [...mutants]
await Promise.all(Array.from({ length: parallel }, work))
tell()

/** Ends the process where tests fail with nothing broken. */
async function baseline(files: readonly string[]): Promise<void> {
  if (files.length === 0) return
  say(`${String(files.length)} test files as they are`)
  const runs = new TestRuns()
  const outcome = await runs.run({ files }, BASELINE_MS)
  runs.close()
  if (outcome.kind === 'passed') return
  console.error(
    `expected the tests to pass with nothing broken, got ${outcome.kind} (${outcome.file}: ${outcome.by}); repair these first`,
  )
  process.exit(2)
}

async function work(): Promise<void> {
  const runs = new TestRuns()
  try {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const outcome = await runs.run({ files: mutant.caughtBy, mutant: mutant.name })
      results.push({ mutant, outcome })
      const by = outcome.kind === 'passed' ? mutant.file : `<- ${outcome.by}`
      say(`${String(results.length)}/${String(mutants.length)} ${WORDS[outcome.kind]} ${mutant.name} ${by}`)
    }
  } finally {
    runs.close()
  }
}

function tell(): void {
  const of = (kind: Outcome['kind']): number => results.filter(({ outcome }) => outcome.kind === kind).length
  const timedOut = of('timed-out')
  const caught = of('failed') + timedOut
  const harmless = chosen.length - mutants.length
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  process.exitCode = caught === mutants.length ? 0 : 1
  if (values.json) {
    const rows = results.map(({ mutant: { name, file }, outcome }) => ({ name, ...outcome, file }))
    console.log(JSON.stringify({ schema: 1, caught, of: mutants.length, timedOut, harmless, seconds, rows }, undefined, 2))
    return
  }
  console.log(
    `${String(caught)} of ${String(mutants.length)} caught, ${String(timedOut)} of them by a timeout; ${String(harmless)} cannot matter; ${String(seconds)} s`,
  )
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
