// What somebody sees whose handler fails: the line, how many pages it cost, and an exit code that a script notices.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

let folder: string
let site: SmallSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-handler-errors-'))
  site = await smallSite(3)
  await mkdir(join(folder, 'spiders'))
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

function avocet(...words: readonly string[]): Promise<CliRun> {
  return runCli(words, { folder })
}

/** A spider that fails on the pages 1 and 2, in line 9. */
async function shop(line = "yield { title: page.$('h1').attr('id').trim() }"): Promise<string> {
  await writeFile(
    join(folder, 'spiders', 'shop.ts'),
    `export default {
  name: 'shop',
  seeds: ['${site.url}'],
  handlers: {
    *start(page) {
      yield* page.links()
      if (page.url.pathname === '/') yield { title: page.title }
      else {
        ${line}
      }
    },
  },
}
`,
  )
  return 'spiders/shop.ts'
}

const ERROR = "spiders/shop.ts:9:47 TypeError: Cannot read properties of undefined (reading 'trim')"
const QUICK = ['--rate', 'none'] as const

describe('a handler that fails on two of three pages', () => {
  it('is one line with its place in the report, and the crawl exits with 11', async () => {
    const { code, stderr } = await avocet('crawl', await shop(), ...QUICK)

    const unfolded = stderr.replaceAll(/\n {2,}/g, ' ')
    expect(unfolded).toContain(`2 × ${ERROR}, first at ${site.url}1`)
    expect(unfolded).toContain('handlers failed on 2 of 3 pages in this run, more than --fail-over 10% allows')
    expect(code).toBe(11)
  })

  it.each([
    ['100%', 0],
    ['66%', 11],
    ['67%', 0],
    ['0%', 11],
  ])('exits with --fail-over %s with %i', async (share, expected) => {
    expect((await avocet('crawl', await shop(), ...QUICK, '--fail-over', share)).code).toBe(expected)
  })

  it('refuses a share that is none', async () => {
    expect(await avocet('crawl', await shop(), ...QUICK, '--fail-over', '0.5')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--fail-over: expected a share from 0% to 100%, such as 5%, got '0.5'") as string,
    })
  })

  it('is tried again on the page as it was, without asking the site', async () => {
    const { stderr } = await avocet('crawl', await shop(), ...QUICK)
    const command = `avocet parse ${site.url}1 --spider spiders/shop.ts --handler start --store shop`
    expect(stderr).toContain(command)
    const before = site.asked.length

    const words = command.split(' ').slice(1)
    expect(await avocet(...words)).toMatchObject({ code: 3, stderr: expect.stringContaining('spiders/shop.ts:9:47') as string })
    await shop('yield { title: page.title }')
    expect((await avocet(...words)).stdout).toBe('{"title":"page 1"}\n')
    expect(site.asked).toHaveLength(before)

    const kept = join(folder, '.avocet', 'shop.failed')
    expect((await stat(kept)).mode & 0o777).toBe(0o600)
    await avocet('crawl', 'spiders/shop.ts', ...QUICK, '--fresh', '--yes')
    expect(existsSync(kept)).toBe(false)
  })

  it('of the configuration is tried again without naming a spider, for the configuration has it', async () => {
    await shop()
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'avocet.config.ts'), "import spider from './spiders/shop.ts'\nexport default { spider }\n")
    const { stderr } = await avocet('crawl', ...QUICK)

    const command = `avocet parse ${site.url}1 --handler start --store shop`
    expect(stderr).toContain(`  ${command}\n`)
    await shop('yield { title: page.title }')
    expect((await avocet(...command.split(' ').slice(1))).stdout).toBe('{"title":"page 1"}\n')
  })

  it('of a configuration that was named is tried again with that', async () => {
    await shop()
    await writeFile(join(folder, 'night.ts'), "import spider from './spiders/shop.ts'\nexport default { spider }\n")
    const { stderr } = await avocet('crawl', '--config', 'night.ts', ...QUICK)

    const command = `avocet parse ${site.url}1 --config night.ts --handler start --store shop`
    expect(stderr).toContain(`  ${command}\n`)
    await shop('yield { title: page.title }')
    expect((await avocet(...command.split(' ').slice(1))).stdout).toBe('{"title":"page 1"}\n')
  })

  it('and takes arguments is tried again with them', async () => {
    const file = join(folder, await shop())
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('export default {', 'export default ({ city }: { city: string }) => city && {'))
    const { stderr } = await avocet('crawl', 'spiders/shop.ts', '-a', 'city=bad homburg', '-a', 'token=s3cret', ...QUICK)

    const words = `--spider spiders/shop.ts -a 'city=bad homburg' -a 'token=…' --handler start`
    const command = `avocet parse ${site.url}1 ${words} --store shop`
    expect(stderr).toContain(command)
  })

  it('is told of with commands that work when they are pasted: under npx, and beside another store', async () => {
    await mkdir(join(folder, '.avocet'))
    await writeFile(join(folder, '.avocet', 'other.db'), '')
    const { stderr } = await runCli(['crawl', await shop(), ...QUICK], { folder, env: { npm_command: 'exec' } })
    const told = stderr.split('\n').filter((line) => line.startsWith('  npx avocet '))

    expect(told.map((line) => line.split(' ')[4])).toEqual(['parse', 'failed', 'export', 'failed', 'report'])
    const codes: unknown[] = []
    for (const line of told) codes.push((await avocet(...line.trim().split(' ').slice(2))).code)
    expect(codes).toEqual([3, 0, 0, 0, 0])
  })

  it('keeps its page without the secrets of the crawl, on which it fails in the same way', async () => {
    const spider = await shop("const { token } = JSON.parse(page.$('#data').text()); yield { t: token.id.trim() }")
    site.more = `<pre id=data>{"token": "tomato-1234"}</pre><a href="?a=1&amp;token=tomato-1234">a</a> Key tomato%2D1234, k3y-abcdef`
    const secrets = ['--secret-parameter', 'token', '--header', 'x-api-key: k3y-abcdef']
    const { stderr } = await avocet('crawl', spider, ...QUICK, ...secrets)
    const command = /avocet (parse .*)\n/.exec(stderr)?.[1] ?? ''
    const kept = await avocet('fetch', `${site.url}1`, '--kept', '--store', 'shop')

    expect(kept.stdout).toContain(
      '<pre id=data>{"token": "__secret__"}</pre><a href="?a=1&amp;token=__secret__">a</a> Key __secret__, __secret__',
    )
    const parsed = await avocet(...command.split(' '))
    expect(parsed.stderr).toContain("Cannot read properties of undefined (reading 'trim')")
    expect(stderr).toContain("Cannot read properties of undefined (reading 'trim')")
  })

  it('is said to be the message of one of several pages, where a page puts something of its own into it', async () => {
    await avocet(
      'crawl',
      await shop('throw new Error(`no price on ${page.url.pathname}, row ${page.url.pathname.slice(1)}`)'),
      ...QUICK,
    )

    const { stdout } = await avocet('failed', 'list', '--class', 'handler')

    const lines = stdout.split('\n').filter((line) => line.includes('no price on'))
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(line).toMatch(/, row \d, or the like \(the message of one of 2 such pages\)$/)
  })

  it('is remembered by the store, with its stack, until its pages are retried and pass', async () => {
    await avocet('crawl', await shop(), ...QUICK)

    const listed = await avocet('failed', 'list')
    expect(listed.stdout).toContain(`handler    ${site.url}1  handler-threw  AVO_HANDLER_THREW: ${ERROR}`)
    expect(listed.stdout).toMatch(/\n.*handler-threw .*, as on http:.*\n/)
    const { letters } = JSON.parse((await avocet('failed', 'list', '--json')).stdout) as {
      letters: { handlerError: { place: string; stack: string } }[]
    }
    expect(letters).toHaveLength(2)
    expect(letters[0]?.handlerError.stack).toContain(letters[0]?.handlerError.place)
    const again = await avocet('crawl', 'spiders/shop.ts', ...QUICK, '--json')
    expect(again.code).toBe(0)
    expect(JSON.parse(again.stdout)).toMatchObject({ handlerErrors: [{ count: 2, handler: 'start' }] })

    await avocet('failed', 'retry', '--class', 'handler')
    const mended = await avocet('crawl', await shop('yield { title: page.title }'), ...QUICK)
    expect(mended.code).toBe(0)
    expect(mended.stderr).not.toContain('TypeError')
  })
})
