// A project with two spiders, one of which the configuration declares: its outputs and plugins get items of that one alone.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sandbox } from '../../../../test/documents/sandbox.ts'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

let project: ReturnType<typeof sandbox>
let site: SmallSite

beforeEach(async () => {
  project = sandbox()
  site = await smallSite(3)
  for (const name of ['prices', 'other']) await writeFile(join(project.folder, `${name}.mjs`), spiderCalled(name))
})
afterEach(() => {
  site.close()
  project[Symbol.dispose]()
})

function spiderCalled(name: string): string {
  return `export default { name: '${name}', seeds: ['${site.url}'], handlers: { *start(page) {
    yield { spider: '${name}', title: page.title }
    yield* page.links()
  } } }\n`
}

/** `members`: of the configuration. `prices` is its spider, `file` makes a sink of a file in the project. */
async function configured(members: string): Promise<void> {
  const sinks = join(import.meta.dirname, '../../../sink-files/src/index.ts')
  const head = `import { csv } from '${sinks}'\nimport prices from './prices.mjs'
const file = (name) => csv('${project.folder}/' + name, { name })\n`
  await writeFile(join(project.folder, 'avocet.config.mjs'), `${head}export default { ${members} }\n`)
}

const crawl = (...words: string[]): Promise<CliRun> =>
  runCli(['crawl', ...words, '--rate', 'none', '--delay', '0'], { folder: project.folder })
const textOf = (name: string): Promise<string> => readFile(join(project.folder, name), 'utf8')
const line = ({ stderr }: CliRun): string => stderr.replaceAll(/\s+/g, ' ')

describe('the sinks and plugins of a configuration', () => {
  it('get no item of another spider, which says that it does without them', async () => {
    const dedupe = `{ name: 'dedupe', outsideEffects: false, onItem: () => null }`
    await configured(`spider: prices, sinks: [file('prices.csv')]`)
    await crawl()
    const before = await textOf('prices.csv')
    await configured(
      `spider: prices, sinks: [file('prices.csv')], plugins: [${dedupe}, { name: 'ways', admit: () => undefined }]`,
    )

    const other = await crawl('other.mjs', '-O', 'other.csv')

    expect([other.code, (await textOf('other.csv')).match(/other,/g)?.length]).toEqual([0, 3])
    expect(await textOf('prices.csv')).toBe(before)
    expect(before.match(/prices,/g)).toHaveLength(3)
    expect(line(other)).toContain(
      'avocet.config.mjs is of the spider prices, and this is other, which does without sink prices.csv, plugin dedupe; to use them,',
    )
  })

  it('are those of its own spider, by whatever it is called', async () => {
    await configured(`spider: prices, sinks: [file('prices.csv')]`)

    for (const words of [['prices.mjs'], ['prices'], []]) {
      const { code, stderr } = await crawl(...words)
      expect([code, stderr.includes('does without')]).toEqual([0, false])
    }
    expect((await textOf('prices.csv')).match(/prices,/g)).toHaveLength(3)
  })
})

describe('what a configuration says of a handler', () => {
  it.each([
    ['a rule for visits', "recrawl: [{ everyMs: 3_600_000, match: 'product' }, { everyMs: 7_200_000 }]", 'recrawl of product'],
    ['the handler of sitemaps', "sitemaps: { handler: 'product' }", 'sitemaps'],
    ['a plugin', "plugins: [{ name: 'lists', linksTo: ['product'], admit: () => undefined }]", 'plugin lists'],
  ])('is left out for spiders without that handler: %s', async (_what, members, left) => {
    await configured(`spider: { ...prices, handlers: { ...prices.handlers, *product() {} } }, ${members}`)

    const other = await crawl('other.mjs', '--max-time', '2s')
    const fetched = await runCli(['fetch', site.url], { folder: project.folder })
    const check = await runCli(['check', 'other.mjs', '--offline'], { folder: project.folder })

    expect(line(other)).toContain(`and this is other, which does without ${left}; to use them,`)
    expect([fetched.code, fetched.stderr, check.code]).toEqual([0, '', 0])
  })

  it('is left out for pages of a URL, also where it is for all spiders, and refused for a spider', async () => {
    await configured("recrawl: [{ everyMs: 3_600_000, match: 'product' }]")

    expect((await runCli(['fetch', site.url], { folder: project.folder })).code).toBe(0)
    expect((await crawl('other.mjs')).stderr).toContain('or the name of a handler (start)')
  })
})

describe('a file of a configuration', () => {
  it.each([['one process'], ['several processes', '--processes', '2']])(
    'is left as it is, with its store, by a --fresh that may not replace it: %s',
    async (_of, ...more) => {
      await configured(`spider: prices, sinks: [csv('${project.folder}/prices.csv')]`)
      await crawl()
      const before = await textOf('prices.csv')

      const refused = await crawl('--fresh', '--yes', ...more)
      const resumed = await crawl()

      expect([refused.code, resumed.code]).toEqual([7, 0])
      expect(line(refused)).toContain('--fresh: expected sinks that may replace their files, got one with items in ')
      expect(await textOf('prices.csv')).toBe(before)
      await configured(`spider: prices, sinks: [csv('${project.folder}/prices.csv', { mode: 'overwrite' })]`)
      expect((await crawl('--fresh', '--yes')).code).toBe(0)
      expect((await textOf('prices.csv')).match(/prices,/g)).toHaveLength(3)
    },
  )

  it('is left as it is where an output is the same file', async () => {
    await configured(`spider: prices, sinks: [csv('${project.folder}/prices.csv')]`)
    await crawl()
    const before = await textOf('prices.csv')

    const { code, stderr } = await crawl('-O', 'prices.csv')

    expect([code, stderr.includes('got two')]).toEqual([7, true])
    expect(await textOf('prices.csv')).toBe(before)
  })

  it.each([
    ['another store', ['prices.mjs', '--store', 'tmp.db']],
    ['another spider', ['other.mjs']],
  ])('that %s has written is refused, and left as it is', async (_of, words) => {
    await configured(`sinks: [file('prices.csv')]`)
    await crawl('prices.mjs')
    const before = await textOf('prices.csv')

    const { code, stderr } = await crawl(...words)

    expect(code).toBe(7)
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /prices\.csv: expected a new file, or one as this crawl left it, .* \(AVO_OUTPUT_UNWRITABLE\)/,
    )
    expect(await textOf('prices.csv')).toBe(before)
  })
})
