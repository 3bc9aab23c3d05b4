// Commands that look at a page of a project leave alone what belongs to its crawl: sinks, sitemaps, the login.
import { createServer } from 'node:http'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

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

describe('a proxy of the configuration', () => {
  it('is what check asks through, also for the address of a name', async () => {
    const through: string[] = []
    const proxy = createServer(({ url = '' }, response) => {
      through.push(url)
      response.writeHead(404).end()
    })
    proxy.on('connect', ({ url = '' }, socket) => {
      through.push(url)
      const onward = connect(Number(new URL(site.url).port), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
      for (const end of [onward, socket]) end.on('error', () => undefined)
      onward.pipe(socket).pipe(onward)
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    await project('', `proxy: 'http://127.0.0.1:${(proxy.address() as AddressInfo).port}'`)
    const seeds = join(folder, 'seeds.txt')
    await writeFile(seeds, 'http://tea.invalid/\n')

    const { code, stdout } = await run('check', '--seeds', seeds)
    proxy.close()
    proxy.closeAllConnections()

    expect(stdout).toMatch(/^ok +robots +1 seed allowed$/m)
    expect(through).toEqual([expect.stringContaining('tea.invalid')])
    expect(code).toBe(0)
  })
})
