// `npm run mutants` shows what the tests do not notice; this, that it breaks the code in the ways that it should.
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mutantsOf } from '../bench/mutants/mutant.ts'
import { nearestTests } from '../bench/mutants/nearest-tests.ts'

const ROOT = join(import.meta.dirname, '..')
const ways = (text: string): readonly string[] => mutantsOf('one.ts', text).map(({ line, what }) => `${String(line)}: ${what}`)

describe('the ways to break a file', () => {
  it.each([
    ['a condition is turned round', 'if (a) b = 1n', ['1: a -> !(a)']],
    ['a bound is moved', 'x = a < b', ['1: < -> <=']],
    ['an equation is turned round', 'x = a === b', ['1: === -> !==']],
    ['and becomes or', 'x = a && b', ['1: && -> ||']],
    [
      'a number is one more, or a large one ten times as much',
      'const LIMIT: 7 = 5_000 * é[1]',
      ['1: * -> /', '1: 1 -> 2', '1: 5_000 -> 50000'],
    ],
    ['a call is left out, awaited or not', 'a()\nawait b.c()', ['1: a() -> ;', '2: await b.c() -> ;']],
    ['an early return is left out', 'const f = () => {\n  if (é) return\n}', ['2: if (é) return -> ;', '2: é -> !(é)']],
    ['a result is empty', "const f = () => { return [a] }; const g = () => { return 'é' }", ['1: [a] -> []', "1: 'é' -> ''"]],
    ['types are left alone', 'let a: 1 | 2; type B = { c: true }', []],
  ])('%s', (_what, text, expected) => {
    expect([...ways(text)].sort()).toEqual([...expected].sort())
  })

  it('leave code behind that can be parsed', () => {
    const files = globSync('packages/core/src/{scheduler,url}/*.ts', { cwd: ROOT })
    const mutants = files.flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')))

    expect(mutants.length).toBeGreaterThan(200)
    for (const { text } of mutants) expect(() => stripTypeScriptTypes(text)).not.toThrow()
  })

  it('are noticed by the tests that load the file, the nearest first', () => {
    const [first = '', ...others] = nearestTests('bench/mutants/mutant.ts')

    expect(first).toBe('test/mutants.stress.test.ts')
    expect(others).toEqual([])
  })
})
