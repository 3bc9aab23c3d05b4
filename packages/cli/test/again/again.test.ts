// The loop of editing a handler: responses are kept, the handlers run over them again, and a spider that changed is noticed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CrawlReport } from '@avocet/core'
import { openReader } from '@avocet/plugin-sqlite'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { cachePathOf } from '../../src/load/store-path.ts'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

let folder: string
let site: SmallSite
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-again-'))
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
  return runCli(['crawl', 'shop.js', ...(words.includes('--again') ? [] : ['--rate', 'none']), ...words], { folder })
}

const items = (): unknown[] =>
  readFileSync(join(folder, 'items.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))

describe('avocet crawl --again', () => {
  it('runs changed handlers over every page that was kept, and requests none', async () => {
    await crawl('--cache', '-O', 'items.jsonl')
    await spiderYields('heading: page.title.toUpperCase()')
    const asked = site.asked.length

    const { code, stderr } = await crawl('--again', '-O', 'items.jsonl')

    expect(site.asked).toHaveLength(asked)
    expect(items()).toHaveLength(12)
    expect(items()).toContainEqual({ heading: 'PAGE 11' })
    expect(stderr).toContain('12 responses kept; no site is requested\n')
    expect(stderr).not.toContain('policies:')
    expect(code).toBe(0)
  })

  it('leaves pages that are not kept waiting, for the next crawl', async () => {
    await crawl('--cache', '--max-pages', '5')

    const again = await crawl('--again', '--json')
    const report = JSON.parse(again.stdout) as CrawlReport
    const asked = site.asked.length
    const next = await crawl('-O', 'items.jsonl')

    expect(report.counts).toMatchObject({ done: 5, failed: 0 })
    expect(report.counts.waiting).toBeGreaterThan(0)
    expect(report.failures).toEqual([])
    expect(again.stderr).toContain(
      `${report.counts.waiting} pages are not kept and wait; to request them:\n  avocet crawl shop.js\n`,
    )
    expect(site.asked.length - asked).toBe(7)
    expect(items()).toHaveLength(12)
    expect(next.code).toBe(0)
  })

  it('runs changed handlers over kept pages that no link leads to any more', async () => {
    await crawl('--cache', '-O', 'items.jsonl')
    await writeFile(
      join(folder, 'shop.js'),
      `export default { name: 'shop', seeds: ['${site.url}'], handlers: { *start(page) { yield { heading: page.title } } } }`,
    )

    const { stderr } = await crawl('--again', '-O', 'items.jsonl')

    expect(items()).toHaveLength(12)
    expect(items().filter((item) => Object.keys(item as object)[0] === 'heading')).toHaveLength(12)
    expect(stderr).not.toContain('keep')
  })

  it('leaves pages that were dropped as they are, and says how to have them back', async () => {
    await spiderYields("title: page.url.pathname === '/11' ? page.nothing.at.all : page.title")
    await crawl('--cache')
    await runCli(['dlq', 'drop', '--class', 'handler'], { folder })
    await spiderYields('title: page.title')

    const again = await crawl('--again', '--json')
    const retried = await runCli(['dlq', 'retry', '--class', 'dropped'], { folder })
    const third = await crawl('--again', '--json')

    expect((JSON.parse(again.stdout) as CrawlReport).counts).toMatchObject({ done: 11, failed: 1, items: 11 })
    expect(again.stderr).toContain('1 dropped page stays as it was; to take the drop back,')
    expect(again.stderr).toContain('  avocet dlq retry .avocet/shop.db --class dropped\n')
    expect(retried.stdout).toContain('1 page waits again')
    expect((JSON.parse(third.stdout) as CrawlReport).counts).toMatchObject({ done: 12, failed: 0, items: 12 })
    expect(third.stderr).not.toContain('dropped')
  })

  it('keeps the store as it was before, and takes its place only once it has finished', async () => {
    await crawl('--cache', '-O', 'items.jsonl')

    await spiderYields('title: page.titel.trim()')
    const [broken, again] = [await crawl('--again', '-O', 'items.jsonl'), await crawl('--again', '-O', 'items.jsonl')]
    const counts = await countsOf('shop.db')
    await spiderYields('title: page.title')
    const whole = await crawl('--again')

    for (const { code, stderr } of [broken, again])
      expect([code, stderr.trim().split('\n').at(-1)]).toEqual([
        11,
        'what the handlers made is discarded, so the store and outputs are as they were',
      ])
    expect(broken.stderr).toContain('fix the lines above, then run the same command again\n')
    expect(items()).toHaveLength(12)
    expect(counts).toMatchObject({ done: 12, waiting: 0 })
    expect(whole.stderr).toContain('the store as the last crawl left it is .avocet/shop.before\n')
    expect(await countsOf('shop.before')).toMatchObject({ done: 12 })
    expect(existsSync(join(folder, '.avocet/shop.again'))).toBe(false)
  })

  it('keeps the store as the last crawl left it, however often it runs, until there is another crawl', async () => {
    await crawl('--cache', '--max-pages', '5')
    const firstItem = (name: string): unknown => {
      const store = new DatabaseSync(join(folder, '.avocet', name), { readOnly: true })
      const json = store.prepare('SELECT json FROM item WHERE request = 1').get()?.['json']
      store.close()
      return JSON.parse(String(json))
    }

    await spiderYields('first: 1')
    await crawl('--again')
    await spiderYields('second: 2')
    const second = await crawl('--again')
    const files = readdirSync(join(folder, '.avocet')).filter((name) => /again|before/.test(name))
    const [before, now] = [firstItem('shop.before'), firstItem('shop.db')]
    await crawl('--cache')
    await crawl('--again')

    expect([before, now]).toEqual([{ title: 'page 0' }, { second: 2 }])
    expect(second.stderr).toContain('the store as the last crawl left it is .avocet/shop.before\n')
    expect(firstItem('shop.before')).toEqual({ second: 2 })
    expect(await countsOf('shop.before')).toMatchObject({ done: 12 })
    expect(files).toEqual(['shop.before'])
  })

  it('runs once at a time, and says which process is at it', async () => {
    await crawl('--cache')
    const other = spawn('sleep', ['60'])
    onTestFinished(() => void other.kill())
    const started = readFileSync(`/proc/${other.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19]
    const lock = join(folder, '.avocet/shop.again.lock')
    await writeFile(lock, `${other.pid} ${started}`)
    await writeFile(join(folder, '.avocet/shop.again'), 'what the other one writes')

    const refused = await crawl('--again')
    other.kill()
    await once(other, 'close')
    const left = readFileSync(join(folder, '.avocet/shop.again'), 'utf8')
    await rm(join(folder, '.avocet/shop.again'))
    const later = await crawl('--again')

    expect([refused.code, refused.stderr]).toEqual([
      7,
      expect.stringContaining(`shop.db, got process ${other.pid}; wait until it ends, and run the same command again`),
    ])
    expect(left).toBe('what the other one writes')
    expect([later.code, existsSync(lock)]).toEqual([0, false])
  })

  it('follows links as far as --max-depth says', async () => {
    await crawl('--cache')

    const { code, stderr } = await crawl('--again', '--max-depth', '1', '-O', 'items.jsonl')

    expect(code, stderr).toBe(0)
    expect(stderr).toContain('this run: 3 pages, 3 items, 0 requests')
    expect(stderr).toContain('4 too deep (scope.maxDepth)')
  })

  it('waits for no host, whatever the configuration and its plugins say', async () => {
    await crawl('--cache')
    await writeFile(
      join(folder, 'avocet.config.js'),
      `const holds = { name: 'holds', admit(ask) { ask.notBefore(ask.now + 3_600_000, 'rests') }, beforeRequest(out) { out.drop('no') } }
      const drops = { name: 'drops', onItem: (item) => (item.title === 'page 3' ? null : item) }
      export default { plugins: [holds, drops], delayMs: 60_000, hosts: { '*': { maxRps: 0.01 } }, recrawl: [{ everyMs: 60_000 }] }`,
    )

    const { code, stderr } = await runCli(['crawl', 'shop.js', '--again', '-O', 'items.jsonl'], { folder })

    expect(code, stderr).toBe(0)
    expect(items()).toHaveLength(11)
  })

  it('runs where the environment has options of crawls, and says that they have no effect', async () => {
    await crawl('--cache')
    const env = { AVOCET_USER_AGENT: 'me', AVOCET_DELAY: '1s', AVOCET_MAX_PAGES: '3' }

    const { code, stderr } = await runCli(['crawl', 'shop.js', '--again', '-O', 'items.jsonl'], { folder, env })

    expect(code, stderr).toBe(0)
    expect(items()).toHaveLength(12)
    expect(stderr).toMatch(/(AVOCET_\w+), (AVOCET_\w+) and (AVOCET_\w+) have no effect with --again\n/)
  })

  it('says which plugins may repeat what they do outside the crawl', async () => {
    await writeFile(
      join(folder, 'avocet.config.js'),
      `import shop from './shop.js'
      export default { spider: shop, plugins: [{ name: 'saved', outsideEffects: true, onItem: (item) => item }] }`,
    )
    const run = (...words: string[]): Promise<CliRun> => runCli(['crawl', ...words], { folder })
    await run('--cache', '--rate', 'none')

    const { stderr } = await run('--again')

    expect(stderr).toContain(
      '12 responses kept; no site is requested; plugins run too, and may repeat what they do outside the crawl: saved\n',
    )
  })

  it('keeps the patterns that were accepted', async () => {
    await crawl('--cache')
    await runCli(['scope', 'accept', '127.0.0.1/cal/**', '--ahead', '--store', '.avocet/shop.db'], { folder })

    await crawl('--again')

    expect((await runCli(['scope', 'list'], { folder })).stdout).toContain('127.0.0.1/cal/**')
  })

  it.each([
    [['--again'], 'expected kept responses in .avocet/shop.cache, got none; crawl with --cache first'],
    [['--again', '--fresh'], 'expected --again, which requests nothing, or --fresh, got both'],
    [
      ['--again', '--max-pages', '3'],
      '--again: expected to run the handlers over everything that is kept, got --max-pages too; leave it out',
    ],
    [
      ['--again', '--max-time', '3s'],
      '--again: expected to run the handlers over everything that is kept, got --max-time too; leave it out',
    ],
    [['--again', '-o', 'a.jsonl'], 'got -o a.jsonl, which would have each item twice; write -O a.jsonl'],
    [
      ['--again', '--store', ':memory:'],
      '--again: expected a store that avocet made in a file, got :memory:; name another: --store PATH',
    ],
    [['--again', '--every', '1h'], 'expected --again, which requests nothing, or --every, got both'],
    [['--cache', '--store', ':memory:'], '--cache: expected a store in a file, beside which responses are kept, got :memory:'],
  ])('answers %j in one line', async (words, line) => {
    const { code, stderr } = await crawl(...words)

    expect(stderr).toContain(line)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(code).toBe(2)
    expect(site.asked).toEqual([])
  })
})

describe('files beside a store', () => {
  it('are not removed by --again unless they are stores', async () => {
    await crawl('--cache')
    await writeFile(join(folder, '.avocet/shop.before'), 'notes of mine, and enough of them to be taken for no database at all')

    const { code, stderr } = await crawl('--again')

    expect([code, stderr]).toEqual([7, expect.stringContaining('.avocet/shop.before')])
    expect(readFileSync(join(folder, '.avocet/shop.before'), 'utf8')).toContain('notes of mine')
  })

  it.each(
    ['.again', '.again-copy', '.before'].flatMap((ending) => ['-wal', '-shm', '-journal'].map((beside) => ending + beside)),
  )('are not removed by --again where the store is missing that shop%s would be of', async (ending) => {
    await crawl('--cache')
    const mine = join(folder, `.avocet/shop${ending}`)
    await writeFile(mine, 'notes of mine')

    const { code, stderr } = await crawl('--again')

    expect([code, stderr]).toEqual([7, expect.stringContaining(`shop${ending} without `)])
    expect(readFileSync(mine, 'utf8')).toBe('notes of mine')
    expect(await countsOf('shop.db')).toMatchObject({ done: 12 })
  })

  it('are not removed by --again where one has the name of its lock', async () => {
    await crawl('--cache')
    const mine = join(folder, '.avocet/shop.again.lock')
    await writeFile(mine, 'notes of mine')

    const { code, stderr } = await crawl('--again')

    expect([code, stderr]).toEqual([7, expect.stringContaining('shop.again.lock: expected nothing or a lock, got another file')])
    expect(readFileSync(mine, 'utf8')).toBe('notes of mine')
  })

  it('are no part of the store that --again makes where there was none', async () => {
    await crawl('--cache')
    await rm(join(folder, '.avocet/shop.db'))
    await writeFile(join(folder, '.avocet/shop.db-wal'), 'notes of mine')

    const refused = await crawl('--again')
    const kept = readFileSync(join(folder, '.avocet/shop.db-wal'), 'utf8')
    await rm(join(folder, '.avocet/shop.db-wal'))
    const made = await crawl('--again')

    expect([refused.code, kept]).toEqual([7, 'notes of mine'])
    expect([made.code, existsSync(join(folder, '.avocet/shop.again'))]).toEqual([0, false])
    expect(await countsOf('shop.db')).toMatchObject({ done: 12 })
  })

  it('are removed where a run of --again was killed: a store of ours, and what SQLite has beside it', async () => {
    await crawl('--cache')
    for (const ending of ['.again', '.again-copy', '.before']) {
      copyFileSync(join(folder, '.avocet/shop.db'), join(folder, `.avocet/shop${ending}`))
      for (const beside of ['-wal', '-shm']) await writeFile(join(folder, `.avocet/shop${ending}${beside}`), '')
    }

    const { code, stderr } = await crawl('--again')

    expect(code, stderr).toBe(0)
    expect(readdirSync(join(folder, '.avocet')).filter((name) => /again|before/.test(name))).toEqual(['shop.before'])
  })

  it('are in the way of nothing where a reader left them behind: they have nothing in them', async () => {
    await crawl('--cache')
    await runCli(['status', '--store', '.avocet/shop.db'], { folder })
    const left = readdirSync(join(folder, '.avocet')).filter((name) => name.startsWith('shop.db-'))
    await rm(join(folder, '.avocet/shop.db'))

    const { code, stderr } = await crawl('--again')

    expect(left).toEqual(['shop.db-shm', 'shop.db-wal'])
    expect(code, stderr).toBe(0)
    expect(await countsOf('shop.db')).toMatchObject({ done: 12 })
  })

  it('are those of one store alone, also where another differs by its ending', () => {
    const stores = ['data/a', 'data/a.db', 'data/a.sqlite']

    expect(stores.map(cachePathOf)).toEqual(['data/a-cache', 'data/a.cache', 'data/a.sqlite-cache'])
  })
})

describe('kept responses of a crawl', () => {
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

describe('a spider that changed', () => {
  const line = 'shop.js (or a file that it imports) changed since the last run: pages already crawled keep their items; to '

  it('is named by every run that finds nothing to do, and by a run that resumes', async () => {
    await crawl('--max-pages', '3')
    await spiderYields('other: 1')
    const resumed = await crawl()
    const same = await crawl()
    await spiderYields('other: 2')
    const [first, second] = [await crawl(), await crawl()]

    expect(resumed.stderr).toContain(`${line}crawl them anew:\n  avocet crawl shop.js --fresh\n`)
    expect(same.stderr).not.toContain('changed')
    expect(first.stderr).toContain(line)
    expect(second.stderr).toContain(line)
  })

  it('is another spider where another file crawled into the store, and the file is still there', async () => {
    await crawl('--max-pages', '3')
    const text = readFileSync(join(folder, 'shop.js'), 'utf8')
    await writeFile(join(folder, 'other.js'), `${text}\n// Another.\n`)
    const run = (): Promise<CliRun> => runCli(['crawl', 'other.js', '--rate', 'none', '--max-pages', '1'], { folder })

    const other = await run()
    const same = await run()

    expect(other.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'the last run in this store was of shop.js, this one is of other.js: items of both are in one store; give one of them another name',
    )
    expect(same.stderr).not.toContain('the last run')
  })

  it('is found in the text of files: none is run that the spider does not load', async () => {
    await writeFile(
      join(folder, 'danger.js'),
      "import { writeFileSync } from 'node:fs'\nwriteFileSync(new URL('ran', import.meta.url), '')\n",
    )
    await writeFile(
      join(folder, 'shop.js'),
      `${readFileSync(join(folder, 'shop.js'), 'utf8')}\n// import('./danger.js')\nexport const later = () => import('./danger.js')\n`,
    )

    await crawl('--max-pages', '1')

    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it('is told of --again where responses are kept, and is not noticed behind that', async () => {
    await crawl('--cache')
    await spiderYields('other: 1')
    const changed = await crawl()
    await crawl('--again')
    const after = await crawl()

    expect(changed.stderr).toContain(`${line}run the handlers over kept responses:\n  avocet crawl shop.js --again\n`)
    expect(changed.stderr).toContain('nothing to do: every known URL is settled; --again runs the handlers over kept responses, ')
    expect(after.stderr).not.toContain('changed')
  })

  it('of a configuration is the file that it imports, not the configuration', async () => {
    const config = (more: string): Promise<void> =>
      writeFile(join(folder, 'avocet.config.js'), `import spider from './shop.js'\nexport default { spider, ${more} }`)
    const run = (): Promise<CliRun> => runCli(['crawl', '--rate', 'none'], { folder })
    await config('')
    await run()
    await config('concurrency: 7')
    const other = await run()
    await spiderYields('other: 1')

    expect(other.stderr).not.toContain('changed')
    expect((await run()).stderr).toContain(line)
  })
})

async function countsOf(name: string): Promise<object> {
  const reader = await openReader(join(folder, '.avocet', name))
  try {
    return await reader.counts()
  } finally {
    await reader.close()
  }
}
