// Commands that look at a page of a project leave alone what belongs to its crawl: sinks, sitemaps, the login.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from './run-cli.ts'
import { smallSite, type SmallSite } from './small-site.ts'

let folder: string
let site: SmallSite

beforeAll(async () => {
  site = await smallSite(3)
})
afterAll(() => site.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-looking-'))
  site.asked.splice(0)
})
afterEach(() => rm(folder, { recursive: true }))

/** A spider of the site with these parts, and a configuration with it and `more`. */
async function project(ofSpider: string, more: string): Promise<void> {
  const spider = `{ name: 'tea', seeds: ['${site.url}'], ${ofSpider} handlers: { *start(page) { yield { title: page.title } } } }`
  await writeFile(join(folder, 'avocet.config.ts'), `export default { spider: ${spider}, ${more} }`)
}

function run(...words: string[]): Promise<CliRun> {
  return runCli(words, { folder })
}

describe('a sink of the configuration', () => {
  it.each(['fetch', 'parse', 'shell', 'check'])('is not opened by %s', async (command) => {
    await project('', `sinks: [{ name: 'table', open() { throw new Error('opened') }, write() {} }]`)

    const { code, stderr } = await run(command, ...(command === 'check' ? [] : [site.url]))

    expect({ code, opened: stderr.includes('opened') }).toEqual({ code: 0, opened: false })
  })

  it('is named by check', async () => {
    await project('', `sinks: [{ name: 'table', write() {} }]`)
    expect((await run('check')).stdout).toMatch(/^ok +sinks +table: not opened here/m)
  })
})

describe('the sitemaps of a site', () => {
  it('are not read for one page', async () => {
    await project('', 'sitemaps: true')

    expect((await run('fetch', site.url)).code).toBe(0)
    expect(site.asked).toEqual(['/'])
  })
})

describe('the login of a spider', () => {
  it.each(['fetch', 'parse'])('is left out by %s, which says so', async (command) => {
    const submit = `submit: (page) => page.form('form').submit(), isLoggedOut: () => false`
    await project(`login: { url: '${site.url}login', ${submit} },`, '')

    const { code, stdout, stderr } = await run(command, site.url)

    expect(stderr).toContain(
      'spider tea logs in, and this command does not: the page is the one for visitors who are not logged in\n',
    )
    expect(stdout).toContain('page 0')
    expect({ code, asked: site.asked }).toEqual({ code: 0, asked: ['/'] })
  })
})
