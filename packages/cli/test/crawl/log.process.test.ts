// `--log-format json` and `--log-file`: the log of a crawl as programs read it.
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

let folder: string
let site: SmallSite
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-log-'))
  site = await smallSite(5)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

function crawl(...words: readonly string[]): Promise<CliRun> {
  return runCli(['crawl', site.url, '--store', 'log.db', '--rate', 'none', '--delay', '0', '--ignore-robots', ...words], {
    folder,
  })
}

type Line = Readonly<Record<string, unknown>>

function linesIn(text: string): Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}

async function fileLines(name = 'crawl.log'): Promise<Line[]> {
  return linesIn(await readFile(join(folder, name), 'utf8'))
}

describe('--log-format json', { timeout: 30_000 }, () => {
  it('makes every line on standard error an event with a time, a level, a name and a message', async () => {
    const { code, stderr } = await crawl('--log-format', 'json', '-O', 'items.jsonl')
    const lines = linesIn(stderr)

    expect(code).toBe(0)
    expect(lines.map(({ event }) => event)).toEqual(['notice', 'policies', 'open', 'end'])
    for (const { time, level, message } of lines) {
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(['info', 'warn']).toContain(level)
      expect(message).not.toBe('')
    }
    expect(lines.at(-1)).toMatchObject({ level: 'info', reason: 'done', exitCode: 0, pages: 5, items: 5, waiting: 0 })
  })

  it('names the URL, the host, the status and the time of each request at level debug', async () => {
    const { stderr } = await crawl('--log-format', 'json', '--log-level', 'debug')
    const requests = linesIn(stderr).filter(({ event }) => event === 'request')

    expect(requests).toHaveLength(5)
    expect(requests[0]).toMatchObject({
      level: 'debug',
      host: new URL(site.url).host,
      url: site.url,
      status: 200,
      durationMs: expect.any(Number) as number,
    })
    expect(requests[0]?.['message']).not.toMatch(/UTC/)
    expect(requests[1]).toMatchObject({ parent: site.url })
  })

  it('has why a crawl could not begin, and nothing else beside it', async () => {
    const { code, stderr } = await crawl('--log-format', 'json', '--log-level', 'error', '-O', 'missing/items.jsonl')

    expect(code).toBe(7)
    expect(linesIn(stderr)).toEqual([
      expect.objectContaining({
        level: 'error',
        event: 'error',
        code: 'AVO_OUTPUT_UNWRITABLE',
        message: expect.stringContaining('missing/') as string,
      }),
    ])
  })

  it.each([
    ['items', ['-o', '-'], 5],
    ['the report', ['--json'], 1],
  ])('leaves %s on standard output as they are', async (_name, words, count) => {
    const { stdout, stderr } = await crawl('--log-format', 'json', ...words)

    expect(linesIn(stdout)).toHaveLength(count)
    expect(linesIn(stderr).at(-1)).toMatchObject({ event: 'end' })
  })

  it('is one log for several processes, which are told apart', async () => {
    const { code, stderr } = await crawl('--log-format', 'json', '--log-level', 'debug', '--processes', '2')
    const lines = linesIn(stderr)

    expect(code).toBe(0)
    expect(lines.filter(({ event }) => event === 'open')).toHaveLength(1)
    expect(lines.filter(({ event }) => event === 'end')).toHaveLength(1)
    const requests = lines.filter(({ event }) => event === 'request')
    expect(requests).toHaveLength(5)
    for (const { process } of requests) expect([1, 2]).toContain(process)
  })
})

describe('the link to the page, which lets in whoever has it', { timeout: 30_000 }, () => {
  it.each([
    ['one process', []],
    ['two processes', ['--processes', '2']],
  ])('is for people alone: a log has the address of the page of %s', async (_of, words) => {
    const json = await crawl('--ui', '--log-format', 'json', '--log-file', 'json.log', ...words)
    const text = await crawl('--ui', '--log-file', 'text.log', '--fresh', '--yes', ...words)
    const files = [await readFile(join(folder, 'json.log'), 'utf8'), await readFile(join(folder, 'text.log'), 'utf8')]

    for (const log of [json.stderr, ...files]) {
      expect(log).not.toContain('token=')
      expect(log).toMatch(/"event":"notice","message":"watch it in a browser: http:\/\/127\.0\.0\.1:\d+\/#\/[^"]*\/now/)
    }
    expect(json.stderr).toContain('--ui-password-file')
    expect(text.stderr).toMatch(/watch it in a browser: http:\/\/127\.0\.0\.1:\d+\/\?token=\S{20,}#/)
    expect(files[1]).not.toContain('--ui-password-file')
  })
})

describe('--log-file', { timeout: 30_000 }, () => {
  it('gets the events, while people get their lines as ever', async () => {
    const { stderr } = await crawl('--log-file', 'crawl.log')
    const plain = await crawl('--fresh', '--yes')

    const withoutTimes = (text: string): string => text.replace(/\d+(\.\d+)? m?s/g, '')
    expect((await fileLines()).map(({ event }) => event)).toEqual(['notice', 'policies', 'open', 'end'])
    expect(withoutTimes(stderr).split('\n').slice(0, 3)).toEqual(withoutTimes(plain.stderr).split('\n').slice(0, 3))
    expect(stderr).toContain('this run: 5 pages')
    expect((await stat(join(folder, 'crawl.log'))).mode & 0o777).toBe(0o600)
  })

  it('is appended to by the next run, and rotated at ten MiB', async () => {
    await writeFile(join(folder, 'crawl.log'), '{"time":""}\n'.repeat(873_812))
    for (let run = 0; run < 2; run++) await crawl('--log-file', 'crawl.log', '--fresh', '--yes')

    expect((await readdir(folder)).filter((name) => name.startsWith('crawl.log')).toSorted()).toEqual([
      'crawl.log',
      'crawl.log.1',
    ])
    expect((await fileLines()).map(({ event }) => event).filter((event) => event === 'end')).toHaveLength(2)
  })

  it.each([
    ['is a folder', '.'],
    ['is in a folder that does not exist', 'missing/crawl.log'],
    ['is in a file', 'package.json/crawl.log'],
  ])('that %s is refused before anything begins', async (_what, path) => {
    const { code, stderr } = await crawl('--log-file', path)

    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^avocet: --log-file: expected a file that can be written, got E.*; give another path, or make its folder \(AVO_USAGE\)$/m,
    )
    expect(await readdir(folder)).toEqual(['package.json'])
  })

  it('has why a crawl could not be planned', async () => {
    await crawl('--log-file', 'crawl.log', '--config', 'missing.config.js')

    expect(await fileLines()).toEqual([expect.objectContaining({ event: 'error', code: 'AVO_CONFIG_INVALID' })])
  })

  it.each([
    ['log.db', 'log.db'],
    ['log.db-wal', 'log.db-wal'],
    ['log.cache', 'log.cache'],
    ['seeds.txt', 'seeds.txt'],
    ['link.txt', 'link.txt'],
    ['seeds', 'seeds.1'],
    ['teas.js', 'teas.js'],
    ['old.store', 'old.store'],
    ['items.jsonl', 'items.jsonl'],
  ])('that is %s, a file of another kind, is refused, and nothing is written to it', async (path, what) => {
    for (const name of ['seeds.txt', 'seeds.1']) await writeFile(join(folder, name), `${site.url}\n`)
    await writeFile(join(folder, 'teas.js'), 'not a spider')
    await writeFile(join(folder, 'old.store'), 'SQLite format 3\0')
    await symlink('seeds.txt', join(folder, 'link.txt'))
    const before = await readdir(folder)

    const { code, stderr } = await crawl('--log-file', path, '--seeds', 'seeds.txt', '-o', 'items.jsonl')

    expect(stderr).toContain(`--log-file: expected a file of its own, got ${what}, which is no log`)
    expect(code).toBe(2)
    expect(await readdir(folder)).toEqual(before)
    expect(await readFile(join(folder, 'seeds.txt'), 'utf8')).toBe(`${site.url}\n`)
  })

  it('has no secret and no control character of a page, a URL or an error', async () => {
    site.more = '<a href="/3?token=abc123secret">a</a><a href="/4?q=%1b[2J\u009b31m">b</a>'
    await writeFile(
      join(folder, 'avocet.config.js'),
      "export default { plugins: [{ name: 'broken', onSettled() { throw new Error('\\u001b[2Jgone\\u202e') } }] }",
    )
    await crawl(
      '--log-file',
      'crawl.log',
      '--log-level',
      'debug',
      '--secret-parameter',
      'token',
      '--header',
      'authorization: Bearer abc123secret',
    )

    const text = await readFile(join(folder, 'crawl.log'), 'utf8')
    expect(text).toContain('plugin broken threw')
    expect(text).toContain('token=')
    expect(text).not.toContain('abc123secret')
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  })

  it.each([
    [['--log-file', 'items.jsonl', '-O', 'items.jsonl'], 'got items.jsonl'],
    [['--log-file', '-'], 'for standard error, use --log-format json'],
    [['--log-format', 'xml'], 'expected text or json'],
  ])('refuses %j', async (words, why) => {
    const { code, stderr } = await crawl(...words)

    expect(code).toBe(2)
    expect(stderr).toContain(why)
  })
})
