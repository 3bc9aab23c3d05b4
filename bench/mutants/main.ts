// Breaks the code, one place at a time, and runs the tests that are nearest to it: `npm run mutants -- --only packages/core/src/hosts --sample 20 --seed 1`.
//
// The ways are read from the syntax tree, a sample of them is drawn by the seed. Files are broken as they are loaded: the working tree stays as it is. First the
// tests as they are: where these fail nothing is proven. Whoever survives is listed with its place: a test is missing, or code that does nothing. Exit code 1.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shuffled } from '@avocet/simulator'
import { toldOptions } from '../told-options.ts'
import { mutantsOf, type Mutant } from './mutant.ts'
import { nearestTests } from './nearest-tests.ts'
import { testRun, type Outcome } from './test-run.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const { values } = toldOptions('mutants', {
  options: {
    /** Part of a path. */
    only: { type: 'string', default: 'packages/core/src' },
    sample: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    /** How many test files, of those that load the broken one. */
    tests: { type: 'string', default: '12' },
    json: { type: 'boolean', default: false },
  },
})

const files = globSync('packages/*/src/**/*.ts', { cwd: ROOT }).filter((path) => path.includes(values.only))
const all = files.sort().flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')))
const mutants = shuffled(all, values.seed).slice(0, Number(values.sample))
if (mutants.length === 0) throw new Error(`expected --only to be part of the path of a source file, got ${values.only}`)
console.error(`${String(mutants.length)} of ${String(all.length)} ways to break ${String(files.length)} files`)

const results = await outcomes(mutants)
const survivors = results.filter(({ outcome }) => outcome === 'survived').length
process.exitCode = survivors === 0 ? 0 : 1
const rows = results.map(({ mutant: { file, line, what }, outcome }) => ({ file, line, what, outcome }))
if (values.json) console.log(JSON.stringify({ schema: 1, survivors, rows }, undefined, 2))
else console.log(`${String(survivors)} of ${String(results.length)} survived; seed ${values.seed}`)

async function outcomes(chosen: readonly Mutant[]): Promise<readonly { readonly mutant: Mutant; readonly outcome: Outcome }[]> {
  const testsOf = new Map([...new Set(chosen.map(({ file }) => file))].map((file) => [file, testFilesOf(file)]))
  const whole = await testRun([...new Set([...testsOf.values()].flat())])
  if (whole !== 'survived') throw new Error(`expected the tests to pass with nothing broken, got ${whole}; repair these first`)
  const found: { mutant: Mutant; outcome: Outcome }[] = []
  for (const mutant of chosen) {
    const outcome = await testRun(testsOf.get(mutant.file) ?? [], mutant)
    found.push({ mutant, outcome })
    console.error(`${outcome.padEnd(8)}  ${mutant.file}:${String(mutant.line)}  ${mutant.what}`)
  }
  return found
}

function testFilesOf(file: string): readonly string[] {
  return nearestTests(file).slice(0, Number(values.tests))
}
