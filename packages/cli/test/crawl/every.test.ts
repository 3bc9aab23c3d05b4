// `avocet crawl --every`: pages are visited again until something ends it, also those of a store that was finished before.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

let folder: string
let site: SmallSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-every-'))
  site = await smallSite(3)
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

function crawl(...words: string[]): Promise<CliRun> {
  return runCli(['crawl', site.url, '--store', 's.db', '--rate', 'fixed', '--delay', '0', '-O', 'pages.jsonl', ...words], {
    folder,
  })
}

async function titles(): Promise<string[]> {
  const text = await readFile(join(folder, 'pages.jsonl'), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { title: string }).title)
}

describe('--every', () => {
  it('visits each page again and again, with its items each time, until a limit ends it', async () => {
    const run = await crawl('--every', '1ms', '--max-pages', '9')

    expect(run.code).toBe(5)
    expect(site.asked).toHaveLength(9)
    expect(await titles()).toHaveLength(9)
    expect(new Set(await titles())).toEqual(new Set(['page 0', 'page 1', 'page 2']))
  })

  it('takes up a store that was finished without it; without it nothing is asked', async () => {
    expect((await crawl()).code).toBe(0)
    expect((await crawl()).code).toBe(0)
    expect(site.asked).toHaveLength(3)

    expect((await crawl('--every', '1ms', '--max-pages', '3')).code).toBe(5)
    expect(site.asked).toHaveLength(6)
    expect(await titles()).toHaveLength(6)
  })

  it('is named by a run without it that finds nothing to do, for pages are due again', async () => {
    await crawl('--every', '1ms', '--max-pages', '9')

    expect((await crawl()).stderr).toContain('nothing to do in a run without --every; with it, the rounds go on')
  })

  it('shows in status, why and report once it was stopped: settled is not finished', async () => {
    await crawl('--every', '1h', '--max-pages', '3')
    const host = new URL(site.url).host

    const [status, whyHost, whyUrl, report] = await Promise.all(
      [
        ['status', 's.db'],
        ['why', host, '--store', 's.db'],
        ['why', site.url, '--store', 's.db'],
        ['report', 's.db'],
      ].map((words) => runCli(words, { folder })),
    )

    expect(status?.stdout).toMatch(/^state +at rest; pages are due again, run it to resume$/m)
    expect(status?.stdout).toMatch(/^done +3$/m)
    expect(status?.stdout).toMatch(/^due +3 pages to be visited again$/m)
    expect(whyHost?.stdout).toMatch(/^ {2}pages +3 done, 0 moved, 0 failed, 0 waiting; 0 retries$/m)
    expect(whyHost?.stdout).toMatch(/^ {2}due +3 pages to be visited again$/m)
    expect(whyHost?.stdout).toMatch(/^ {2}state +fine; nothing waits until pages are due again$/m)
    expect(whyUrl?.stdout).toMatch(/^ {2}state +done, due again in (?:1 h|59 min)/m)
    expect(report?.stdout).toMatch(/; at rest, pages due again$/m)
  })

  it('counts failed pages among what is due, apart from what is done', async () => {
    const broken =
      "{ *start(page) { yield { title: page.title }; yield* page.links(); if (page.title === 'page 1') throw new Error('no price') } }"
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 's.js'), `export default { name: 'small', seeds: ['${site.url}'], handlers: ${broken} }`)
    await runCli(['crawl', 's.js', '--store', 's.db', '--rate', 'none', '--every', '1h', '--max-time', '2s'], { folder })

    const { stdout } = await runCli(['status', 's.db'], { folder })

    expect(stdout).toMatch(/^done +2$/m)
    expect(stdout).toMatch(/^failed +1$/m)
    expect(stdout).toMatch(/^due +3 pages to be visited again$/m)
  })

  it('says after errors in a handler that these pages are visited again by themselves, and offers no retry of them', async () => {
    const broken = "{ *start(page) { yield* page.links(); throw new Error('no price') } }"
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 's.js'), `export default { name: 'small', seeds: ['${site.url}'], handlers: ${broken} }`)
    const run = await runCli(['crawl', 's.js', '--rate', 'none', '--every', '1h', '--max-time', '2s'], { folder })

    const list = await runCli(['failed', 'list'], { folder })
    const retry = await runCli(['failed', 'retry', '--class', 'handler'], { folder })

    expect(run.code).toBe(11)
    expect(run.stderr.replace(/\s+/g, ' ')).toContain(
      'fix the handlers, then run the same command again: it visits these pages when they are due to see all pages that handlers failed on: avocet failed list small --class handler',
    )
    expect(`${run.stderr}${list.stdout}`).not.toContain('failed retry')
    expect(list.stdout).toMatch(/failed in the store: 1 handler; the crawl visits these again when they are due$/m)
    expect(retry.stdout).toBe('nothing to retry: what is due again is visited then; the store has 1 handler\n')
  })

  it.each(['0', 'hourly'])('refuses %s', async (every) => {
    const run = await crawl('--every', every)

    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/^avocet: --every: expected a duration/)
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})
