// `--fresh`, and what a crawl keeps beside its store; and a store that was removed without it.
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

let folder: string
let site: SmallSite
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-fresh-'))
  site = await smallSite(3)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const handlers = '{ *start(page) { yield { title: page.title }; yield* page.links() } }'
  await writeFile(join(folder, 'shop.js'), `export default { name: 'shop', seeds: ['${site.url}'], handlers: ${handlers} }`)
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

const crawl = (...words: string[]): Promise<CliRun> => runCli(['crawl', 'shop.js', '--rate', 'none', ...words], { folder })
const inFolder = (): string[] => readdirSync(join(folder, '.avocet')).filter((name) => !/-(?:wal|shm)$/.test(name))

describe('--fresh', () => {
  it('removes kept responses with the store, and says so', async () => {
    await crawl('--cache')

    const unsure = await crawl('--fresh')
    const { code, stderr } = await crawl('--fresh', '--yes', '--max-pages', '1')

    expect(unsure.stderr).toContain('(3 URLs, 3 items, 3 kept responses); add --yes')
    expect(code, stderr).toBe(5)
    expect(stderr).toContain('--fresh also removed .avocet/shop.cache (3 kept responses)\n')
    expect(inFolder()).toEqual(['shop.db'])
  })

  it('removes kept responses also where the store was removed by hand', async () => {
    await crawl('--cache')
    await rm(join(folder, '.avocet/shop.db'))

    const unsure = await crawl('--fresh')
    await crawl('--fresh', '--yes')

    expect(unsure.stderr).toContain('.avocet/shop.cache (3 kept responses); add --yes')
    expect(inFolder()).toEqual(['shop.db'])
  })

  it('leaves a file of that name alone where it is not ours', async () => {
    await crawl()
    const notes = 'notes of mine, and enough of them to be taken for no database at all, not even for a damaged one'
    await writeFile(join(folder, '.avocet/shop.cache'), notes)

    const { code, stderr } = await crawl('--fresh', '--yes')

    expect(code, stderr).toBe(0)
    expect(readFileSync(join(folder, '.avocet/shop.cache'), 'utf8')).toBe(notes)
    expect(stderr).not.toContain('removed')
  })
})
