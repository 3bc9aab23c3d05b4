// `--log-format json`: the log of a crawl as programs read it.
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
  it('is for people alone: a log has the address of the page', async () => {
    const { stderr } = await crawl('--ui', '--log-format', 'json')

    expect(stderr).not.toContain('token=')
    expect(stderr).toMatch(/"event":"notice","message":"watch it in a browser: http:\/\/127\.0\.0\.1:\d+\/#\/[^"]*\/now/)
    expect(stderr).toContain('--ui-password-file')
  })
})

describe('the log', { timeout: 30_000 }, () => {
  it('has why a crawl could not be planned', async () => {
    const { stderr } = await crawl('--log-format', 'json', '--config', 'missing.config.js')

    expect(linesIn(stderr)).toEqual([expect.objectContaining({ event: 'error', code: 'AVO_CONFIG_INVALID' })])
  })

  it('has no secret and no control character of a page, a URL or an error', async () => {
    site.more = '<a href="/3?token=abc123secret">a</a><a href="/4?q=%1b[2J\u009b31m">b</a>'
    await writeFile(
      join(folder, 'avocet.config.js'),
      "export default { plugins: [{ name: 'broken', onSettled() { throw new Error('\\u001b[2Jgone\\u202e') } }] }",
    )
    const { stderr: text } = await crawl(
      '--log-format',
      'json',
      '--log-level',
      'debug',
      '--secret-parameter',
      'token',
      '--header',
      'authorization: Bearer abc123secret',
    )

    expect(text).toContain('plugin broken threw')
    expect(text).toContain('token=')
    expect(text).not.toContain('abc123secret')
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  })

  it('refuses another format', async () => {
    const { code, stderr } = await crawl('--log-format', 'xml')

    expect(code).toBe(2)
    expect(stderr).toContain('text or json')
  })
})
