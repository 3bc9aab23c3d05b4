// How the page is asked for on the command line.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readCommandLine } from '../../src/command-line/read-command-line.ts'
import { readPassword } from '../../src/ui/crawl-page.ts'
import { runCli, spawnCli } from '../run-cli.ts'
import { smallSite } from '../small-site.ts'

const folder = mkdtempSync(join(tmpdir(), 'avocet-ui-options-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function optionsOf(...words: string[]): Promise<unknown> {
  return (await readCommandLine(words)).options
}

describe('avocet crawl --ui', () => {
  it.each([
    [['--ui', 'spider.ts'], {}],
    [['spider.ts', '--ui'], {}],
    [['--ui', '--fresh', 'spider.ts'], {}],
    [['--ui=', 'spider.ts'], {}],
    [['--ui', '8042', 'spider.ts'], { port: 8042 }],
    [['--ui=8042', 'spider.ts'], { port: 8042 }],
    [['--ui', '0.0.0.0:8042', 'spider.ts', '--ui-password-file', 'pw'], { host: '0.0.0.0', port: 8042 }],
    [['--ui', '[::1]:8042', 'spider.ts'], { host: '::1', port: 8042 }],
    [['spider.ts', '--ui', 'crawler.example:0', '--ui-password-file', 'pw'], { host: 'crawler.example', port: 0 }],
  ])('takes an address that looks like one, and no spider for it: %s', async (words, address) => {
    expect(await optionsOf('crawl', ...words)).toMatchObject({ targets: ['spider.ts'], ui: { address } })
  })

  it('does not take a URL to crawl for an address', async () => {
    expect(await optionsOf('crawl', '--ui', 'http://127.0.0.1:80/')).toMatchObject({
      targets: ['http://127.0.0.1:80/'],
      ui: { address: {} },
    })
  })

  it('refuses what is no address', async () => {
    await expect(optionsOf('crawl', 'spider.ts', '--ui=every')).rejects.toThrow(
      "--ui: expected a port from 0 to 65535, or HOST:PORT, got 'every'",
    )
    await expect(optionsOf('crawl', 'spider.ts', '--ui=99999')).rejects.toThrow(
      "--ui: expected a port from 0 to 65535, or HOST:PORT, got '99999'",
    )
  })

  it('serves no page where it was not asked for', async () => {
    expect(await optionsOf('crawl', 'spider.ts')).not.toHaveProperty('ui')
  })

  it('refuses a password without a page', async () => {
    await expect(optionsOf('crawl', 'spider.ts', '--ui-password-file', 'x')).rejects.toThrow(
      '--ui-password-file: expected a page',
    )
  })

  it('does not begin to crawl where the page cannot be served', async () => {
    const { code, stderr } = await runCli(['crawl', 'http://127.0.0.1:1/', '--ui', '0.0.0.0:0'], { folder })

    expect(code).toBe(2)
    expect(stderr).toContain('expected a password for 0.0.0.0, which others can reach, got none')
  })
})

describe('the password of a page', () => {
  it('is the first line of its file, and long enough', async () => {
    writeFileSync(join(folder, 'good'), 'correct horse\nnot this\n')
    writeFileSync(join(folder, 'short'), 'short\n')

    expect(await readPassword('good', { name: '--password-file', folder })).toBe('correct horse')
    await expect(readPassword('short', { name: '--password-file', folder })).rejects.toThrow(
      'a first line of at least 8 characters, got 5',
    )
    await expect(readPassword('none', { name: '--password-file', folder })).rejects.toMatchObject({ code: 'AVO_USAGE' })
  })
})

describe('avocet ui', () => {
  it('says where there is no crawl', async () => {
    const { code, stderr } = await runCli(['ui'], { folder })

    expect(code).toBe(7)
    expect(stderr).toContain('found none')
  })

  it('prints its link on standard output, and ends with a signal', async () => {
    const site = await smallSite(1)
    await runCli(['crawl', site.url, '--store', '.avocet/one.db'], { folder })
    site.close()
    const { code, stdout } = await spawnCli(['ui', 'one'], {
      folder,
      meanwhile: (child) => child.stdout?.once('data', () => child.kill('SIGTERM')),
    })

    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}#\/one\/now\n$/)
    expect(code).toBe(0)
  })

  it('takes a folder for all stores in it, and leads to none that it cannot read', async () => {
    const site = await smallSite(1)
    for (const name of ['a', 'b']) await runCli(['crawl', site.url, '--store', `many/${name}.db`], { folder })
    site.close()
    mkdirSync(join(folder, 'empty'))
    writeFileSync(join(folder, 'notes.db'), 'no store\n')
    const { code, stdout } = await spawnCli(['ui', 'many'], {
      folder,
      meanwhile: (child) => child.stdout?.once('data', () => child.kill('SIGTERM')),
    })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/#\/\n$/)])

    expect(await runCli(['ui', 'empty'], { folder })).toMatchObject({ code: 7, stdout: '' })
    const { code: refused, stderr, stdout: link } = await runCli(['ui', 'many', 'notes.db'], { folder })
    expect([refused, link, stderr]).toEqual([7, '', expect.stringContaining('notes.db')])
  })
})
