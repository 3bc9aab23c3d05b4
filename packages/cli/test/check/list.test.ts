// `avocet list`: the spiders of a project.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-list-'))
  await mkdir(join(folder, 'spiders'))
})
afterEach(() => rm(folder, { recursive: true }))

const file = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text)
const list = (...words: string[]): Promise<CliRun> => runCli(['list', ...words], { folder })
const spiderText = (name: string): string =>
  `export default { name: '${name}', seeds: ['http://a.example/'], handlers: { *start() {}, *offer() {} } }`

describe('avocet list', () => {
  it("lists the configuration's spider, spiders of the folder and of ./spiders, with handlers and seeds", async () => {
    await file('quotes.ts', spiderText('quotes'))
    await file('avocet.config.ts', "import quotes from './quotes.ts'\nexport default { spider: quotes }")
    await file('spiders/offers.js', "export default { name: 'offers', seeds: () => [], handlers: { *start() {} } }")

    const run = await list('--json')

    expect(JSON.parse(run.stdout)).toEqual({
      schema: 1,
      spiders: [
        { name: 'quotes', file: 'quotes.ts', handlers: ['start', 'offer'], seeds: 1, isDefault: true },
        { name: 'offers', file: 'spiders/offers.js', handlers: ['start'], seeds: null, isDefault: false },
      ],
      needArguments: [],
      unloadable: [],
    })
    expect(run.code).toBe(0)
  })

  it('knows the spider that the configuration made from a file, with the seeds that it gave it', async () => {
    await file(
      'quotes.ts',
      "export default ({ site = 'http://a.example/' }) => ({ name: 'quotes', seeds: [site], handlers: { *start() {} } })",
    )
    const config =
      "import make from './quotes.ts'\nexport default { spider: { ...make({}), seeds: ['http://b.example/', 'http://c.example/'] } }"
    await file('avocet.config.ts', config)

    const run = await list('--json')

    expect(JSON.parse(run.stdout)).toMatchObject({
      spiders: [{ name: 'quotes', file: 'quotes.ts', seeds: 2, isDefault: true }],
    })
  })

  it('runs no file that has the text of a spider in a string', async () => {
    const text = `export const text = "export default spider({ name: 'none' })"`
    await file('tool.js', `import { writeFileSync } from 'node:fs'\nwriteFileSync('${join(folder, 'ran')}', '')\n${text}`)
    await file('one-line.js', `const name = 'quotes'; export default { name, seeds: [], handlers: { *start() {} } }`)

    const run = await list('--json')

    expect(JSON.parse(run.stdout)).toMatchObject({ spiders: [{ name: 'quotes' }], unloadable: [] })
    expect(await readdir(folder)).not.toContain('ran')
  })

  it('says in a line why a file cannot be loaded, lists the others, and ends with 3', async () => {
    await file('spiders/bad.ts', 'enum Color { Red }; export default Color')
    await file('spiders/good.ts', spiderText('good'))
    await file('spiders/half.ts', "export default { name: 'half', seeds: [], handlers: {} }")

    const run = await list()

    expect(run.stdout.split('\n').map((line) => line.trim().split(/\s{2,}/))).toEqual([
      ['spider', 'file', 'seeds', 'handlers'],
      ['good', 'spiders/good.ts', '1', 'start, offer'],
      ['(not loaded)', 'spiders/bad.ts'],
      ['(not loaded)', 'spiders/half.ts'],
      [''],
    ])
    expect(run.stderr).toContain('enums are not erasable')
    expect(run.stderr).toContain("expected a handler 'start' for the seeds, found none")
    expect(run.code).toBe(3)
  })

  it('runs no script of the folder that does not look like a spider', async () => {
    await file('deploy.ts', "import { writeFileSync } from 'node:fs'\nwriteFileSync('ran', '')\nexport default 1")
    await file('quotes.test.ts', "throw new Error('a test of the spider')\nexport default 1")

    const run = await list()

    expect(run).toMatchObject({ code: 0, stdout: '' })
    expect(run.stderr).toBe('no spider in this folder or in ./spiders; make one with avocet new spider NAME\n')
    await expect(writeFile(join(folder, 'ran'), '', { flag: 'wx' })).resolves.toBeUndefined()
  })

  it('takes a spider that wants arguments for what it is, and warns of two with one name', async () => {
    await file('spiders/a.ts', spiderText('quotes'))
    await file('spiders/b.ts', spiderText('quotes'))
    await file('spiders/city.ts', "export default (args) => { if (!args.city) throw new Error('give -a city=berlin') }")

    const run = await list()

    expect(run.stderr).toContain('spiders/city.ts: needs arguments; without them it failed: give -a city=berlin')
    expect(run.stderr).toContain(
      'two spiders are called quotes (spiders/a.ts, spiders/b.ts): they would share the store .avocet/quotes.db',
    )
    expect(run.code).toBe(0)
  })
})

describe('the name of a spider', () => {
  const planned = async (...words: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await runCli(['config', ...words, '--json'], { folder })
    return code === 0 ? (JSON.parse(stdout) as { values: Record<string, { value: unknown }> }).values['spider']?.value : stderr
  }

  it('stands for its file wherever a spider is expected: crawl, check, config, parse', async () => {
    await file('spiders/books.ts', spiderText('books'))
    await file('spiders/deep.ts', spiderText('other-name'))
    await file('page.html', '<title>a</title>')

    const check = await runCli(['check', 'books', '--offline'], { folder })
    const parse = await runCli(['parse', 'page.html', '--spider', 'other-name', '--handler', 'offer'], { folder })

    expect(await planned('books')).toBe('books')
    expect(await planned('other-name')).toBe('other-name')
    expect(check.stdout).toContain('books, from spiders/books.ts')
    expect(parse.code).toBe(0)
  })

  it('stands for it where a folder has the name as well, and for its store', async () => {
    await file('spiders/books.ts', spiderText('books'))
    await mkdir(join(folder, 'books'))
    await mkdir(join(folder, '.avocet'))
    await file('.avocet/books.db', '')

    const status = await runCli(['status', 'books'], { folder })

    expect(await planned('books')).toBe('books')
    expect(status.stderr).toContain(join(folder, '.avocet/books.db'))
  })

  it("is said with that file's problem alone where its file cannot be loaded or used", async () => {
    await file('spiders/books.ts', 'export default {')
    await file('spiders/other.ts', 'export default [')
    await file('spiders/plain.ts', spiderText('plain-one'))
    await file('spiders/takes.ts', "export default () => { throw new Error('no') }")

    expect(await planned('books')).toMatch(/^avocet: [^;]*spiders\/books\.ts:1: /)
    expect(await planned('books')).not.toContain('other.ts')
    expect(await planned('plain-one', '-a', 'n=1')).toMatch(/^avocet: .*plain\.ts: got -a n, but the spider takes no arguments/)
    expect(await planned('takes')).toMatch(/^avocet: .*takes\.ts: the function that makes the spider threw: no \(/)
  })

  it('runs no other file where one is called like the spider', async () => {
    await file('spiders/books.ts', spiderText('books'))
    await file('spiders/loud.ts', `import { writeFileSync } from 'node:fs'\nwriteFileSync('ran', '')\n${spiderText('loud')}`)

    expect(await planned('books')).toBe('books')
    await expect(writeFile(join(folder, 'ran'), '', { flag: 'wx' })).resolves.toBeUndefined()
  })

  it("means the configuration's spider before a file, and takes arguments to the file", async () => {
    await file(
      'spiders/a.ts',
      "export default ({ n = '1' }) => ({ name: 'a', seeds: [`http://a.example/${n}`], handlers: { *start() {} } })",
    )
    await file(
      'avocet.config.js',
      "import make from './spiders/a.ts'\nexport default { spider: { ...make({}), seeds: ['http://b.example/', 'http://c.example/'] } }",
    )
    await file('package.json', '{"type":"module"}')
    const seeds = async (...words: string[]): Promise<string> =>
      (await runCli(['config', 'a', '--get', 'seeds', ...words], { folder })).stdout

    expect(await seeds()).toBe('2\n')
    expect(await seeds('-a', 'n=2')).toBe('1\n')
  })

  it('is refused when another file has it too, whatever that is called, and check says so of a file', async () => {
    await file('spiders/quotes.ts', spiderText('quotes'))
    await file('spiders/quotes-new.ts', spiderText('quotes'))
    const both = `${join(folder, 'spiders/quotes-new.ts')}, ${join(folder, 'spiders/quotes.ts')}`

    const check = await runCli(['check', 'spiders/quotes.ts', '--offline'], { folder })

    expect(await planned('quotes')).toContain(`expected one spider called 'quotes', found ${both}, which would share a store`)
    expect(check.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'warn spider quotes, from spiders/quotes.ts: a spider of this name is in spiders/quotes-new.ts too, and would share its store',
    )
  })

  it("means the configuration's spider where another file has it too, of which check warns, but not of the file that it is from", async () => {
    await file('spiders/quotes.ts', spiderText('quotes'))
    await file(
      'avocet.config.ts',
      "import quotes from './spiders/quotes.ts'\nexport default { spider: { ...quotes, seeds: ['http://b.example/'] } }",
    )
    const listed = await list()
    const alone = await runCli(['check', '--offline'], { folder })

    await file('spiders/copy.ts', spiderText('quotes'))

    expect(listed.stderr).not.toContain('are called quotes')
    expect(alone.stdout).toMatch(/^ok {4}spider {4}quotes, from avocet.config.ts$/m)
    expect(await planned('quotes')).toBe('quotes')
    expect(await planned()).toBe('quotes')
    expect((await runCli(['check', '--offline'], { folder })).stdout).toMatch(/^warn {2}spider .* in spiders\/copy.ts too/m)
  })

  it('is refused when two files have it, or none, with what was probably meant', async () => {
    await file('spiders/one.ts', spiderText('quotes'))
    await file('spiders/two.ts', spiderText('quotes'))

    expect(await planned('quotes')).toContain(
      `expected one spider called 'quotes', found ${join(folder, 'spiders/one.ts')}, ${join(folder, 'spiders/two.ts')}, which would share a store; rename one, or name the file (AVO_USAGE)`,
    )
    expect(await planned('quots')).toContain("got 'quots' (did you mean 'quotes'?); avocet list shows the spiders (AVO_USAGE)")
    expect(await planned('shop.example')).toContain("did you mean 'https://shop.example'?")
  })
})
