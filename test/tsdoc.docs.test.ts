// Compiles every example that stands in a doc comment of the packages: what a hover shows must work.
import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { docExamples, ROOT } from './documents/code-blocks.ts'
import { checkedModule, exampleModule } from './documents/example-module.ts'
import { sandbox } from './documents/sandbox.ts'

const examples = globSync('packages/*/src/**/*.ts', { cwd: ROOT })
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
  .flatMap((path) => docExamples(path))
  .filter(({ language }) => language === 'ts')

describe('doc comments', () => {
  it('have examples', () => {
    expect(examples.length).toBeGreaterThan(30)
  })

  it('have examples that compile', async () => {
    using place = sandbox()
    for (const example of examples) place.write(nameOf(example), exampleModule(example))

    expect(await place.typeErrors()).toEqual([])
  })

  it('have examples that give what they say', async () => {
    using place = sandbox()
    const checked = examples.flatMap((example) => {
      const module = checkedModule(example)
      return module === undefined ? [] : [{ name: nameOf(example), module }]
    })
    for (const { name, module } of checked) place.write(name, module)
    place.write('all.ts', checked.map(({ name }) => `await import('./${name}')`).join('\n'))

    expect(checked.length).toBeGreaterThan(10)
    expect(await place.run('all.ts')).toBe('')
  })
})

/** `packages/core/src/laws/retry-after.ts` becomes `core-retry-after-12.ts`. */
function nameOf({ path, line }: { path: string; line: number }): string {
  return path
    .replace('packages/', '')
    .replace('/src/', '/')
    .replaceAll('/', '-')
    .replace('.ts', `-${String(line)}.ts`)
}
