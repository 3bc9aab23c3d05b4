// `avocet identity page`: what a site owner reads is what the configuration says.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAllowed, crawlDelayMs, parseRobots } from '@avocet/plugin-robots'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from './run-cli.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-identity-'))
})
afterEach(() => rm(folder, { recursive: true }))

const SAID = ['--name', 'Example Ltd', '--purpose', 'Compares prices of tea']
const AGENT = 'price-watch/1.2 (+https://example.org/bot)'

function page(...words: readonly string[]): Promise<CliRun> {
  return runCli(['identity', 'page', ...SAID, '--user-agent', AGENT, ...words], { folder })
}

/** The text without the style sheet. */
const bodyOf = ({ stdout }: CliRun): string => stdout.slice(stdout.indexOf('<body>'))

describe('avocet identity page', () => {
  it('says who crawls, why, and how to reach them', async () => {
    const run = await page('--stores', 'Prices, for a year')

    expect(run).toMatchObject({ code: 0, stderr: '' })
    for (const text of ['Example Ltd', 'Compares prices of tea', AGENT, 'Prices, for a year', 'href="https://example.org/bot"'])
      expect(bodyOf(run)).toContain(text)
  })

  it('has robots.txt lines to copy that do what they say', async () => {
    const lines = [...bodyOf(await page()).matchAll(/<pre>([^<]*)<\/pre>/g)].map(([, text = '']) => parseRobots(text))
    const [slow, part, stop] = lines

    if (slow === undefined || part === undefined || stop === undefined) throw new Error('expected three pieces to copy')
    expect(crawlDelayMs(slow, AGENT)).toBe(10_000)
    expect(['/private/a', '/'].map((path) => isAllowed(part, AGENT, `https://shop.example${path}`))).toEqual([false, true])
    expect(['/private/a', '/'].map((path) => isAllowed(stop, AGENT, `https://shop.example${path}`))).toEqual([false, false])
    expect(isAllowed(stop, 'other', 'https://shop.example/')).toBe(true)
  })

  it('names the user agents of sessions as well, and does not promise that a page is never requested again that is visited in rounds', async () => {
    const spider = `{ name: 'tea', seeds: ['https://shop.example/'], handlers: { *start() {} } }`
    const sessions = `{ ann: { userAgent: 'reader-of-ann (+https://example.org/ann)' }, bob: {} }`
    await writeFile(join(folder, 'avocet.config.ts'), `export default { spider: ${spider}, sessions: ${sessions} }`)

    const [once, rounds] = [await page(), await page('--every', '1h')].map(bodyOf)

    expect(once).toContain('reader-of-ann (+https://example.org/ann)')
    expect(once).toContain('402 (Payment Required): the page is not paid for, and not requested again.')
    expect(rounds).toContain(
      '402 (Payment Required): the page is not paid for, and requested again only when its next visit is due.',
    )
  })

  it('says how often, by what is configured, and no less than is done to any host', async () => {
    const hosts = `{ '*': { maxRps: 2, delayMs: 4000 }, 'fast.example': { maxRps: 9, delayMs: 500 } }`
    const config = `export default { spider: { name: 'tea', seeds: ['https://fast.example/'], handlers: { *start() {} } }, hosts: ${hosts}, recrawl: [{ everyMs: 7200000 }, { everyMs: Infinity }] }`
    await writeFile(join(folder, 'avocet.config.ts'), config)

    const run = await page('--json')

    expect(JSON.parse(run.stdout)).toMatchObject({
      product: 'price-watch',
      pace: { maxRps: 9, delayMs: 500 },
      learnsRate: true,
      robots: { maxCrawlDelayMs: 300_000 },
      everyMs: 7_200_000,
      hosts: [],
    })
    expect(JSON.parse((await page('--json', '--hosts')).stdout)).toMatchObject({ hosts: ['fast.example'] })
    expect(bodyOf(await page())).toContain('Pages may be requested again every 2 h')
  })

  it('does not claim to obey robots.txt where the crawl ignores it', async () => {
    const body = bodyOf(await page('--ignore-robots'))

    expect(body).toContain('It does not read robots.txt')
    expect(body).not.toContain('<pre>')
  })

  it('does not claim to obey robots.txt everywhere, where the crawl ignores it at a single host', async () => {
    const hosts = `{ 'shop.example': { ignoreRobots: true } }`
    const spider = `{ name: 'tea', seeds: ['https://shop.example/'], handlers: { *start() {} } }`
    const config = join(folder, 'avocet.config.ts')
    await writeFile(config, `export default { spider: ${spider}, hosts: ${hosts} }`)
    expect(bodyOf(await page())).toContain('some sites at which it does not read robots.txt')

    await writeFile(config, `export default { spider: ${spider} }`)
    expect(bodyOf(await page())).not.toContain('does not read robots.txt')
  })

  it('writes a file that needs nothing else, and runs nothing', async () => {
    const { code, stdout, stderr } = await page('-O', 'crawler.html')
    const html = await readFile(join(folder, 'crawler.html'), 'utf8')

    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: 'written: crawler.html; publish it at the URL in the user agent\n',
    })
    expect(html).toContain('prefers-color-scheme: dark')
    expect(html).not.toMatch(/<script|<img|<link|@import|url\(/)
  })

  it('escapes what people typed', async () => {
    const run = await runCli(
      ['identity', 'page', '--name', '<b>&"x', '--purpose', '</p><script>x()</script>', '--contact', 'a@b.example'],
      { folder },
    )

    expect(bodyOf(run)).toContain('&lt;b&gt;&amp;&quot;x')
    expect(bodyOf(run)).not.toMatch(/<script|<b>/)
    expect(run.stderr).toContain('the user agent is the built-in one')
  })

  it.each([
    [['--purpose', 'x'], 'identity page: expected --name, got none'],
    [['--name', 'x', '--purpose', ' '], 'identity page: expected --purpose, got none'],
    [[...SAID, '--user-agent', 'me/1'], 'identity page: expected --contact with a mail address or a URL, got none'],
    [
      [...SAID, '--contact', 'javascript:alert(1)'],
      "identity page --contact: expected a mail address or a URL, got 'javascript:alert(1)'",
    ],
    [
      [...SAID, '-O', 'no/such/folder.html', '--contact', 'a@b.example'],
      'identity page -O: expected to write no/such/folder.html',
    ],
  ])('refuses %j in one line', async (words, message) => {
    const { code, stderr } = await runCli(['identity', 'page', ...words], { folder })

    expect(stderr).toContain(message)
    expect([2, 7]).toContain(code)
  })
})
