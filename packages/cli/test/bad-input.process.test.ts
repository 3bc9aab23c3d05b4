// What people get wrong, and what their own code does: one clear line, the right exit code, and nothing lost.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCli, spawnCli, type CliRun } from './run-cli.ts'
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
  return runCli(['crawl', '--store', ':memory:', '--rate', 'fixed', '--delay', '0', ...words], { folder })
}

/** Standard error without its last newline; it must be one line. */
function line({ stderr }: CliRun): string {
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  return stderr.trimEnd().replaceAll(folder, '')
}

describe('a spider file', () => {
  it('that does not compile gets one line with the way out, and 3', async () => {
    await file('spider.ts', 'enum Color { Red }; export default Color')
    const run = await crawl('spider.ts')
    expect(line(run)).toMatch(
      /^avocet: \/spider.ts:1: TypeScript enum is not supported .*; enums are not erasable: use a const object.*\(AVO_SPIDER_LOAD\)$/,
    )
    expect(run.code).toBe(3)
  })

  it('that exports no spider gets one line with what is expected, and 3', async () => {
    await file('spider.ts', "export default { nmae: 'x' }")
    const run = await crawl('spider.ts')
    expect(line(run)).toBe("avocet: /spider.ts: a spider has no option 'nmae' (did you mean 'name'?) (AVO_SPIDER_INVALID)")
    expect(run.code).toBe(3)
  })
})

describe('a configuration file', () => {
  it('with an unknown key gets one line with what was meant, and 3', async () => {
    await file('avocet.config.ts', 'export default { conccurrency: 3 }')
    const run = await crawl(site.url)
    expect(line(run)).toBe(
      "avocet: /avocet.config.ts: there is no option 'conccurrency' (did you mean 'concurrency'?) (AVO_CONFIG_INVALID)",
    )
    expect(run.code).toBe(3)
  })

  it('is checked for ranges too', async () => {
    await file('avocet.config.json', '{ "concurrency": 0 }')
    const run = await crawl(site.url)
    expect(line(run)).toContain('expected concurrency to be a whole number of at least 1, got 0')
    expect(run.code).toBe(3)
  })
})

describe('a seed', () => {
  it('that is no http(s) URL gets one line with what was meant, and 3', async () => {
    const run = await crawl('shop.example')
    expect(line(run)).toBe(
      "avocet: crawl: expected an http(s) URL, got 'shop.example'; did you mean 'https://shop.example'? (AVO_SEED_INVALID)",
    )
    expect(run.code).toBe(3)
  })

  it('in a spider is named before a store is made', async () => {
    await file('spider.ts', "export default { name: 'x', seeds: ['nonsense'], handlers: { start() {} } }")
    const run = await runCli(['crawl', 'spider.ts'], { folder })
    expect(line(run)).toContain("expected every seed to be an absolute http(s) URL, got 'nonsense'")
    expect(run.code).toBe(3)
    expect(await readdir(folder)).toEqual(['spider.ts'])
  })
})

describe('an option', () => {
  it('that does not exist gets one line with what was meant, and no help', async () => {
    const run = await crawl(site.url, '--conccurency', '3')
    expect(line(run)).toBe(
      "avocet: crawl: expected a known option, got --conccurency (did you mean '--concurrency'?); see avocet crawl --help (AVO_USAGE)",
    )
    expect(run.stdout).toBe('')
    expect(run.code).toBe(2)
  })
})

describe('an argument of a spider', () => {
  it.each([
    ['URLs', () => [site.url]],
    ["the configuration's spider", () => []],
  ])('is not for %s: one line with what to do, and 2', async (_what, targets) => {
    await file('avocet.config.ts', `export default { spider: { name: 'x', seeds: ['${site.url}'], handlers: { start() {} } } }`)
    const run = await crawl(...targets(), '-a', 'city=berlin')
    expect(line(run)).toBe(
      'avocet: -a: expected a spider file that takes city, got none; name the file: spider.ts -a city=… (AVO_USAGE)',
    )
    expect(run.code).toBe(2)
  })
})

describe('an output', () => {
  it('that cannot be written is found before the first request', async () => {
    const before = site.asked.length
    const run = await crawl(site.url, '-O', 'no/such/folder.jsonl')
    expect(line(run)).toMatch(
      /\/no\/such\/folder\.jsonl: expected a file that can be written, got ENOENT.*; make its folder \(AVO_OUTPUT/,
    )
    expect(run.code).toBe(7)
    expect(site.asked.length).toBe(before)
  })

  it('that cannot be gone on with keeps the crawl from beginning', async () => {
    await file('out.json', '[1]')
    const before = site.asked.length
    const run = await crawl(site.url, '-o', 'out.json')
    const [, said = ''] = run.stderr.replaceAll(folder, '').trimEnd().split('\n')
    expect(said).toMatch(/^avocet: \/out.json: .*use -O to overwrite it, or a .jsonl file \(AVO_OUTPUT_UNWRITABLE\)$/)
    expect(run.code).toBe(7)
    expect(site.asked.length).toBe(before)
  })

  it('on a disk that fills up falls behind, says so, and holds whole items up to there', async () => {
    await file('avocet.config.ts', 'export default { drainMs: 200 }')
    const run = await spawnCli(
      ['crawl', '--store', ':memory:', '--rate', 'fixed', '--delay', '0', '--max-per-host', '8', site.url, '-O', 'out.jsonl'],
      { folder, maxFileKib: 16 },
    )

    expect(run.stderr).toContain('/out.jsonl: expected a file that can be written, got EFBIG')
    expect(run.code).toBe(7)
    const whole = (await readFile(join(folder, 'out.jsonl'), 'utf8')).split('\n').slice(0, -1)
    expect(() => whole.map((text) => JSON.parse(text) as unknown)).not.toThrow()
  })
})

describe('a handler that misbehaves', () => {
  const HANDLERS = {
    threw: 'function* () { yield { half: 1 }; throw new Error("no price") }',
    threwNothing: 'function* () { throw undefined }',
    returnedNothing: '() => undefined',
    returnedNumber: '() => 7',
    awaits: 'async function* () { yield { half: 1 }; await new Promise(() => {}) }',
    endless: 'function* () { for (;;) yield { a: 1 } }',
    bigint: 'function* () { yield { half: 1 }; yield 1n }',
    nothing: 'function* () { yield undefined }',
    circular: 'function* () { const a = {}; a.a = a; yield a }',
    late: 'function* () { Promise.reject(new Error("late\\u001b[2J")); yield { fine: 2 } }',
  }

  it('costs its own page, is named with what to do, and takes nothing from the others', async () => {
    const names = Object.keys(HANDLERS)
    const seeds = names.map((name, n) => `{ url: '${site.url}${n + 1}', handler: '${name}' }`)
    const handlers = Object.entries(HANDLERS).map(([name, handler]) => `${name}: ${handler}`)
    await file(
      'spider.ts',
      `export default { name: 'x', seeds: [${seeds.join(', ')}, '${site.url}'], handlers: { *start() { yield { fine: 1 } }, ${handlers.join(', ')} } }`,
    )
    await file('avocet.config.ts', 'export default { handlerTimeoutMs: 300, maxYields: 1000 }')

    // Of its own: a test of this process would fail of the rejection.
    const words = ['crawl', 'spider.ts', '--store', ':memory:', '--rate', 'fixed', '--delay', '0', '-O', 'out.jsonl']
    const run = await spawnCli(words, { folder })

    for (const reason of [
      '2 × handler-threw',
      '2 × handler-return',
      '1 × handler-timeout',
      '1 × handler-yields',
      '3 × handler-yield-invalid',
    ]) {
      expect(run.stderr).toContain(reason)
    }
    for (const problem of [
      /spider\.ts:\d+:\d+ Error: no price, first at/,
      /expected handler returnedNothing to return a stream of items and links, got nothing; write it as a generator/,
      /expected handler returnedNumber to return a stream .* got 7/,
      /handler awaits did not finish within 300 ms; find what it waits for, or raise handlerTimeoutMs/,
      /handler endless yielded more than 1000 items and links; split the page/,
      /expected handler bigint to yield an item \(a plain object\) or a link, got 1n/,
      /expected handler circular .* got an item that is not JSON/,
    ]) {
      expect(run.stderr).toMatch(problem)
    }
    const rejected = String.raw`: late\u{1b}[2J; await it inside the handler or plugin that made it`
    expect(run.stderr).toContain(rejected)
    expect((await readFile(join(folder, 'out.jsonl'), 'utf8')).trimEnd().split('\n').sort()).toEqual(['{"fine":1}', '{"fine":2}'])
    expect(run.code).toBe(11)
  })
})

describe('a plugin', () => {
  it.each([
    ['onDiscover', 6],
    ['admit', 5],
    ['onAdmit', 6],
    ['beforeRequest', 6],
    ['onResponse', 6],
    ['onItem', 11],
    ['onSettled', 0],
  ])('that throws in %s is named, and the crawl ends in good order', async (hook, code) => {
    await file(
      'avocet.config.ts',
      `export default { policies: [], plugins: [{ name: 'broken', ${hook}() { throw new Error('oh no') } }] }`,
    )

    const run = await crawl(`${site.url}900`, '--max-time', '1s')

    expect(run.stderr).toMatch(new RegExp(`1 × (avocet.config.ts:\\S+ )?plugin broken threw in ${hook}: (Error: )?oh no`))
    expect(run.stderr).not.toContain('avocet parse')
    expect(run.code).toBe(code)
  })

  it('that throws in close loses nothing', async () => {
    await file('avocet.config.ts', "export default { plugins: [{ name: 'broken', close() { throw new Error('oh no') } }] }")
    const run = await crawl(`${site.url}900`, '-O', 'out.jsonl')
    expect(JSON.parse(await readFile(join(folder, 'out.jsonl'), 'utf8'))).toMatchObject({ title: 'page 900' })
    expect(run.stderr).toContain('1 × plugin broken threw in close: oh no')
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
