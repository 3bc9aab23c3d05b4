// A store may be a symbolic link, to a larger disk for instance: what commands keep beside it and put in its place is at the file itself.
import { lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

let folder: string
let site: SmallSite
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-linked-'))
  site = await smallSite(3)
  await mkdir(join(folder, 'disk'))
  await mkdir(join(folder, 'links'))
  // Relative to the folder of the link, and to a file that the first crawl makes.
  symlinkSync('../disk/real.db', join(folder, 'links/shop.db'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(
    join(folder, 'shop.js'),
    `export default { name: 'shop', seeds: ['${site.url}'], handlers: { *start(page) { yield { title: page.title }; yield* page.links() } } }`,
  )
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

const crawl = (store: string, ...words: string[]): Promise<CliRun> =>
  runCli(['crawl', 'shop.js', '--store', store, '-O', 'items.jsonl', ...words], { folder })
const items = (): number => readFileSync(join(folder, 'items.jsonl'), 'utf8').trim().split('\n').length

describe('a store that is a symbolic link', () => {
  it('is crawled, run again twice, and forgotten by either of its names', { timeout: 60_000 }, async () => {
    const first = await crawl('links/shop.db', '--rate', 'none', '--cache')
    const second = await crawl('disk/real.db')
    const third = await crawl('links/shop.db')

    expect([first, second, third].map(({ code }) => code)).toEqual([0, 0, 0])
    expect(readdirSync(join(folder, 'links'))).toEqual(['shop.db'])
    expect(lstatSync(join(folder, 'links/shop.db')).isSymbolicLink()).toBe(true)
    expect(readdirSync(join(folder, 'disk'))).toEqual(expect.arrayContaining(['real.cache', 'real.db']))
    expect(items()).toBe(3)

    const fresh = await crawl('links/shop.db', '--rate', 'none', '--fresh', '--yes')

    expect(fresh.code).toBe(0)
    expect(site.asked.filter((path) => path === '/')).toHaveLength(2)
    expect(lstatSync(join(folder, 'links/shop.db')).isSymbolicLink()).toBe(true)
    expect(lstatSync(join(folder, 'disk/real.db')).mode & 0o777).toBe(0o600)
  })
})
