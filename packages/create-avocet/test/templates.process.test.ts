// What the templates hold compiles, their tsconfig refuses what Node does, and the plugin is short.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeBlocks, ROOT } from '../../../test/documents/code-blocks.ts'
import { sandbox } from '../../../test/documents/sandbox.ts'
import { TEMPLATE_NAMES } from '../src/project-files.ts'
import { emptyPlace } from './surroundings.ts'

const OWN = join(ROOT, 'packages/create-avocet/templates')

describe('templates', () => {
  it('compile, each of them', { timeout: 60_000 }, async () => {
    using place = emptyPlace()
    using compiled = sandbox()
    for (const template of TEMPLATE_NAMES) {
      place.create([template, '--template', template])
      for (const path of place.files(template).filter((name) => name.endsWith('.ts')))
        compiled.write(`${template}/${path}`, readFileSync(join(place.folder, template, path), 'utf8'))
    }

    expect(await compiled.typeErrors()).toEqual([])
  })

  it('have a tsconfig that says no to what Node does not run', { timeout: 60_000 }, async () => {
    using place = emptyPlace()
    place.create(['birds'])
    symlinkSync(join(ROOT, 'node_modules'), join(place.folder, 'birds/node_modules'))
    const wrong = [
      'export enum Colour { Red }',
      'export class Bird { constructor(readonly name: string) {} }',
      "import { Article } from '../spiders/articles.ts'\nexport type A = Article",
    ]

    wrong.forEach((text, n) => writeFileSync(join(place.folder, `birds/spiders/wrong-${String(n)}.ts`), text))
    const said = errorsOf([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(place.folder, 'birds')])

    expect(said).toContain('wrong-0.ts(1,13): error TS1294')
    expect(said).toContain('wrong-1.ts(1,33): error TS1294')
    expect(said).toContain('wrong-2.ts(1,10): error TS1484')
  })

  it('hold a plugin of at most 15 lines of the author, its law included', () => {
    const author = ['plugins/__name__.ts', 'plugins/__name__-law.ts']
      .flatMap((path) => readFileSync(join(OWN, '_plugin', path), 'utf8').split('\n'))
      // Comments and imports are not counted.
      .filter((line) => !/^\s*(?:\/\/|\/\*\*|import |$)/.test(line))

    expect(author.length).toBeLessThanOrEqual(15)
  })
})

describe('READMEs of the packages', () => {
  const packages = globSync('packages/*', { cwd: ROOT }).sort()

  it('are there, and lead home', () => {
    for (const path of packages) expect(readFileSync(join(ROOT, path, 'README.md'), 'utf8'), path).toContain('](../../README.md)')
  })

  it('have examples that compile', { timeout: 60_000 }, async () => {
    using place = sandbox()
    const blocks = packages.flatMap((path) => codeBlocks(`${path}/README.md`)).filter(({ language }) => language === 'ts')
    blocks.forEach(({ code }, n) => place.write(`block-${String(n)}.ts`, code))

    expect(blocks.length).toBeGreaterThan(10)
    expect(await place.typeErrors()).toEqual([])
  })
})

/** What the compiler says; nothing when all is well. */
function errorsOf(words: readonly string[]): string {
  try {
    return execFileSync(process.execPath, [...words, '--pretty', 'false'], { encoding: 'utf8' })
  } catch (error) {
    return String((error as { stdout: unknown }).stdout)
  }
}
