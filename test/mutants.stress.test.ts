// The list of mutants follows the code: `npm run mutants` shows that the tests notice each of them, this that each can still be made.
import { existsSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MUTANTS } from '../bench/mutants/list.ts'
import { mutated, ROOT, type Mutant } from '../bench/mutants/mutant.ts'

function problemOf(mutant: Mutant): string | undefined {
  try {
    stripTypeScriptTypes(mutated(mutant))
    return undefined
  } catch (error) {
    return `${mutant.name}: ${String(error)}`
  }
}

describe('the list of mutants', () => {
  it('breaks the code in at least 100 ways that tests notice, each with a name of its own', () => {
    expect(MUTANTS.filter((mutant) => 'caughtBy' in mutant).length).toBeGreaterThanOrEqual(100)
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length)
  })

  it('finds each text once in its file, and leaves code behind that can be parsed', () => {
    expect(MUTANTS.map(problemOf).filter((problem) => problem !== undefined)).toEqual([])
  })

  it('names test files that exist, or says why a mutant cannot matter', () => {
    const missing = MUTANTS.flatMap((mutant) => ('caughtBy' in mutant ? mutant.caughtBy : [])).filter(
      (file) => !existsSync(join(ROOT, file)),
    )
    const silent = MUTANTS.filter((mutant) => ('caughtBy' in mutant ? mutant.caughtBy.length === 0 : mutant.harmless === ''))
    expect([...missing, ...silent.map(({ name }) => name)]).toEqual([])
  })
})
