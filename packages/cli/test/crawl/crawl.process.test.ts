// A crawl from the command line, in RAM: what goes to stdout and what to stderr, options, signals, exit codes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, spawnCli } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

const BIN = fileURLToPath(new URL('../../bin/avocet.js', import.meta.url))
/** What says how hosts are treated, once the crawl has begun. */
const STARTED = 'policies: robots, rate (fixed-delay), breaker, timeouts (adaptive-timeout), retry\n'
const QUICK = ['--store', ':memory:', '--rate', 'fixed', '--delay', '0', '--max-per-host', '8']
let folder: string
let site: SmallSite | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-crawl-'))
})
afterEach(async () => {
  site?.close()
  site = undefined
  await rm(folder, { recursive: true })
})

function linesOf(text: string): Record<string, unknown>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('avocet crawl', () => {
  it('tells a problem the moment it begins, and how often it came at the end', async () => {
    site = await smallSite(3)
    const config = `export default { plugins: [{ name: 'broken', onSettled() { throw new Error('oops') } }] }`
    await writeFile(join(folder, 'avocet.config.js'), config)
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')

    const run = await runCli(['crawl', site.url, ...QUICK, '--log-level', 'debug', '--log-format', 'json'], { folder })

    const events = linesOf(run.stderr).map(({ event }) => event)
    expect(events.filter((event) => event === 'problem')).toHaveLength(1)
    expect(events.indexOf('problem')).toBeLessThan(events.lastIndexOf('request'))
    expect(run.stderr).toContain('plugin broken threw in onSettled: oops')
  })
})

describe('avocet crawl URL', () => {
  it('yields an item per page with the built-in spider, data on stdout and the report on stderr', async () => {
    site = await smallSite(7)

    const run = await runCli(['crawl', site.url, ...QUICK, '-o', '-'], { folder })

    const items = linesOf(run.stdout)
    expect(items).toHaveLength(7)
    expect(items[0]).toEqual({
      url: site.url,
      status: 200,
      title: 'page 0',
      links: 2,
      fetchedAt: expect.stringMatching(/^20\d\d-.*Z$/),
    })
    expect(items.find(({ title }) => title === 'page 6')).toMatchObject({ links: 0 })
    expect(run.stderr).toMatch(
      /^policies: .*\n127\.0\.0\.1-\d+ finished after .*: nothing is waiting\n {2}this run: 7 pages done, .*; 7 items\n {4}8 requests/,
    )
    expect(run.code).toBe(0)
  })

  it('takes seeds from a file and from standard input', async () => {
    site = await smallSite(7)
    await writeFile(join(folder, 'seeds.txt'), `# two\n${site.url}5\r\n\n${site.url}6\n`)

    const listed = await runCli(['crawl', '--seeds', 'seeds.txt', ...QUICK, '-o', '-'], { folder })
    const piped = await runCli(['crawl', '--seeds', '-', ...QUICK, '-o', '-'], { folder, input: `${site.url}4\n` })

    expect(linesOf(listed.stdout).map(({ title }) => title)).toEqual(['page 5', 'page 6'])
    expect(linesOf(piped.stdout).map(({ title }) => title)).toEqual(['page 4'])
  })

  it('keeps to --max-depth and says with its exit code that --max-pages ended it', async () => {
    site = await smallSite(100)

    const shallow = await runCli(['crawl', site.url, ...QUICK, '--max-depth', '1', '-o', '-'], { folder })
    const few = await runCli(['crawl', site.url, ...QUICK, '--max-pages', '5', '-o', '-'], { folder })

    expect(linesOf(shallow.stdout)).toHaveLength(3)
    expect(shallow.code).toBe(0)
    expect(linesOf(few.stdout)).toHaveLength(5)
    expect(few.stderr).toContain('ended at a limit')
    expect(few.code).toBe(5)
  })

  it('leaves with 6 when not one page could be had', async () => {
    site = await smallSite(1)
    const run = await runCli(['crawl', `${site.url}99`, ...QUICK], { folder })
    expect(run.stderr).toContain('1 × http-404')
    expect(run.code).toBe(6)
  })

  it('prints one report with --json, and nothing else', async () => {
    site = await smallSite(3)
    const run = await runCli(['crawl', site.url, ...QUICK, '--json', '-O', 'out.json'], { folder })
    expect(JSON.parse(run.stdout)).toMatchObject({
      schema: 1,
      ended: 'done',
      resumed: false,
      run: { pages: 3 },
      counts: { items: 3 },
    })
    expect(run.stderr).toBe(STARTED)
    expect(JSON.parse(await readFile(join(folder, 'out.json'), 'utf8'))).toHaveLength(3)
  })

  it('stops with 141 and one line when the reader of its items goes away', async () => {
    site = await smallSite(20_000, 5)
    const child = spawn(process.execPath, ['--conditions=@avocet/source', BIN, 'crawl', site.url, ...QUICK, '-o', '-'], {
      cwd: folder,
    })
    let stderr = ''
    child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
    await once(child.stdout, 'data')
    child.stdout.destroy()
    const [code] = (await once(child, 'close')) as [number]
    expect({ code, stderr }).toEqual({ code: 141, stderr: `${STARTED}stopped: standard output was closed\n` })
    expect(site.asked.length).toBeLessThan(10_000)
  })
})

describe('how hosts are treated', () => {
  it('keeps to robots.txt, and with --ignore-robots says that it does not', async () => {
    site = await smallSite(3, 0, 'User-agent: *\nDisallow: /')

    const kept = await runCli(['crawl', site.url, '--store', ':memory:'], { folder })
    const ignored = await runCli(
      ['crawl', site.url, '--store', ':memory:', '--ignore-robots', '--rate', 'fixed', '--delay', '0'],
      { folder },
    )

    expect(kept.stderr).toContain('1 × robots')
    expect(kept.code).toBe(6)
    expect(ignored.stderr).toMatch(/^robots\.txt is ignored in this run \(--ignore-robots\); do this only on sites of your own\n/)
    expect(ignored.stderr).toContain('this run: 3 pages')
    expect(ignored.code).toBe(0)
  })

  it('with --max-rps asks no host more often', async () => {
    site = await smallSite(7)

    const words = ['--store', ':memory:', '--ignore-robots', '--max-rps', '10', '--json']
    const run = await runCli(['crawl', site.url, ...words], { folder })

    const { startedAt, endedAt } = JSON.parse(run.stdout) as { startedAt: number; endedAt: number }
    expect(site.asked).toHaveLength(7)
    expect(endedAt - startedAt).toBeGreaterThanOrEqual(590)
  })
})

describe('a spider file', () => {
  it('in TypeScript is run as it is, with its arguments', async () => {
    site = await smallSite(7)
    await mkdir(join(folder, 'lib'))
    await writeFile(join(folder, 'lib/price.ts'), 'export const price = (text: string): number => Number(text)')
    await writeFile(
      join(folder, 'spider.ts'),
      `import { price } from './lib/price.ts'
       interface Offer { price: number }
       export default (args: Record<string, string>) => ({
         name: 'offers', seeds: [args.url + '3'],
         handlers: { *start(page: { title: string }): Iterable<Offer> { yield { price: price(page.title.slice(5)) } satisfies Offer } },
       })`,
    )
    const run = await runCli(['crawl', 'spider.ts', '-a', `url=${site.url}`, ...QUICK, '-o', '-'], { folder })
    expect(run.stdout).toBe('{"price":3}\n')
    expect(run.code).toBe(0)
  })

  it('has its seeds replaced by those of --seeds; beside URLs they are added', async () => {
    site = await smallSite(7)
    const own = `{ name: 'own', seeds: ['${site.url}1'], handlers: { *start(page) { yield { title: page.title } } } }`
    await writeFile(join(folder, 'spider.ts'), `export default ${own}`)
    await writeFile(join(folder, 'config.ts'), `export default { spider: ${own} }`)
    await writeFile(join(folder, 'seeds.txt'), `${site.url}5\n${site.url}6\n`)
    const titles = async (...words: string[]) => {
      const run = await runCli(['crawl', ...words, '--seeds', 'seeds.txt', ...QUICK, '-o', '-'], { folder })
      return linesOf(run.stdout).map(({ title }) => title)
    }

    expect(await titles('spider.ts')).toEqual(['page 5', 'page 6'])
    expect(await titles('--config', 'config.ts')).toEqual(['page 5', 'page 6'])
    expect(await titles(`${site.url}4`)).toEqual(['page 4', 'page 5', 'page 6'])
  })
})

describe('the configuration file', () => {
  it('is found upwards in its project, stands above the spider and below the command line', async () => {
    site = await smallSite(100)
    await mkdir(join(folder, 'a/b'), { recursive: true })
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(
      join(folder, 'avocet.config.ts'),
      `export default { maxPages: 2, userAgent: 'from-config', spider: { name: 'x', seeds: ['${site.url}'], scope: { maxDepth: 0 }, handlers: { *start(page) { yield { agent: page.url.href }; yield* page.links() } } } }`,
    )
    const config = await runCli(['crawl', ...QUICK, '-o', '-'], { folder: join(folder, 'a/b') })
    const flags = await runCli(['crawl', ...QUICK, '--max-depth', '5', '--max-pages', '3', '-o', '-'], {
      folder: join(folder, 'a/b'),
    })

    expect([config, flags].map(({ stdout }) => linesOf(stdout).length)).toEqual([1, 3])
  })
})

describe('signals', () => {
  /** Runs a slow crawl, and sends each signal as soon as stderr or the site shows that the one before has been heard. */
  async function interrupted(...signals: readonly NodeJS.Signals[]) {
    site = await smallSite(10_000, 400)
    const { asked } = site
    return spawnCli(['crawl', site.url, ...QUICK, '-o', '-'], {
      folder,
      meanwhile: (child) => {
        const first = setInterval(() => {
          if (asked.length < 3) return
          clearInterval(first)
          child.kill(signals[0])
        }, 10)
        child.stderr?.on('data', (said: Buffer) => {
          const [, second] = signals
          if (second && said.includes('press again')) setTimeout(() => child.kill(second), 250)
        })
      },
    })
  }

  it.each([
    ['SIGINT', 130, ', 5.0 s for those that can be sent again'],
    ['SIGTERM', 143, ''],
  ] as const)('the first %s waits for what is in flight and keeps it', async (signal, code, silent) => {
    const run = await interrupted(signal)
    expect(run.stderr).toMatch(
      new RegExp(
        `^${STARTED.replace(/[()]/g, String.raw`\$&`)}${signal}: waiting for requests in flight, at most 30 s${silent}; press again to stop now`,
      ),
    )
    expect(run.stderr).toContain('stopped after')
    expect(linesOf(run.stdout)).toHaveLength(site?.asked.length ?? -1)
    expect(run.code).toBe(code)
  })

  it('the second leaves at once', async () => {
    const run = await interrupted('SIGINT', 'SIGINT')
    const printed = run.stdout.split('\n').length - 1
    expect(printed).toBeLessThan(site?.asked.length ?? 0)
    expect(run.stderr).toContain('stopped after')
    expect(run.code).toBe(130)
  })
})
