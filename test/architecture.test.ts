// ARCHITECTURE.md and the pages of docs/design say what the code does: the files and functions that it names are there, and it lists no file and no package twice.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const SOURCES = join(ROOT, 'packages/core/src')
const STEP = /^\| (?<step>\w*) ?\| `(?<file>[\w/-]+\.ts)` \| `(?<name>\w+)` \| (?<what>.+) \|$/gm

const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
const design = globSync('docs/design/*.md', { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'))
const steps = [...[text, ...design].join('\n').matchAll(STEP)].map(({ groups }) => groups ?? {})

describe('the life of a URL', () => {
  it('has the five steps of the engine, in its order', () => {
    expect(steps.flatMap(({ step }) => step || [])).toEqual(['dispatch', 'fetch', 'judge', 'handle', 'commit'])
    const engine = readFileSync(join(SOURCES, 'crawl/engine.ts'), 'utf8')
    const places = [...engine.matchAll(/\/\*\* (\d)\. (\w+): /g)].map(([, number, name]) => `${number} ${name?.toLowerCase()}`)
    expect(places).toEqual(['1 dispatch', '2 fetch', '3 judge', '4 handle', '5 commit'])
  })

  it('names files and functions that are there', () => {
    const missing = steps.filter(({ file = '', name = '' }) => {
      const path = join(file.startsWith('packages/') ? ROOT : SOURCES, file)
      const defined = new RegExp(
        String.raw`^(?:export (?:async )?function\*?|  (?:static )?(?:async )?\*?)\s*${name}(?:<[^>]*>)?\(`,
        'm',
      )
      return !existsSync(path) || !defined.test(readFileSync(path, 'utf8'))
    })

    expect(steps.length).toBeGreaterThan(26)
    expect(missing).toEqual([])
  })

  it('goes on for an item into a sink, begins for a sitemap in a document of a plugin, runs in workers, and obeys orders', () => {
    const titles = ['An \\*\\*item\\*\\*', 'The \\*\\*URL of a sitemap', 'With \\*\\*several processes', 'An \\*\\*order\\*\\*']
    const tables = titles.map((title) => {
      const [, table = ''] = new RegExp(`^${title}[^|]*\\n((?:\\|.*\\n)+)`, 'm').exec(design.join('\n')) ?? []
      return [...table.matchAll(STEP)].map(({ groups }) => groups?.['file'])
    })

    expect(tables.map((files) => [files.length >= 6, files[0], files.at(-1)])).toEqual([
      [true, 'packages/delivery/src/deliveries.ts', 'packages/delivery/src/sink-ledger.ts'],
      [true, 'exchange/required-documents.ts', 'pages/plugin-documents.ts'],
      [true, 'packages/cli/src/crawl/crawl-in-processes.ts', 'packages/cli/src/processes/whole-crawl.ts'],
      [true, 'packages/cli/src/control/control.ts', 'crawl/live-orders.ts'],
    ])
  })

  it('lists no file twice', () => {
    const files = steps.map(({ file }) => file)

    expect(files).toEqual([...new Set(files)])
  })
})

describe('the design', () => {
  it('names files that are there', () => {
    const files = globSync('{bench,examples,scripts,test,packages/*/{src,test}}/**/*.ts', {
      cwd: ROOT,
      exclude: ['**/node_modules/**'],
    })
    const named = ['ARCHITECTURE.md', ...globSync('docs/design/*.md', { cwd: ROOT })].flatMap((path) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(/`([\w./-]+\.ts)`/g)].map((match) => match[1] ?? ''),
    )

    expect(named.length).toBeGreaterThan(90)
    expect(named.filter((name) => !files.some((file) => `/${file.replaceAll('\\', '/')}`.endsWith(`/${name}`)))).toEqual([])
  })

  it('has each package once on its map', () => {
    const mapped = [...text.matchAll(/^packages\/([\w-]+) /gm)].map((match) => match[1])

    expect(mapped.toSorted()).toEqual(readdirSync(join(ROOT, 'packages')).toSorted())
  })
})
