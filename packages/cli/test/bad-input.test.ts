// What people get wrong, and what their own code does: one clear line, the right exit code, and nothing lost.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from './run-cli.ts'
import { smallSite, type SmallSite } from './small-site.ts'

let folder: string
let site: SmallSite

beforeAll(async () => {
  site = await smallSite(1_000)
})
afterAll(() => site.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-bad-'))
})
afterEach(() => rm(folder, { recursive: true }))

function file(name: string, text: string): Promise<void> {
  return writeFile(join(folder, name), text)
}

function crawl(...words: string[]): Promise<CliRun> {
  return runCli(['crawl', '--store', ':memory:', '--delay', '0', ...words], { folder })
}

/** Standard error without its last newline; it must be one line. */
function line({ stderr }: CliRun): string {
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  return stderr.trimEnd().replaceAll(folder, '')
}

describe('a spider file', () => {
  it.each([
    [
      'enum Color { Red }; export default Color',
      "/spider.ts:1: TypeScript enum is not supported in strip-only mode; enums are not erasable: use a const object, const Color = { red: 'red' } as const",
    ],
    [
      'class A { constructor(readonly x: number) {} }; export default A',
      '/spider.ts:1: TypeScript parameter property is not supported in strip-only mode; write the field and its assignment out: readonly x; constructor(x) { this.x = x }',
    ],
    [
      "import { x } from './base.js'; export default x",
      "/spider.ts: Cannot find module '/base.js' imported from /spider.ts; write the ending that the file has, ./base.ts",
    ],
    [
      "import { x } from 'no-such-package'; export default x",
      "/spider.ts: Cannot find package 'no-such-package' imported from /spider.ts; npm install no-such-package",
    ],
    [
      "import { Thing } from './thing.ts'; export default 1 as Thing",
      "/spider.ts:1: The requested module './thing.ts' does not provide an export named 'Thing'; import types with import type",
    ],
    [
      '\nexport default {{',
      '/spider.ts:2: Unexpected token `{`. Expected identifier, string literal, numeric literal or [ for the computed key',
    ],
    [
      '@sealed class A {}; export default A',
      '/spider.ts:1: Invalid or unexpected token; decorators and JSX do not run without a build',
    ],
    ["\n\nthrow new Error('boom')", '/spider.ts:3: boom'],
    ['export const spider = {}', '/spider.ts: expected a default export, found spider; write export default …'],
  ])('that cannot be loaded says why and what to do: %j', async (text, message) => {
    await file('spider.ts', text)
    await file('thing.ts', 'export interface Thing {}')
    const run = await crawl('spider.ts')
    expect(line(run)).toBe(`avocet: ${message} (AVO_SPIDER_LOAD)`)
    expect(run.code).toBe(3)
  })

  it.each([
    ['export default 7', 'expected a spider, spider({ name, seeds, handlers }), got 7'],
    ["export default { nmae: 'x' }", "a spider has no 'nmae' (did you mean 'name'?)"],
    [
      "export default { name: '../x', seeds: [], handlers: { start() {} } }",
      "expected name of letters, digits, '-', '_' and '.', got '../x'",
    ],
    ["export default { name: 'x', seeds: [], handlers: { list() {} } }", "expected a handler 'start' for the seeds, found list"],
    [
      "export default { name: 'x', seeds: [], scope: { maxDept: 1 }, handlers: { start() {} } }",
      "scope has no 'maxDept' (did you mean 'maxDepth'?)",
    ],
    ["export default { name: 'x', seeds: [{ ulr: '' }], handlers: { start() {} } }", "a seed has no 'ulr' (did you mean 'url'?)"],
  ])('that exports no spider says what is expected: %j', async (text, message) => {
    await file('spider.ts', text)
    const run = await crawl('spider.ts')
    expect(line(run)).toBe(`avocet: /spider.ts: ${message} (AVO_SPIDER_INVALID)`)
    expect(run.code).toBe(3)
  })

  it('that is not there', async () => {
    const run = await crawl('missing.ts')
    expect(line(run)).toBe('avocet: expected a file at /missing.ts, found none; check the path (AVO_SPIDER_LOAD)')
    expect(run.code).toBe(3)
  })

  it('that takes no arguments is not given any', async () => {
    await file('spider.ts', "export default { name: 'x', seeds: [], handlers: { start() {} } }")
    const run = await crawl('spider.ts', '-a', 'q=1')
    expect(line(run)).toContain('got -a q, but the spider takes no arguments')
    expect(run.code).toBe(3)
  })
})

describe('a configuration file', () => {
  it.each([
    ['export default { conccurrency: 3 }', "there is no option 'conccurrency' (did you mean 'concurrency'?)"],
    ["export default { concurrency: '3' }", 'expected concurrency to be of kind number, got string'],
    ['export default 7', 'expected defineCrawl({ … }), got number'],
  ])('says what is wrong with it: %s', async (text, message) => {
    await file('avocet.config.ts', text)
    const run = await crawl(site.url)
    expect(line(run)).toBe(`avocet: /avocet.config.ts: ${message} (AVO_CONFIG_INVALID)`)
    expect(run.code).toBe(3)
  })

  it('is checked for ranges by core', async () => {
    await file('avocet.config.json', '{ "concurrency": 0 }')
    const run = await crawl(site.url)
    expect(line(run)).toContain('expected concurrency to be a whole number of at least 1, got 0')
    expect(run.code).toBe(3)
  })
})

describe('a seed', () => {
  it.each([
    [['ftp://a.example/'], "crawl: expected an http(s) URL, got 'ftp://a.example/'; write it like https://shop.example/"],
    [['shop.example'], "crawl: expected an http(s) URL, got 'shop.example'; did you mean 'https://shop.example'?"],
    [['http://'], "crawl: expected an http(s) URL, got 'http://'; write it like https://shop.example/"],
    [
      ['--seeds', 'seeds.txt'],
      "/seeds.txt:3: expected an http(s) URL, got 'htps://b.example'; write it like https://shop.example/",
    ],
    [['--seeds', 'empty.txt'], '--seeds: expected one URL a line, found none in /empty.txt'],
  ])('that is no http(s) URL is named: %j', async (words, message) => {
    await file('seeds.txt', '# shops\nhttps://a.example/\nhtps://b.example\n')
    await file('empty.txt', '\n# none\n')
    const run = await crawl(...words)
    expect(line(run)).toBe(`avocet: ${message} (AVO_SEED_INVALID)`)
    expect(run.code).toBe(3)
  })

  it('in a spider is named before anything is made', async () => {
    await file('spider.ts', "export default { name: 'x', seeds: ['nonsense'], handlers: { start() {} } }")
    const run = await runCli(['crawl', 'spider.ts'], { folder })
    expect(line(run)).toContain('expected every seed to be an absolute http(s) URL, got "nonsense"')
    expect(run.code).toBe(3)
  })
})

describe('an option', () => {
  it('that does not exist gets one line with what was meant, and no help', async () => {
    const run = await crawl(site.url, '--conccurency', '3')
    expect(line(run)).toBe(
      "avocet: crawl: expected an option that it has, got --conccurency (did you mean '--concurrency'?); see avocet crawl --help (AVO_USAGE)",
    )
    expect(run.stdout).toBe('')
    expect(run.code).toBe(2)
  })
})

describe('an output', () => {
  it('that cannot be written is found before the first request', async () => {
    const before = site.asked.length
    const run = await crawl(site.url, '-O', 'no/such/folder.jsonl')
    expect(line(run)).toContain('/no/such/folder.jsonl: expected a file that can be written, got ENOENT')
    expect(run.code).toBe(7)
    expect(site.asked.length).toBe(before)
  })

  it('on a disk that fills up stops the crawl, and holds whole items up to there', async () => {
    const run = await runCli(
      ['crawl', '--store', ':memory:', '--delay', '0', '--max-per-host', '8', site.url, '-O', 'out.jsonl'],
      { folder, maxFileKib: 16 },
    )

    expect(run.stderr).toContain('/out.jsonl: expected a file that can be written, got EFBIG')
    expect(run.code).toBe(7)
    const whole = (await readFile(join(folder, 'out.jsonl'), 'utf8')).split('\n').slice(0, -1)
    expect(() => whole.map((text) => JSON.parse(text) as unknown)).not.toThrow()
  })
})

/** A spider whose handler does what `handler` says on /1, and yields one item on /2. */
function handling(handler: string): Promise<void> {
  return file(
    'spider.ts',
    `export default { name: 'x', seeds: ['${site.url}1', '${site.url}2'], handlers: { start(page) { return page.url.pathname === '/2' ? [{ fine: true }] : (${handler})() } } }`,
  )
}

describe('a handler', () => {
  it.each([
    ['function* () { yield { half: 1 }; throw new Error("no price") }', 'handler-threw', /handler start threw:? no price/],
    ['function* () { throw undefined }', 'handler-threw', /handler start threw/],
    ['() => undefined', 'handler-return', /expected handler start to return a stream of items and links, got nothing/],
    ['() => 7', 'handler-return', /expected handler start to return a stream of items and links, got number 7/],
    ['async function* () { await new Promise(() => {}) }', 'handler-timeout', /handler start did not finish within 300 ms/],
    ['function* () { for (;;) yield { a: 1 } }', 'handler-yields', /handler start yielded more than 1000 items and links/],
    ['function* () { yield 1n }', 'handler-yield-invalid', /expected handler start to yield an item .* got bigint/],
    ['function* () { yield undefined }', 'handler-yield-invalid', /expected handler start to yield an item .* got undefined/],
    ['function* () { const a = {}; a.a = a; yield a }', 'handler-yield-invalid', /got an object that is not JSON/],
  ])('that does %s costs its own page, and nothing of another', async (handler, reason, problem) => {
    await handling(handler)
    await file('avocet.config.ts', 'export default { handlerTimeoutMs: 300, maxYields: 1000 }')

    const run = await crawl('spider.ts', '-O', 'out.jsonl')

    expect(run.stderr).toContain(`1 × ${reason}`)
    expect(run.stderr).toMatch(problem)
    expect(await readFile(join(folder, 'out.jsonl'), 'utf8')).toBe('{"fine":true}\n')
    expect(run.code).toBe(0)
  })

  it('that leaves a promise behind does not end the crawl', async () => {
    await handling('function* () { Promise.reject(new Error("late\\u001b[2J")); yield { a: 1 } }')
    const run = await crawl('spider.ts')
    expect(run.stderr).toContain(
      String.raw`a promise that nobody awaits was rejected: late\u{1b}[2J; await it inside the handler or plugin that made it`,
    )
    expect(run.code).toBe(0)
  })
})

describe('a plugin', () => {
  it.each([
    ['onDiscover', 6],
    ['admit', 5],
    ['onAdmit', 6],
    ['beforeRequest', 6],
    ['onResponse', 6],
    ['onItem', 6],
    ['onSettled', 0],
  ])('that throws in %s is named, and the crawl ends in good order', async (hook, code) => {
    await file('avocet.config.ts', `export default { plugins: [{ name: 'broken', ${hook}() { throw new Error('oh no') } }] }`)

    const run = await crawl(`${site.url}900`, '--max-time', '1s')

    expect(run.stderr).toMatch(new RegExp(`1 × plugin broken threw in ${hook}: oh no`))
    expect(run.code).toBe(code)
  })

  it('that throws in close loses nothing', async () => {
    await file('avocet.config.ts', "export default { plugins: [{ name: 'broken', close() { throw new Error('oh no') } }] }")
    const run = await crawl(`${site.url}900`, '-O', 'out.jsonl')
    expect(JSON.parse(await readFile(join(folder, 'out.jsonl'), 'utf8'))).toMatchObject({ title: 'page 900' })
    expect(run.code).toBe(0)
  })

  it('that throws while it opens keeps the crawl from beginning', async () => {
    await file('avocet.config.ts', "export default { plugins: [{ name: 'broken', open() { throw new Error('oh no') } }] }")
    const run = await crawl(site.url)
    expect(line(run)).toMatch(/broken.*oh no.*\(AVO_PLUGIN_OPEN\)/)
    expect(run.code).toBe(3)
  })

  it('with an unknown hook is refused', async () => {
    await file('avocet.config.ts', "export default { plugins: [{ name: 'broken', onRespons() {} }] }")
    const run = await crawl(site.url)
    expect(line(run)).toMatch(/broken.*onRespons.*\(AVO_PLUGIN_INVALID\)/)
    expect(run.code).toBe(3)
  })
})
