// The commands that look at one page keep the values of secret parameters to themselves, and so do messages about seeds that are none.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

const SPIDER = `
export default {
  name: 'small',
  seeds: ['http://small.test/'],
  handlers: { *start(page) { yield { url: page.url.href }; yield* page.links() } },
}`

let folder: string
let site: SmallSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-visit-secrets-'))
  site = await smallSite(3)
  await writeFile(join(folder, 'spider.js'), SPIDER)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

const avocet = (...words: readonly string[]): Promise<CliRun> => runCli(words, { folder })
const SECRET = ['--secret-parameter', 'token'] as const
/** All that somebody can read of a run. */
const shown = ({ stdout, stderr }: CliRun): string => stdout + stderr

describe('a secret parameter', () => {
  it.each([
    ['fetch', ['--json']],
    ['fetch', ['--explain']],
    ['parse', ['--spider', 'spider.js']],
    ['parse', ['--spider', 'spider.js', '--json']],
    ['shell', ['-c', 'page.url.href']],
  ])('goes to the server, and into nothing that avocet %s %j shows', async (command, words) => {
    const run = await avocet(command, `${site.url}0?token=s3cret&a=1`, ...words, ...SECRET)

    expect(run.code).toBe(0)
    expect(site.asked).toEqual(['/0?token=s3cret&a=1'])
    expect(shown(run)).not.toContain('s3cret')
    expect(shown(run)).toContain('0?token=__secret__&a=1')
  })

  it('that a page hands out is hidden in the links that avocet shell lists', async () => {
    await writeFile(join(folder, 'page.html'), `<a href="${site.url}1?token=s3cret">one</a>`)
    const run = await avocet('shell', 'page.html', '--url', site.url, '-c', 'links("a")', ...SECRET)

    expect(run.code).toBe(0)
    expect(shown(run)).not.toContain('s3cret')
    expect(shown(run)).toContain('1?token=__secret__')
  })

  it.each([
    ['', 'nothing'],
    ['token=s3cret', "a text with '='"],
    ['token,key', "a text with ','"],
  ])('called %j is a mistake of the command line, and is not repeated', async (name, got) => {
    const run = await avocet('crawl', 'spider.js', '--secret-parameter', name)

    expect(run.code).toBe(2)
    expect(shown(run)).toContain(`--secret-parameter: expected the name of a query parameter, such as token, got ${got}`)
    expect(shown(run)).not.toContain('s3cret')
  })

  it.each([
    ['crawl', []],
    ['fetch', []],
    ['parse', ['--spider', 'spider.js']],
    ['shell', ['-c', '1']],
  ])('is in no message of avocet %s about a URL that is none', async (command, words) => {
    const run = await avocet(command, 'ftp://shop.test/?token=s3cret&a=1', ...words, ...SECRET)

    expect(run.code).not.toBe(0)
    expect(shown(run)).toContain('ftp://shop.test/?token=__secret__&a=1')
    expect(shown(run)).not.toContain('s3cret')
  })

  it('that only the configuration names is in no message either, nor one of a list of seeds', async () => {
    await writeFile(join(folder, 'avocet.config.json'), '{ "secretParameters": ["token"] }')
    await writeFile(join(folder, 'seeds.txt'), 'shop.test/?token=s3cret\n')
    const runs = [await avocet('fetch', 'shop.test/?token=s3cret'), await avocet('crawl', '--seeds', 'seeds.txt')]

    for (const run of runs) expect(shown(run)).toContain("did you mean 'https://shop.test/?token=__secret__'?")
    expect(runs.map(shown).join()).not.toContain('s3cret')
  })
})
