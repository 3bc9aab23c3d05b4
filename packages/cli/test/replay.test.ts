// The loop of editing a handler: responses are kept, a replay runs the handlers over them, and a spider that changed is noticed.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CrawlReport } from '@avocet/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cachePathOf } from '../../project/src/store/store-path.ts'
import { runCli, type CliRun } from './run-cli.ts'
import { smallSite, type SmallSite } from './small-site.ts'

let folder: string
let site: SmallSite
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-replay-'))
  site = await smallSite(12)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await spiderYields('title: page.title')
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

/** The fields are in a file that the spider imports. */
async function spiderYields(fields: string): Promise<void> {
  await writeFile(join(folder, 'fields.js'), `export const fields = (page) => ({ ${fields} })`)
  await writeFile(
    join(folder, 'shop.js'),
    `import { fields } from './fields.js'
    export default { name: 'shop', seeds: ['${site.url}'], handlers: { *start(page) { yield fields(page); yield* page.links() } } }`,
  )
}

function crawl(...words: string[]): Promise<CliRun> {
  return runCli(['crawl', 'shop.js', '--rate', 'none', ...words], { folder })
}

const items = (): unknown[] =>
  readFileSync(join(folder, 'items.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))

/** Replays it. */
const replay = (...words: string[]): Promise<CliRun> => runCli(['replay', 'shop.js', ...words], { folder })

describe('avocet replay', () => {
  it('runs changed handlers over every page that was kept, requests none, and leaves the store as it is', async () => {
    await crawl('--cache', '-O', 'items.jsonl')
    await spiderYields('heading: page.title.toUpperCase()')
    const asked = site.asked.length
    const before = await runCli(['export', '-O', '-'], { folder })

    const { code, stderr } = await replay('-O', 'items.jsonl')

    expect(site.asked).toHaveLength(asked)
    expect(items()).toHaveLength(12)
    expect(items()).toContainEqual({ heading: 'PAGE 11' })
    expect(stderr).toContain('12 responses kept; no site is requested\n')
    expect(stderr).toMatch(/this run: 12 pages done, 0 moved, 0 failed; 12 items/)
    expect(stderr).not.toContain('policies:')
    expect((await runCli(['export', '-O', '-'], { folder })).stdout).toBe(before.stdout)
    expect(code).toBe(0)
  })

  it('counts URLs that are not kept, and requests none of them', async () => {
    await crawl('--cache', '--max-pages', '5')
    const asked = site.asked.length

    const { code, stdout, stderr } = await replay('--json')
    const report = JSON.parse(stdout) as CrawlReport & { readonly notKept: number }

    expect(site.asked).toHaveLength(asked)
    expect([code, report.counts.done, report.counts.failed, report.failures]).toEqual([0, 5, 0, []])
    expect(report.notKept).toBeGreaterThan(0)
    expect(stderr).toContain(`${report.notKept} URLs not kept and not requested, such as ${site.url}`)
  })

  it('counts kept responses that no link of today leads to', async () => {
    await crawl('--cache')
    await writeFile(
      join(folder, 'shop.js'),
      `export default { name: 'shop', seeds: ['${site.url}'], handlers: { *start(page) { yield { heading: page.title } } } }`,
    )

    const { stderr } = await replay('-O', 'items.jsonl')

    expect(items()).toEqual([{ heading: 'page 0' }])
    expect(stderr).toContain('11 kept responses not replayed: no link of today leads there\n')
  })

  it('counts a kept response that is damaged, and says what to do', async () => {
    await crawl('--cache')
    const cache = new DatabaseSync(join(folder, '.avocet/shop.cache'))
    cache.exec(`UPDATE response SET body = x'00' WHERE url = '${site.url}11'`)
    cache.close()

    const { code, stderr } = await replay('-O', 'items.jsonl')

    expect([code, items().length]).toEqual([0, 11])
    expect(stderr).toContain('1 kept response cannot be read; delete .avocet/shop.cache and crawl with --cache again\n')
  })

  it('ends with 11 where handlers fail on too many pages, as a crawl does', async () => {
    await crawl('--cache')
    await spiderYields('title: page.titel.trim()')

    const { code, stderr } = await replay('-O', 'items.jsonl')

    expect(code).toBe(11)
    expect(stderr).toContain('errors in handlers:')
    expect(stderr).toContain('fix the handlers, then run the same command again\n')
  })

  it('waits for no host, whatever the configuration and its plugins say, and names plugins that may repeat what they do', async () => {
    await crawl('--cache')
    await writeFile(
      join(folder, 'avocet.config.js'),
      `const holds = { name: 'holds', admit(ask) { ask.notBefore(ask.now + 3_600_000, 'rests') }, beforeRequest(out) { out.drop('no') } }
      const sends = { name: 'sends', outsideEffects: true, onItem() {} }
      export default { delayMs: 3_600_000, plugins: [holds, sends] }`,
    )

    const { code, stderr } = await replay('-O', 'items.jsonl')

    expect([code, items().length]).toEqual([0, 12])
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(/plugins run too, and may repeat what they do outside the crawl: .*sends/)
  })

  it.each([
    [[], 'replay: expected kept responses in .avocet/shop.cache, got none; crawl with --cache first'],
    [['--store', ':memory:'], 'replay: expected kept responses in .avocet/shop.cache, got none'],
    [['--max-pages', '3'], 'replay: expected a known option, got --max-pages'],
  ])('refuses %j in one line', async (words, message) => {
    const { code, stderr } = await replay(...words)

    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})

describe('kept responses of a crawl', () => {
  it('are those of one store alone, also where another differs by its ending', () => {
    const stores = ['data/a', 'data/a.db', 'data/a.sqlite']

    expect(stores.map(cachePathOf)).toEqual(['data/a-cache', 'data/a.cache', 'data/a.sqlite-cache'])
  })

  it('are in a file of their own beside the store, for its owner alone, and no store to any command', async () => {
    await crawl('--cache')

    expect(statSync(join(folder, '.avocet/shop.cache')).mode & 0o777).toBe(0o600)
    expect((await runCli(['status', '--json'], { folder })).code).toBe(0)
  })

  it('are kept where the configuration says so, but not of a store in RAM', async () => {
    await writeFile(join(folder, 'avocet.config.js'), 'export default { cache: { maxBytes: 2_000_000 } }')

    const inMemory = await crawl('--store', ':memory:')
    const before = existsSync(join(folder, '.avocet'))
    await crawl()

    expect([inMemory.code, before]).toEqual([0, false])
    expect(existsSync(join(folder, '.avocet/shop.cache'))).toBe(true)
  })

  it('cost a crawl nothing when their file is damaged, which is said', async () => {
    await crawl('--cache', '--max-pages', '1')
    await writeFile(join(folder, '.avocet/shop.cache'), 'garbage, and enough of it to be taken for no database at all')

    const { code, stderr } = await crawl('--cache', '-O', 'items.jsonl')

    expect(stderr).toContain('problem: responses are not kept in this run: ')
    expect([code, items().length]).toEqual([0, 12])
  })
})
