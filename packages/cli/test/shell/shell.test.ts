// `avocet shell`: what there is inside, one piece of code at a time, and what is said when it cannot be run.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bannerLines } from '../../../dev/src/shell/conversation.ts'
import { evaluate, shellContext } from '../../../dev/src/shell/evaluate.ts'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

const SPIDER = `export default {
  name: 'shop',
  seeds: ['http://shop.test/'],
  handlers: {
    *start(page) {
      yield { title: page.title }
    },
    *broken() {
      throw new Error('no price')
    },
  },
}
`

let folder: string
let site: SmallSite
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-shell-'))
  await writeFile(join(folder, 'spider.mjs'), SPIDER)
  await writeFile(join(folder, 'page.html'), '<title>Shop</title><h1>Our  shop</h1><a href="a">A</a>')
  site = await smallSite(7, 0, 'User-agent: *\nDisallow: /2')
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

function shell(words: readonly string[], input = ''): Promise<CliRun> {
  return runCli(['shell', ...words], { folder, input })
}

describe('one piece of code', () => {
  it.each([
    ['page', 'Page 200 text/html, 54 B, http://shop.test/x/: "Shop"\n'],
    ["text('h1')", 'Our shop\n'],
    ["$('a').attr('href')", 'a\n'],
    ["$('a')", '1 element\n  <a href="a">A</a>\n'],
    ['links()', "[ { url: 'http://shop.test/x/a', text: 'A' } ]\n"],
    ['items()', "[ { title: 'Shop' } ]\n"],
    ['page.links()', "[ Link { url: 'http://shop.test/x/a', options: { anchorText: 'A' } } ]\n"],
    ['[1, 2].values()', '[ 1, 2 ]\n'],
    ['spider.name', 'shop\n'],
    ['console.log(1)', '1\n'],
    ['const none = 0', ''],
  ])('%s prints %j', async (code, printed) => {
    const run = await shell(['page.html', '--url', 'http://shop.test/x/', '--spider', 'spider.mjs', '-c', code])

    expect(run).toEqual({ code: 0, stdout: printed, stderr: '' })
  })

  it('that gives an iterator without an end prints the first hundred', async () => {
    const { stdout } = await shell(['page.html', '-c', '(function* () { for (;;) yield 7 })()'])

    expect(stdout.match(/7/g)).toHaveLength(100)
    expect(stdout).toContain('… and more: [...value] has them all')
  })

  it.each([
    ['(async function* () { yield 1; yield 2 })()', '[ 1, 2 ]\n'],
    ['spider.handlers.start(page)', "[ { title: 'Shop' } ]\n"],
  ])('that gives a generator prints its first values: %s', async (code, printed) => {
    const { stdout } = await shell(['page.html', '--spider', 'spider.mjs', '-c', code])

    expect(stdout).toBe(printed)
  })

  it('comes from standard input where there is no terminal', async () => {
    const run = await shell(['page.html'], "const heading = text('h1')\nheading.toUpperCase()\n")

    expect(run).toEqual({ code: 0, stdout: 'OUR SHOP\n', stderr: '' })
  })
})

describe('fetch', () => {
  it('brings another page in its turn, by robots.txt and the rate of a crawl; from then on it is the page', async () => {
    const code = "const first = page\nawait fetch('/1')\n;[first.title, page.title, text()]"
    const run = await shell([site.url, '--delay', '300ms', '-c', code])

    expect(run.stdout).toBe("[ 'page 0', 'page 1', 'page 3page 4' ]\n")
    expect(site.asked).toEqual(['/', '/1'])
  })

  it('keeps to robots.txt, and the first page too: one line, and 6', async () => {
    const first = await shell([`${site.url}2`, '-c', '1'])
    const later = await shell([site.url, '-c', "fetch('/2')"])

    for (const run of [first, later]) {
      expect(run.stderr).toMatch(/^avocet: shell: expected a page that robots.txt allows.*\(Disallow: \/2\).*\n$/)
      expect(run).toMatchObject({ code: 6, stdout: '' })
    }
    expect(site.asked).toEqual(['/'])
  })

  it('gives a page of any status, and says that no handler would see it', async () => {
    const run = await shell([`${site.url}900`, '-c', 'page.response.status'])

    expect(run.stdout).toBe('404\n')
    expect(run.stderr).toMatch(/^expected a page that a handler would see, got status 404/)
    expect(run.code).toBe(6)
  })
})

describe('what is wrong', () => {
  it.each([
    [['page.html', '-c', 'nothing.at.all'], 2, 'shell: the code threw ReferenceError: nothing is not defined'],
    [['page.html', '-c', "(function* () { throw new TypeError('no') })()"], 2, 'shell: the code threw TypeError: no'],
    [['page.html', '-c', 'if ('], 2, 'shell: the code threw SyntaxError: Unexpected end of input'],
    [['page.html', '-c', "await Promise.reject(new TypeError('no'))"], 2, 'shell: the code threw TypeError: no'],
    [['-c', 'text()'], 2, 'expected a page, got none yet'],
    [['page.html', '-c', 'items()'], 2, 'expected a spider, got none'],
    [['page.html', '--spider', 'spider.mjs', '-c', "items('strat')"], 2, "(did you mean 'start'?)"],
    [['page.html', '--spider', 'spider.mjs', '-c', "items('broken')"], 3, 'spider.mjs:9:13: handler broken threw no price'],
    [['no.html', '-c', '1'], 3, 'no.html; check the path'],
  ])('with %j is said in one line, and the exit code is %i', async (words, code, line) => {
    const run = await shell(words)

    expect(run.stderr).toContain(line)
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(run).toMatchObject({ code, stdout: '' })
  })
})

describe('the value of code', () => {
  const context = shellContext('/', console)

  it.each([
    ['1 + 1', 2],
    ['{ a: 1 }', { a: 1 }],
    ['{ let a = 1; a }', 1],
    ['const a = 1;\na + 1', 2],
    ['await 3', 3],
    ['await 3;', 3],
    ['const b = await 3; b + 1', 4],
    ['await (3)', 3],
    ['const c = async () => { await 1 }; c(); 7', 7],
    ['const d = await [1, 2]\nd\n  .map((n) => n + 1)', [2, 3]],
    ['const e = await 3; `${e};\n${e}`', '3;\n3'],
    ['for await (const n of [1]) { n }', undefined],
    ['Promise.resolve(5)', 5],
    ['typeof Buffer + typeof fetch + typeof require', 'functionfunctionfunction'],
  ])('%j is %j', async (code, value) => {
    // A realm of its own has objects of its own.
    const given = await evaluate(code, context)
    expect(given === undefined ? undefined : JSON.parse(JSON.stringify(given))).toEqual(value)
  })
})

describe('the banner', () => {
  it('says in six lines what there is', () => {
    expect(bannerLines('200 text/html')).toHaveLength(6)
    expect(Math.max(...bannerLines('').map(({ length }) => length))).toBeLessThanOrEqual(80)
  })
})
