// The name of a spider, in place of its file.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../run-cli.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-names-'))
  await mkdir(join(folder, 'spiders'))
})
afterEach(() => rm(folder, { recursive: true }))

const file = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text)
const spiderText = (name: string): string =>
  `export default { name: '${name}', seeds: ['http://a.example/'], handlers: { *start() {}, *offer() {} } }`

describe('the name of a spider', () => {
  const planned = async (...words: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await runCli(['check', '--values', ...words, '--json'], { folder })
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
      (await runCli(['check', 'a', '--get', 'seeds', ...words], { folder })).stdout

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
    const alone = await runCli(['check', '--offline'], { folder })

    await file('spiders/copy.ts', spiderText('quotes'))

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
    expect(await planned('quots')).toContain("got 'quots' (did you mean 'quotes'?); the spiders here: quotes (AVO_USAGE)")
    expect(await planned('shop.example')).toContain("did you mean 'https://shop.example'?")
  })
})
