// `avocet crawl --again` and items that are refused or lost: what is taken over, and what is said of it.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

let folder: string
let site: SmallSite
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-again-rejects-'))
  site = await smallSite(12)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

/** The schema takes titles up to so many characters; the handler throws on longer ones, if it does. */
async function spiderTakes(longest: number, throwsFrom = Infinity): Promise<void> {
  const validate = `({ title }) => title.length <= ${longest} ? { value: { title } } : { issues: [{ message: 'too long', path: ['title'] }] }`
  await writeFile(
    join(folder, 'shop.js'),
    `const items = { '~standard': { version: 1, vendor: 'test', validate: ${validate} } }
    export default { name: 'shop', seeds: ['${site.url}'], items, handlers: { *start(page) {
      yield* page.links()
      if (page.title.length >= ${throwsFrom}) throw new Error('broken')
      yield { title: page.title }
    } } }`,
  )
}

function crawl(...words: string[]): Promise<CliRun> {
  return runCli(['crawl', 'shop.js', ...(words.includes('--again') ? [] : ['--rate', 'none']), ...words], { folder })
}

const written = (): number => readFileSync(join(folder, 'items.jsonl'), 'utf8').split('\n').length - 1

it('keeps what it made, though the schema refuses more than --fail-over', async () => {
  await spiderTakes(2)
  await crawl('--cache', '-O', 'items.jsonl')
  const before = written()
  await spiderTakes(6)

  const { code, stderr } = await crawl('--again', '-O', 'items.jsonl')
  const after = written()
  await spiderTakes(100)
  const retried = await runCli(['rejects', 'retry', '--spider', 'shop.js'], { folder })

  expect(code).toBe(11)
  expect(after).toBeGreaterThan(before)
  expect(stderr).toContain(`\n${after} items in items.jsonl\n`)
  expect(stderr).toContain('correct the schema, and try them again without a request:\n  avocet rejects retry')
  expect(retried.stdout).toContain(`${12 - after} of ${12 - after} rejects of the schema valid now`)
})

it('says of no file that it has items of a run that is discarded', async () => {
  await spiderTakes(100)
  await crawl('--cache', '-O', 'items.jsonl')
  await spiderTakes(100, 7)

  const { code, stderr } = await crawl('--again', '-O', 'items.jsonl')

  expect(code).toBe(11)
  expect(written()).toBe(12)
  expect(stderr).not.toContain('in items.jsonl')
  expect(stderr).toContain('\nwhat the handlers made is discarded, so the store and outputs are as they were\n')
})
