// Takes the documentation at its word: its TypeScript compiles, its links lead somewhere, and what is generated is what the code says.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { siteModel, type ModelSpec } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { headingSlug } from '../scripts/docs-index.ts'
import { referencePages } from '../scripts/reference.ts'
import { codeBlocks, ROOT } from './documents/code-blocks.ts'
import { checkedText } from './documents/example-module.ts'
import { missingLine, readerSteps, replacementsOf, typed } from './documents/reader-steps.ts'
import { sandbox } from './documents/sandbox.ts'

const PAGES = globSync('docs/**/*.md', { cwd: ROOT })

/** Everything with links into the pages. */
const DOCUMENTS = [...PAGES, ...globSync('{*,packages/*/*,examples/*/*}.md', { cwd: ROOT })]

/** What pages may import without showing it: everyone has a spider by then. */
const SPIDER = `import { spider } from 'avocet'
export default spider({ name: 'titles', seeds: ['https://shop.example/'], handlers: { *start(page) { yield { title: page.title } } } })
`

/** Tests of examples that their pages do not show, in a folder for each page. */
const FIXTURES = join(ROOT, 'test/documents/fixtures')

/** Straight from the packages' sources. */
const VITEST_CONFIG = `const conditions = ['@avocet/source', 'node', 'import', 'default']
export default { resolve: { conditions }, ssr: { resolve: { conditions } }, test: { testTimeout: 60_000 } }
`

describe('the documentation', () => {
  it(
    'has TypeScript that compiles, each block under the name in its first line, and tests that pass',
    { timeout: 120_000 },
    async () => {
      using place = sandbox()
      for (const path of PAGES) {
        const blocks = codeBlocks(path).filter(({ language }) => language === 'ts')
        const folder = basename(path, '.md')
        if (blocks.length > 0) place.write(`${folder}/spider.ts`, SPIDER)
        for (const { code, line } of blocks) {
          const name =
            /^\/\/ ([\w.-]+\.ts)\n/.exec(code)?.[1] ?? expect.fail(`${path}:${line} does not name its file in its first line`)
          place.write(`${folder}/${name}`, code)
        }
      }

      for (const path of globSync('**/*.txt', { cwd: FIXTURES }))
        place.write(path.replace(/\.txt$/, ''), readFileSync(join(FIXTURES, path), 'utf8'))

      expect(await place.typeErrors()).toEqual([])
      place.write('vitest.config.mjs', VITEST_CONFIG)
      const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
      const { status, stdout } = spawnSync(process.execPath, [vitest, 'run', '--no-color', '--root', place.folder], {
        encoding: 'utf8',
      })
      expect(status, stdout).toBe(0)
      expect(stdout).toMatch(/Test Files.* 7 passed/)
    },
  )

  it('links to files and headings that are there', () => {
    const dead = DOCUMENTS.flatMap((path) =>
      [...textOf(path).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].flatMap(([, link = '', anchor]) => {
        const target = link === '' ? path : join(dirname(path), link)
        const isThere = existsSync(join(ROOT, target)) && (anchor === undefined || anchorsOf(target).has(anchor))
        return isThere ? [] : [`${path}: ${link}#${anchor ?? ''}`]
      }),
    )

    expect(dead).toEqual([])
  })

  it('is reached from its first page; pages of the design from ARCHITECTURE.md', () => {
    const firstOf = (path: string): string => (path.startsWith('docs/design/') ? 'ARCHITECTURE.md' : 'docs/README.md')
    const unreached = PAGES.filter(
      (path) => path !== 'docs/README.md' && !textOf(firstOf(path)).includes(path.replace('docs/', '')),
    )

    expect(unreached).toEqual([])
  })

  it.each(Object.entries(referencePages()))('has %s as the code has it: run npm run reference', (path, text) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text)
  })

  it('has every hook and every event of the trace that there is, and no other', () => {
    const page = readFileSync(join(ROOT, 'docs/reference/hooks.md'), 'utf8')
    const source = (path: string): string => readFileSync(join(ROOT, 'packages/core/src', path), 'utf8')
    const found = (text: string, pattern: RegExp): readonly string[] =>
      [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ''))].toSorted()
    const table = (head: string): string => page.slice(page.indexOf(head)).split('\n\n', 1)[0] ?? ''
    const hooks = source('hooks/hooks.ts').split('export interface CrawlHooks {')[1]?.split('\n}', 1)[0] ?? ''

    expect(found(table('| hook |'), /^\| `(\w+)/gm)).toEqual(found(hooks, /readonly (\w+):/g))
    expect(found(table('| kind |'), /^\| `([\w-]+)`/gm)).toEqual(found(source('ports/trace.ts'), /kind: '([\w-]+)'/g))
  })

  it('has an English comment on every option', () => {
    const bare = Object.values(referencePages()).flatMap((text) =>
      text.split('\n').filter((line) => line.endsWith('|  |') || /^- \*\*`.*`\*\* ?$/.test(line)),
    )

    expect(bare).toEqual([])
  })
})

describe('the reference of types', () => {
  it('shows an example of a member below the list, and no tag in an entry', () => {
    const pages = Object.values(referencePages())
    const tagged = pages.flatMap((text) =>
      text.split('\n').filter((line) => /^- .* @(?:example|throws|returns|param)\b/.test(line)),
    )

    expect(tagged).toEqual([])
    expect(codeBlocks('docs/reference/crawls.md').filter(({ code }) => code.includes('run.stop({ recallMs:'))).toHaveLength(1)
  })

  it('has members whose type begins on the line behind their name, and no end of a comment in an entry', () => {
    const pages = Object.values(referencePages())

    expect(pages.flatMap((text) => text.split('\n').filter((line) => /^- .*\*\//.test(line)))).toEqual([])
    expect(readFileSync(join(ROOT, 'docs/reference/subjects.md'), 'utf8')).toContain(
      "  result: { kind: 'answered'; response: Response }",
    )
  })

  it('explains on the page of crawls every type that its lists name', () => {
    const page = readFileSync(join(ROOT, 'docs/reference/crawls.md'), 'utf8')
    const members = [...page.matchAll(/^- \*\*`(.*?)`\*\*|^ {2}(\w+\??: .*)$/gm)].map(([, entry = '', line = '']) => entry + line)
    const named = new Set(members.flatMap((member) => [...member.matchAll(/\b[A-Z]\w+/g)].map(String)))
    // The types of the language, the type parameter of a crawl, and what the pages of hooks and of errors list.
    const elsewhere = ['AsyncIterable', 'Promise', 'Readonly', 'Record', 'Item', 'Json', 'CrawlHooks', 'FailureCode']
    for (const name of elsewhere) named.delete(name)

    expect(named.size).toBeGreaterThan(15)
    expect([...named].filter((name) => !page.includes(`\n## ${name}\n`))).toEqual([])
  })
})

describe('the examples of the documentation', () => {
  it('give what they say', async () => {
    using place = sandbox()
    const checked = PAGES.flatMap((path) =>
      codeBlocks(path)
        .filter(({ language }) => language === 'ts')
        .flatMap(({ code, line }) => {
          const text = checkedText(code)
          return text === undefined ? [] : [{ name: `${basename(path, '.md')}-${String(line)}.ts`, text }]
        }),
    )
    for (const { name, text } of checked) place.write(name, text)
    place.write('all.ts', checked.map(({ name }) => `await import('./${name}')`).join('\n'))

    expect(checked.length).toBeGreaterThanOrEqual(10)
    expect(await place.run('all.ts')).toBe('')
  })

  it('include a model of the web that can be made', () => {
    const web = codeBlocks('docs/reference/webs.md').find(({ language }) => language === 'json')?.code ?? ''

    expect(siteModel(JSON.parse(web) as ModelSpec).hosts).toHaveLength(3)
  })
})

describe('the tutorial', () => {
  it(
    'can be walked as it is written: each file saved, each command typed, and the output is as it shows',
    { timeout: 180_000 },
    async () => {
      using place = sandbox()
      const port = await freePort()
      const told = replacementsOf('docs/tutorial.md', ROOT)
      const typedCommands: string[] = []
      let folder = place.folder
      for (const step of readerSteps('docs/tutorial.md')) {
        if (step.kind === 'save') {
          mkdirSync(dirname(join(folder, step.path)), { recursive: true })
          writeFileSync(join(folder, step.path), step.text.replaceAll('8042', String(port)))
          continue
        }
        const command = typed(step.command, told)
        typedCommands.push(command)
        if (command.startsWith('cd ')) folder = join(folder, command.slice(3))
        // The packages of the workspace are there already, and its commands are found without npx.
        else if (command !== 'npm install') {
          const said = shell(command.replace(` --from ${ROOT}/packs`, '').replace(/^npx /, ''), folder)
          expect(missingLine(step.shown ?? [], said), `line ${String(step.line)}: ${command}\n${said}`).toBeUndefined()
        }
        if (command.includes('create-avocet')) onPort(join(folder, 'articles'), port)
      }

      expect(typedCommands[0]).toBe(`node ${ROOT}/packages/create-avocet/bin/create-avocet.js --from ${ROOT}/packs articles`)
      expect(told.inClone).toContain('npm run pack -- packs')
      expect(readFileSync(join(folder, 'items.jsonl'), 'utf8').trim().split('\n')).toHaveLength(5)
      expect(typedCommands.filter((command) => command.startsWith('npx avocet ')).length).toBeGreaterThanOrEqual(7)
    },
  )

  it('is compared with what is printed: a line that is not there is found, durations may differ', () => {
    const output = 'begin\ncrawl finished after 3.1 s\n  3 pages\nend\n'

    expect(missingLine(['crawl finished after 400 ms', '  3 pages'], output)).toBeUndefined()
    expect(missingLine(['crawl …', '…', 'end'], output)).toBeUndefined()
    expect(missingLine(['crawl finished after 1 s', 'end'], output)).toBe('end')
    expect(missingLine(['  4 pages'], output)).toBe('  4 pages')
  })
})

function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** The anchors of a page: one for each heading, numbered where headings are alike. */
function anchorsOf(path: string): ReadonlySet<string> {
  const headings = [
    ...textOf(path)
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, text = '']) => text)
  const slugs = headings.map((text) => headingSlug(text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')))
  return new Set(
    slugs
      .map((slug, index) => [slug, slugs.slice(0, index).filter((other) => other === slug).length] as const)
      .map(([slug, before]) => (before === 0 ? slug : `${slug}-${String(before)}`)),
  )
}

/** What a command printed; fails when it failed. Commands of this workspace stand in for installed ones. */
function shell(command: string, folder: string): string {
  const path = `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`
  const env = { ...process.env, PATH: path, NODE_OPTIONS: '--conditions=@avocet/source', NO_COLOR: '1' }
  const { status, stdout } = spawnSync('sh', ['-c', `${command} 2>&1`], { cwd: folder, env, encoding: 'utf8' })
  expect({ command, status, output: status === 0 ? '' : stdout }).toEqual({ command, status: 0, output: '' })
  return stdout
}

/** Moves the practice site to a port that no other test has. */
function onPort(project: string, port: number): void {
  for (const path of globSync('{practice-site.ts,spiders/*.ts}', { cwd: project })) {
    const file = join(project, path)
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('8042', String(port)))
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
