// `avocet new` writes a spider or a plugin with a test that passes at once, over nothing that is there, and refuses in one line.
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../../test/documents/code-blocks.ts'
import { sandbox, type Sandbox } from '../../../test/documents/sandbox.ts'
import { runCli } from './run-cli.ts'

/** Runs all tests of a project, with the packages as they stand in the sources. */
function testsOf({ folder }: Sandbox): Promise<string> {
  const config = { resolve: { conditions: ['@avocet/source', 'node', 'import', 'module', 'default'] } }
  writeFileSync(join(folder, 'vitest.config.js'), `export default ${JSON.stringify({ ...config, ssr: config })}`)
  const words = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder]
  return new Promise((resolve) => {
    execFile(process.execPath, words, { env: { ...process.env, NO_COLOR: '1' } }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
}

/** As npx calls it. */
const NPX = { env: { npm_command: 'exec' } }

function filesIn({ folder }: Sandbox): readonly string[] {
  return ['spiders', 'plugins', 'test'].flatMap((name) => {
    try {
      return readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).map((path) => `${name}/${path}`)
    } catch {
      return []
    }
  })
}

const BOOKS = '<title>B\u00fccher "neu" __name__</title><a rel=next href="?p=2">next</a>'

/** A site with a page for each way in which one can come. */
async function bookSite(): Promise<Disposable & { readonly url: string; readonly asked: readonly string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    response.setHeader('set-cookie', 'id=s3cret')
    if (path === '/robots.txt') response.end('User-agent: *\nDisallow: /private')
    else if (path === '/old') response.writeHead(301, { location: "/list?it's" }).end()
    else if (path === '/data.json') response.setHeader('content-type', 'application/json').end('{}')
    else if (path === '/large') response.setHeader('content-type', 'text/html').end('<p>'.padEnd(2.5 * 2 ** 20))
    else if (path === '/last') response.setHeader('content-type', 'text/html').end("<title>The publisher's last page</title>")
    else if (path.startsWith('/list')) response.setHeader('content-type', 'text/html; charset=iso-8859-1').end(BOOKS, 'latin1')
    else response.writeHead(404, { 'content-type': 'text/html' }).end('none')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

describe('avocet new', () => {
  it('writes a spider and a plugin that compile, and whose tests pass at once', { timeout: 60_000 }, async () => {
    using project = sandbox()

    const spider = await runCli(['new', 'spider', 'price-watch', "https://shop.example/it's"], { ...project, ...NPX })
    const plugin = await runCli(['new', 'plugin', 'slow-down'], project)

    expect(spider).toMatchObject({
      code: 0,
      stdout: 'spiders/price-watch.ts\ntest/pages/price-watch.html\ntest/price-watch.test.ts\n',
    })
    expect(plugin).toMatchObject({
      code: 0,
      stdout: 'plugins/slow-down-law.ts\nplugins/slow-down.ts\ntest/slow-down-plugin.test.ts\n',
    })
    expect(plugin.stderr).toContain("\nimport { slowDown } from './plugins/slow-down.ts'\nplugins: [slowDown()],\n")
    expect(readFileSync(join(project.folder, 'spiders/price-watch.ts'), 'utf8')).toContain(
      "seeds: ['https://shop.example/it%27s']",
    )
    expect(readFileSync(join(project.folder, 'test/price-watch.test.ts'), 'utf8')).toContain(
      "PAGE = 'https://shop.example/it%27s'",
    )
    expect(spider.stderr).toContain('\n  npx avocet fetch https://shop.example/it%27s -o test/pages/price-watch.html\n')
    expect(spider.stderr).toContain('\n  npx avocet crawl price-watch -O price-watch.jsonl\n')
    expect(await project.typeErrors()).toEqual([])
    expect(await testsOf(project)).toContain('Tests  8 passed (8)')
  })

  it(
    'records the page of the URL once, behind redirects, for a test that passes at once and is about it',
    { timeout: 60_000 },
    async () => {
      using project = sandbox()
      using site = await bookSite()

      const run = await runCli(['new', 'spider', 'books', `${site.url}old`], { ...project, ...NPX })
      const page = readFileSync(join(project.folder, 'test/pages/books.html'))
      const test = readFileSync(join(project.folder, 'test/books.test.ts'), 'utf8')

      expect(site.asked).toEqual(['/robots.txt', '/old', '/list?it%27s'])
      expect(run).toMatchObject({ code: 0, stdout: 'spiders/books.ts\ntest/books.test.ts\ntest/pages/books.html\n' })
      expect(run.stderr).toContain('\n  npx avocet shell test/pages/books.html --spider books\n')
      expect(page.equals(Buffer.from(BOOKS, 'latin1'))).toBe(true)
      expect(test).toContain(`const PAGE = '${site.url}list?it%27s'`)
      expect(test).toContain("it('yields the title and follows rel=next'")
      expect(test).toContain(`title: 'Bücher "neu" __name__'`)
      expect(test).toContain(`toEqual(['${site.url}list?p=2'])`)
      expect(test).not.toContain('s3cret')
      expect(await project.typeErrors()).toEqual([])
      expect(await testsOf(project)).toContain('Tests  1 passed (1)')
    },
  )

  it(
    'writes a test without links, and without a claim about them, for a page with no next one',
    { timeout: 60_000 },
    async () => {
      using project = sandbox()
      using site = await bookSite()

      await runCli(['new', 'spider', 'ends', `${site.url}last`], project)
      const test = readFileSync(join(project.folder, 'test/ends.test.ts'), 'utf8')

      expect(test).toContain("it('yields the title', async () => {")
      expect(test).toContain(`title: "The publisher's last page"`)
      expect(test).not.toContain('links')
      expect(await project.typeErrors()).toEqual([])
      expect(await testsOf(project)).toContain('Tests  1 passed (1)')
    },
  )

  it.each([
    ['none', 'expected a page that a handler would see, got status 404'],
    ['private', 'expected a page that robots.txt allows'],
    ['data.json', 'expected an HTML page, got application/json'],
    ['large', 'expected a page of at most 2.0 MiB, got 2.5 MiB'],
  ])('says why it does not record %s, and writes the sample', async (path, why) => {
    using project = sandbox()
    using site = await bookSite()

    const { code, stderr } = await runCli(['new', 'spider', 'books', `${site.url}${path}`], project)

    expect(code).toBe(0)
    expect(stderr).toContain(`the page is not recorded, and the test reads a sample: ${why}`)
    expect(readFileSync(join(project.folder, 'test/books.test.ts'), 'utf8')).toContain('Avocets are back')
  })

  it('requests nothing for a plugin, or where a file is there, and takes options of a request only with a URL', async () => {
    using project = sandbox()
    using site = await bookSite()
    project.write('spiders/books.ts', 'mine')

    const there = await runCli(['new', 'spider', 'books', site.url], project)
    const idle = await runCli(['new', 'spider', 'films', '--user-agent', 'me'], project)

    expect([there.code, idle.code, site.asked]).toEqual([2, 2, []])
    expect(idle.stderr).toContain('--user-agent: expected the URL of a spider, whose page is fetched, got none; leave it out')
  })

  it('writes into the project from a folder inside it, and says so in JSON', async () => {
    using project = sandbox()
    project.write('avocet.config.json', '{}')
    mkdirSync(join(project.folder, 'spiders'))

    const { stdout } = await runCli(['new', 'plugin', 'calm', '--json'], { folder: join(project.folder, 'spiders') })

    expect(JSON.parse(stdout)).toEqual({
      schema: 1,
      kind: 'plugin',
      name: 'calm',
      files: ['../plugins/calm-law.ts', '../plugins/calm.ts', '../test/calm-plugin.test.ts'],
    })
  })

  it('writes nothing when one of the files is there, and leaves that one alone', async () => {
    using project = sandbox()
    project.write('test/calm-plugin.test.ts', 'mine')

    const { code, stdout, stderr } = await runCli(['new', 'plugin', 'calm'], project)

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('test/calm-plugin.test.ts, found one; choose another name')
    expect(filesIn(project)).toEqual(['test/calm-plugin.test.ts'])
    expect(readFileSync(join(project.folder, 'test/calm-plugin.test.ts'), 'utf8')).toBe('mine')
  })

  it.each([
    { words: [], code: 2, says: 'expected spider or plugin, and a name, got nothing' },
    { words: ['spidr', 'books'], code: 2, says: "expected spider or plugin, got 'spidr' (did you mean 'spider'?)" },
    { words: ['spider', 'Price_Watch'], code: 2, says: "got 'Price_Watch'; try price-watch" },
    { words: ['spider', '../books'], code: 2, says: "got '../books'; try books" },
    { words: ['plugin', 'delete'], code: 2, says: "expected a name that a function can have, got 'delete'; try my-delete" },
    { words: ['plugin', 'retry'], code: 2, says: "expected a name that no built-in plugin has, got 'retry'; try my-retry" },
    { words: ['spider', 'books', 'books.example'], code: 3, says: "did you mean 'https://books.example'?" },
  ])('refuses in one line: new $words', async ({ words, code, says }) => {
    using project = sandbox()

    const run = await runCli(['new', ...words], project)

    expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' })
    expect(run.stderr).toContain(says)
    expect(run.stderr).toMatch(/^avocet: [^\n]*\n$/)
    expect(filesIn(project)).toEqual([])
  })

  it('says what its test needs and is not installed, in the versions of this repository', async () => {
    using project = sandbox()
    rmSync(join(project.folder, 'node_modules'))
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      readonly devDependencies: Readonly<Record<string, string>>
    }
    const vitest = `vitest@${devDependencies['vitest'] ?? ''}`
    // It comes with vitest here, as the lock has it.
    const { version: vite } = JSON.parse(readFileSync(join(ROOT, 'node_modules/vite/package.json'), 'utf8')) as {
      readonly version: string
    }

    const { code, stderr } = await runCli(['new', 'plugin', 'calm'], project)

    expect(code).toBe(0)
    expect(stderr).toContain(`npm install -D vite@${vite} ${vitest} @avocet/testkit\n`)
  })

  it('wants a project, and says how to make one', async () => {
    const { code, stderr } = await runCli(['new', 'spider', 'books'], { folder: '/' })

    expect(code).toBe(2)
    expect(stderr).toContain('found none; make one: npm create avocet')
  })
})
