// Spiders, configurations and seeds: what is wrong with them, where, and what to do.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PassThrough, Readable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkConfig } from '../../src/config/config-file.ts'
import { checkSpider } from '../../src/spiders/spider-files.ts'
import { pageSpider } from '../../src/spiders/chosen-spider.ts'
import { checkSeedUrl, readSeedList } from '../../src/spiders/seed-list.ts'
import { existingStore, storePathOf } from '../../src/store/store-path.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-load-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('a spider file', () => {
  const CASES: readonly (readonly [string, string])[] = [
    [
      'enum Color { Red }; export default Color',
      "F:1: TypeScript enum is not supported in strip-only mode; enums are not erasable: use a const object, const Color = { red: 'red' } as const",
    ],
    [
      'class A { constructor(readonly x: number) {} }; export default A',
      'F:1: TypeScript parameter property is not supported in strip-only mode; declare the field and assign it: readonly x; constructor(x) { this.x = x }',
    ],
    [
      'namespace N { export const a = 1 }; export default N',
      'F:1: TypeScript namespace declaration is not supported in strip-only mode; use a module instead of a namespace',
    ],
    [
      "import { x } from './base.js'; export default x",
      "F: Cannot find module 'D/base.js' imported from F; use the file's own extension, ./base.ts",
    ],
    [
      "import { x } from 'no-such-package'; export default x",
      "F: Cannot find package 'no-such-package' imported from F; npm install no-such-package",
    ],
    [
      "import { Thing } from './thing.ts'; export default 1 as Thing",
      "F:1: The requested module './thing.ts' does not provide an export named 'Thing'; use import type for types",
    ],
    [
      '\nexport default {{',
      'F:2: Unexpected token `{`. Expected identifier, string literal, numeric literal or [ for the computed key',
    ],
    ['@sealed class A {}; export default A', 'F:1: Invalid or unexpected token; decorators and JSX need a build step'],
    ["\n\nthrow new Error('boom')", 'F:3: boom'],
    ['export const spider = {}', 'F: expected a default export, found spider; write export default …'],
    ["export default () => { throw new Error('no url') }", 'F: the function that makes the spider threw: no url'],
    ["export default async () => ({ name: 'fine', seeds: [], handlers: { start() {} } })", 'loaded fine'],
  ]

  it('says in one line where it is wrong and what to do', async () => {
    await writeFile(join(folder, 'thing.ts'), 'export interface Thing {}')
    const paths = CASES.map((_, n) => join(folder, `spider-${n}.ts`))
    for (const [n, [text]] of CASES.entries()) await writeFile(paths[n] ?? '', text)

    const script = fileURLToPath(new URL('load-natively.ts', import.meta.url))
    const missing = join(folder, 'missing.ts')
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@avocet/source', script, ...paths, missing])

    const messages = JSON.parse(stdout) as string[]
    const shown = messages.map((message, n) => message.replaceAll(paths[n] ?? missing, 'F').replaceAll(folder, 'D'))
    expect(shown).toEqual([...CASES.map(([, message]) => message), 'expected a file at F, found none; check the path'])
  })
})

describe('a spider', () => {
  it.each([
    [7, 'expected a spider, spider({ name, seeds, handlers }), got 7'],
    [null, 'expected a spider, spider({ name, seeds, handlers }), got null'],
    [{ nmae: 'x' }, "a spider has no option 'nmae' (did you mean 'name'?)"],
    [
      { name: 'x', seeds: [], items: { price: 'number' }, handlers: { start() {} } },
      "expected items to be a schema that follows Standard Schema 1, such as z.object({ … }), or { key, watch }, got { price: 'number' }",
    ],
    [
      { name: 'x', seeds: [], items: { '~standard': { version: 2, validate() {} } }, handlers: { start() {} } },
      'expected items to be a schema that follows Standard Schema 1',
    ],
    [
      { name: '../x', seeds: [], handlers: { start() {} } },
      "expected name to be made of letters, digits, '-', '_' and '.', got '../x'",
    ],
    [
      { name: '.x', seeds: [], handlers: { start() {} } },
      "expected name to be made of letters, digits, '-', '_' and '.', got '.x'",
    ],
    [{ name: 'x', seeds: [], handlers: { list() {} } }, "expected a handler 'start' for the seeds, found list"],
    [{ name: 'x', seeds: [], handlers: { start: 1 } }, "expected handlers['start'] to be a function, got 1"],
    [
      { name: 'x', seeds: 'https://a.example/', handlers: { start() {} } },
      "expected seeds to be a list of URLs or a function that gives them, got 'https://a.example/'",
    ],
    [
      { name: 'x', seeds: [], scope: { maxDept: 1 }, handlers: { start() {} } },
      "scope has no option 'maxDept' (did you mean 'maxDepth'?)",
    ],
    [
      { name: 'x', seeds: [], scope: { within: 'hosts' }, handlers: { start() {} } },
      "expected scope.within to be 'seed-hosts', 'seed-domains' or 'any', got 'hosts'",
    ],
    [
      { name: 'x', seeds: [], scope: { deny: /x/ }, handlers: { start() {} } },
      'expected scope.deny to be a list, got an instance of RegExp',
    ],
    [
      { name: 'x', seeds: [], scope: { allow: ['shop.example'] }, handlers: { start() {} } },
      "expected scope.allow[0] to be a regular expression such as /page/, got 'shop.example'",
    ],
    [
      { name: 'x', seeds: [], scope: { blockedHosts: ['a.example', /b/] }, handlers: { start() {} } },
      "expected scope.blockedHosts[1] to be the name of a host such as 'shop.example', got an instance of RegExp",
    ],
  ])('%j is none', (value, message) => {
    expect(() => checkSpider(value, 'spider.ts')).toThrow(`spider.ts: ${message}`)
  })
})

describe('a configuration', () => {
  it.each([
    [{ conccurrency: 3 }, "there is no option 'conccurrency' (did you mean 'concurrency'?)"],
    [{ concurrency: '3' }, "expected concurrency to be a whole number of at least 1, got '3'"],
    [{ plugins: {} }, 'expected plugins to be a list, got {}'],
    [{ plugins: [undefined] }, 'expected plugins[0] to be a plugin, definePlugin({ name, … }), got nothing'],
    [{ policies: [null] }, 'expected policies[0] to be a plugin, definePlugin({ name, … }), got null'],
    [{ fetcher: {} }, 'expected fetcher to be an object with the methods fetch, close, got {}'],
    [{ clock: {} }, 'expected clock to be an object with the methods now, at, got {}'],
    [{ frontier: {} }, 'expected frontier to be an object with the methods open, add, lease, commit, release, close, got {}'],
    [{ timeLimits: { firstByteMS: 3 } }, "timeLimits has no option 'firstByteMS' (did you mean 'firstByteMs'?)"],
    [{ timeLimits: { firstByteMs: '3' } }, "expected timeLimits.firstByteMs to be a number of at least 0, or Infinity, got '3'"],
    [{ sizeLimits: { maxWireByte: 3 } }, "sizeLimits has no option 'maxWireByte' (did you mean 'maxWireBytes'?)"],
    [{ hosts: { 'a.example': { maxRsp: 3 } } }, "hosts['a.example'] has no option 'maxRsp' (did you mean 'maxRps'?)"],
    [{ hosts: { 'a.example': 3 } }, "expected hosts['a.example'] to be an object, got 3"],
    [{ hosts: { '*': { ignoreRobots: 'yes' } } }, `expected hosts['*'].ignoreRobots to be true or false, got 'yes'`],
    [
      { headers: { 'x-key': 3 } },
      "expected headers['x-key'] to be a text without line breaks and characters above U+00FF, got 3",
    ],
    [{ resolver: 'doh' }, `expected resolver to be 'dns' or 'system', got 'doh'`],
    [{ nameServers: '192.0.2.53' }, "expected nameServers to be a list of IP addresses, got '192.0.2.53'"],
    [{ hostKeying: 'ip' }, `expected hostKeying to be 'host' or 'domain', got 'ip'`],
    [7, 'expected defineCrawl({ … }), got 7'],
    [[], 'expected defineCrawl({ … }), got a list'],
  ])('%j is none', (value, message) => {
    expect(() => checkConfig(value, 'avocet.config.ts')).toThrow(`avocet.config.ts: ${message}`)
  })
})

describe('a seed', () => {
  it.each([
    ['ftp://a.example/', 'use the form https://shop.example/'],
    ['http://', 'use the form https://shop.example/'],
    ['shop.example', "did you mean 'https://shop.example'?"],
    ['localhost:8080/x', "did you mean 'http://localhost:8080/x'?"],
    ['127.42.0.1:8042', "did you mean 'http://127.42.0.1:8042'?"],
    ['localhost.example:8080', "did you mean 'https://localhost.example:8080'?"],
    ['javascript:alert(1)', 'use the form https://shop.example/'],
  ])('%s is none', (text, hint) => {
    expect(() => checkSeedUrl(text, 'crawl')).toThrow(`crawl: expected an http(s) URL, got '${text}'; ${hint}`)
  })

  it('stands on a line of its own in a list, with comments and blank lines between', async () => {
    const path = join(folder, 'seeds.txt')
    await writeFile(path, '\ufeff# shops\r\nhttps://a.example/\r\n\r\n  https://b.example/x  \n')
    expect(await readSeedList(path, Readable.from([]))).toEqual(['https://a.example/', 'https://b.example/x'])
  })

  it('in a list is named with its line', async () => {
    const path = join(folder, 'seeds.txt')
    await writeFile(path, 'https://a.example/\nhtps://b.example\n')
    await expect(readSeedList(path, Readable.from([]))).rejects.toThrow(
      `${path}:2: expected an http(s) URL, got 'htps://b.example'`,
    )
  })

  it('has to be in a list at all, and the list has to be there', async () => {
    const path = join(folder, 'seeds.txt')
    await expect(readSeedList(path, Readable.from([]))).rejects.toThrow(
      '--seeds: expected a readable file with one URL per line, got ENOENT',
    )
    await writeFile(path, '# none\n')
    await expect(readSeedList(path, Readable.from([]))).rejects.toThrow(
      `--seeds: expected one URL per line, found none in ${path}`,
    )
  })
})

describe('the store', () => {
  it('has the name of the spider, which for URLs is that of the first host', () => {
    const clock = { now: () => 0 }
    const names = [
      'https://Quotes.example/a',
      'http://127.0.0.1:8080/',
      'http://[::1]:80/',
      'https://xn--bcher-kva.example/',
    ].map((url) => pageSpider([url], clock).name)
    expect(names).toEqual(['quotes.example', '127.0.0.1-8080', '1', 'xn--bcher-kva.example'])
    expect(storePathOf('quotes.example', '/work')).toBe('/work/.avocet/quotes.example.db')
    expect(storePathOf('x', '/work', 'my.db')).toBe('/work/my.db')
  })

  const said = new PassThrough()
  const here = () => ({ folder, stderr: said as unknown as WriteStream })

  it('is named by its spider, and which one may have been meant is said', async () => {
    await mkdir(join(folder, '.avocet'))
    await writeFile(join(folder, '.avocet/quotes.db'), '')

    await expect(existingStore(here(), 'quots')).rejects.toMatchObject({
      code: 'AVO_FRONTIER_MISSING',
      message: expect.stringContaining("called 'quots' (did you mean 'quotes'?)") as string,
    })
  })

  it('is the only one there is, or has to be named', async () => {
    await expect(existingStore(here())).rejects.toMatchObject({ code: 'AVO_FRONTIER_MISSING' })
    await mkdir(join(folder, '.avocet'))
    await writeFile(join(folder, '.avocet/a.db'), '')
    await writeFile(join(folder, '.avocet/a.db-wal'), '')
    expect(await existingStore(here())).toBe(join(folder, '.avocet/a.db'))
    // What avocet check tries the disk with.
    await writeFile(join(folder, '.avocet/.check-17.db'), '')
    expect(await existingStore(here())).toBe(join(folder, '.avocet/a.db'))

    await writeFile(join(folder, '.avocet/b.db'), '')
    await expect(existingStore(here())).rejects.toMatchObject({
      code: 'AVO_USAGE',
      message: 'expected one store, found a, b; name the one you mean',
    })
    expect(await existingStore(here(), 'b')).toBe(join(folder, '.avocet/b.db'))
    expect(await existingStore(here(), 'elsewhere')).toBe(join(folder, 'elsewhere'))
    await writeFile(join(folder, 'avocet.config.js'), 'throw new Error("no such shop")')
    await expect(existingStore(here())).rejects.toThrow(/\(the configuration cannot say which: .*no such shop/s)
    await rm(join(folder, 'avocet.config.js'))
    await writeFile(
      join(folder, 'avocet.config.mjs'),
      "export default { spider: { name: 'b', seeds: [], handlers: { start() {} } } }",
    )
    expect(await existingStore(here())).toBe(join(folder, '.avocet/b.db'))
    expect(String(said.read())).toBe("store: .avocet/b.db, of the configuration's spider; others are in .avocet\n")
  })
})

describe('a spider that is loaded again', () => {
  it('is as its file is now, with the files that it imports, and a mistake in one of those is named by its file', async () => {
    const [spider, names] = [join(folder, 'spider.ts'), join(folder, 'names.ts')]
    const script = fileURLToPath(new URL('load-twice.ts', import.meta.url))
    const load = async (text: string): Promise<unknown> => {
      await writeFile(
        spider,
        "import { more } from './names.ts'\nexport default { name: 's', seeds: [], handlers: { start() {}, ...more } }",
      )
      await writeFile(names, 'export const more = { first() {} }')
      const words = ['--conditions=@avocet/source', script, spider, names, text]
      return JSON.parse((await promisify(execFile)(process.execPath, words)).stdout) as unknown
    }

    expect(await load('export const more = { second() {} }')).toEqual(['start first', 'start first', 'start second'])
    expect(await load('export const more = {')).toEqual(['start first', 'start first', expect.stringContaining(`${names}:1: `)])
  })

  it('says only what is wrong with the file of a spider that was found by its name', async () => {
    await mkdir(join(folder, 'spiders'))
    const file = join(folder, 'spiders', 'shop.ts')
    await writeFile(file, "const word = 'shop'\nexport default { name: `${word}-x`, seeds: [], handlers: { start() {} } }")
    const script = fileURLToPath(new URL('load-twice.ts', import.meta.url))
    const words = ['--conditions=@avocet/source', script, 'shop-x', file, 'export default {']
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder })

    expect(JSON.parse(stdout)).toEqual(['start', 'start', expect.stringMatching(/^\S*spiders\/shop\.ts:1: /)])
  })
})
