// `avocet check --values`: each value that a crawl would go by, and on whose word.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { flat, nested, settle, type Layer } from '../../../project/src/config/precedence.ts'
import { planOf } from '../../../project/src/plan/plan-crawl.ts'
import { placeIn } from '../../../project/src/place/place.ts'
import { crawlOptionsOf } from '../../../project/src/options/crawl-options.ts'
import { runCli, type CliRun } from '../run-cli.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-config-'))
})
afterEach(() => rm(folder, { recursive: true }))

const SPIDER = `{ name: 'quotes', seeds: ['http://127.0.0.1:39999/'], scope: { maxDepth: 4 }, handlers: { *start() {} } }`

function config(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliRun> {
  return runCli(['check', ...words], { folder, env })
}

/** The origin of `key`, as --values says it. */
async function whyOf(key: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout } = await config(['--values', '--get', key, ...words], env)
  return stdout.trim().replace(/\s{2,}/g, ' | ')
}

describe('precedence', () => {
  const layers: readonly Layer[] = [
    { from: 'built-in', values: { a: 4, b: 4, c: 4, d: 4 } },
    { from: 'spider', values: { a: 3, b: 3, c: 3 } },
    { from: 'config', values: { a: 2, b: 2, c: undefined } },
    { from: 'flag', values: { a: 1 } },
  ]

  it('gives flags the last word, then the configuration, the spider, and what is built in', () => {
    for (const order of [layers, layers.toReversed()]) {
      const settled = settle(order)
      expect(['a', 'b', 'c', 'd'].map((key) => settled.get(key)?.origin.from)).toEqual(['flag', 'config', 'spider', 'built-in'])
      expect(nested(settled)).toEqual({ a: 1, b: 2, c: 3, d: 4 })
    }
  })

  it('settles headers and limits one by one', () => {
    const typed: Layer = { from: 'flag', values: flat({ headers: { accept: 'a' } }) }
    const told: Layer = { from: 'config', values: flat({ headers: { accept: 'b', 'x.y': 'c' }, timeLimits: { idleMs: 1 } }) }
    expect(nested(settle([told, typed]))).toEqual({ headers: { accept: 'a', 'x.y': 'c' }, timeLimits: { idleMs: 1 } })
  })

  it('is what a crawl goes by: what is built in is left to core', async () => {
    await writeFile(
      join(folder, 'avocet.config.json'),
      '{ "concurrency": 3, "maxPages": 7, "headers": { "accept": "b", "x-a": "c" } }',
    )
    const options = crawlOptionsOf({ concurrency: '5', header: 'accept: a', targets: ['http://127.0.0.1:39999/'] })
    const { config: planned } = await planOf(options, { ...placeIn(process, []), folder })
    expect(planned).toMatchObject({ concurrency: 5, maxPages: 7, headers: { accept: 'a', 'x-a': 'c' } })
    expect(Object.keys(planned).toSorted()).toEqual(['clock', 'concurrency', 'headers', 'maxPages', 'plugins', 'policies'])
  })
})

describe('avocet check --values', () => {
  it('says of one value in turn that it is built in, the spider, the configuration, a flag', async () => {
    expect(await whyOf('concurrency', [])).toBe('concurrency | 100 | built-in')
    await writeFile(join(folder, 'avocet.config.ts'), `export default { concurrency: 50, spider: ${SPIDER} }`)
    expect(await whyOf('scope.maxDepth', [])).toBe('scope.maxDepth | 4 | spider quotes')
    expect(await whyOf('scope.maxDepth', ['--max-depth', '2'])).toBe('scope.maxDepth | 2 | --max-depth')
    expect(await whyOf('concurrency', [])).toBe('concurrency | 50 | avocet.config.ts')
    expect(await whyOf('concurrency', ['--concurrency', '30'])).toBe('concurrency | 30 | --concurrency')
  })

  it.each([
    ['avocet.config.ts', `import type {} from 'node:fs'\nexport default { concurrency: 33 as number }`],
    ['avocet.config.mts', 'export default { concurrency: 33 as number }'],
    ['avocet.config.js', 'export default { concurrency: 33 }'],
    ['avocet.config.mjs', 'export default { concurrency: 33 }'],
    ['avocet.config.json', '{ "concurrency": 33 }'],
  ])('reads %s', async (name, text) => {
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, name), text)
    expect(await whyOf('concurrency', [])).toBe(`concurrency | 33 | ${name}`)
  })

  it('shows hosts, limits and plugins by name, and hides what may be a secret', async () => {
    await writeFile(
      join(folder, 'avocet.config.ts'),
      `export default { spider: ${SPIDER}, plugins: [{ name: 'own', policy: 'rate' }], hosts: { '*': { maxRps: 9 }, 'a.example': { maxInFlight: 2 } },
        timeLimits: { idleMs: 7 }, headers: { authorization: 'Bearer s3cret', 'x-pwd': 's3cret', 'x-author': 'Ann', accept: 'text/html' } }`,
    )
    const run = await config(['--values', '--json', '--max-rps', '5'])
    const { values } = JSON.parse(run.stdout) as {
      values: Readonly<Record<string, { value: unknown; from: string; name?: string }>>
    }
    const path = join(folder, 'avocet.config.ts')
    expect(values).toMatchObject({
      // The journal, which only watches, is with every crawl.
      policies: { value: expect.arrayContaining(['own', 'robots']) },
      plugins: { value: expect.arrayContaining(['own']), from: 'config', name: path },
      "hosts['*'].maxRps": { value: 5, from: 'flag', name: '--max-rps' },
      "hosts['a.example'].maxInFlight": { value: 2, from: 'config', name: path },
      'timeLimits.idleMs': { value: 7, from: 'config', name: path },
      'timeLimits.connectMs': { value: 15_000, from: 'built-in' },
      'headers.authorization': { value: '(hidden)' },
      'headers.x-pwd': { value: '(hidden)' },
      'headers.x-author': { value: 'Ann' },
      'headers.accept': { value: 'text/html' },
      store: { value: '.avocet/quotes.db', from: 'built-in' },
    })
    expect(run.stdout).not.toContain('s3cret')
  })

  it('writes rules out', async () => {
    await writeFile(join(folder, 'avocet.config.ts'), 'export default { recrawl: [{ match: /offer/, everyMs: 3600000 }] }')
    expect(await whyOf('recrawl', [])).toBe('recrawl | {"match":"/offer/","everyMs":3600000} | avocet.config.ts')
    expect(await whyOf('recrawl', ['--every', '1h'])).toMatch(/^recrawl \| .*3600000.* \| --every$/)
  })

  it('has the options that a switch leaves as they are', async () => {
    const options = `cache: { maxBytes: 2097152 }, sitemaps: { urls: ['https://shop.example/map.xml'] }`
    await writeFile(join(folder, 'avocet.config.ts'), `export default { ${options} }`)

    expect(await whyOf('cache', [])).toBe('cache | {"maxBytes":2097152} | avocet.config.ts')
    expect(await whyOf('cache', ['--cache'])).toBe('cache | {"maxBytes":2097152} | --cache')
    expect(await whyOf('sitemaps', ['--sitemaps'])).toBe('sitemaps | {"urls":["https://shop.example/map.xml"]} | --sitemaps')
  })

  it('prints one value alone for scripts, and says what was meant by a key that there is not', async () => {
    expect((await config(['--get', 'drainMs'])).stdout).toBe('30000\n')
    const run = await config(['--get', 'concurency'])
    expect(run.stderr).toContain("expected a key that has a value, got 'concurency' (did you mean 'concurrency'?)")
    expect(run.code).toBe(2)
  })
})
