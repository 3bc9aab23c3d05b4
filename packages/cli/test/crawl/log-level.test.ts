// `--log-level`: what a crawl says on standard error. Standard output is the same at any level.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

let folder: string
let site: SmallSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-log-'))
  site = await smallSite(3)
  await writeFile(
    join(folder, 'avocet.config.js'),
    `export default { plugins: [{ name: 'broken', onSettled() { throw new Error('oops') } }] }`,
  )
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

function crawl(level: string, ...words: readonly string[]): Promise<CliRun> {
  const quick = ['--store', ':memory:', '--rate', 'fixed', '--delay', '0', '--ignore-robots']
  return runCli(['crawl', site.url, ...quick, '--log-level', level, ...words], { folder })
}

describe('--log-level', () => {
  it('error says nothing of a crawl that ends well', async () => {
    const { code, stderr } = await crawl('error')

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('error says why a crawl failed', async () => {
    const { code, stderr } = await crawl('error', '-O', 'missing/out.jsonl')

    expect(code).toBe(7)
    expect(stderr).toMatch(/^avocet: .*missing\/out\.jsonl: expected a file that can be written.*\n$/)
  })

  it('warn says problems, and no more', async () => {
    const { stderr } = await crawl('warn')

    expect(stderr.trimEnd().split('\n')).toEqual([
      'robots.txt is ignored in this run (--ignore-robots); do this only on sites of your own',
      expect.stringMatching(/ UTC problem: plugin broken threw in onSettled: oops$/),
    ])
  })

  it('info says what a crawl without the option says', async () => {
    const { stderr } = await crawl('info')

    expect(stderr).toMatch(/^policies: /m)
    expect(stderr).toContain('this run: 3 pages')
    expect(stderr).not.toMatch(/UTC 200 /)
  })

  it('debug adds a line for each request, with its status, its time and the page that led to it', async () => {
    const { stderr } = await crawl('debug', '--max-depth', '1')
    const lines = stderr.split('\n').filter((line) => / UTC 200 /.test(line))

    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(new RegExp(`^20\\d\\d-\\S+ \\S+ UTC 200 ${site.url} in \\d+ ms$`))
    expect(lines.filter((line) => line.endsWith(`, from ${site.url}`))).toHaveLength(2)
    expect(stderr).toContain('this run: 3 pages')
  })

  it.each(['error', 'debug'])('%s leaves the data on standard output as it is', async (level) => {
    const items = await crawl(level, '-o', '-')
    const report = await crawl(level, '--json')

    expect(items.stdout.trimEnd().split('\n')).toHaveLength(3)
    expect(JSON.parse(report.stdout)).toMatchObject({ ended: 'done' })
  })

  it('debug says how a request failed, and when it is repeated', async () => {
    site.close()
    const { stderr } = await crawl('debug', '--patience', '0')

    expect(stderr).toMatch(/ UTC AVO_CONNECT_REFUSED http:\S+ in \d+ ms; again in .*: \S+/)
  })

  it('refuses another word', async () => {
    const { code, stderr } = await crawl('verbose')

    expect(code).toBe(2)
    expect(stderr).toContain('--log-level: expected error, warn, info')
  })
})
