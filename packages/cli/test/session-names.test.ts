// Pages that several sessions request have one URL: what is said of a request names its session.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runCli, type CliRun } from './run-cli.ts'
import { smallSite } from './small-site.ts'

it('avocet failed list and avocet why name the session of a page', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'avocet-session-names-'))
  const site = await smallSite(1)
  onTestFinished(async () => {
    site.close()
    await rm(folder, { recursive: true })
  })
  const url = `${site.url}9`
  const spider = `{ name: 'shop', seeds: ['${url}', { url: '${url}', session: 'ann' }], handlers: { *start() {} } }`
  await writeFile(join(folder, 'shop.mjs'), `export default ${spider}`)
  const run = (...words: string[]): Promise<CliRun> => runCli(words, { folder })
  await run('crawl', 'shop.mjs', '--rate', 'none')

  const [listed, why] = [await run('failed', 'list'), await run('why', url)]

  expect(listed.stdout.split('\n').slice(0, 2)).toEqual([
    `permanent  ${url}  http-404`,
    `permanent  ${url} (session ann)  http-404`,
  ])
  expect(why.stdout.match(/^ {2}session +(.*)$/gm)).toEqual([expect.stringMatching(/ ann$/)])
})
