// The real command, once for each thing that only a process shows: what a user types works from the first line of bin/avocet.js to the exit code.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { spawnCli, type CliRun, type SpawnOptions } from './run-cli.ts'
import { smallSite, type SmallSite } from './small-site.ts'

const QUICK = ['--rate', 'none', '--delay', '0'] as const
const BIN = fileURLToPath(new URL('../bin/avocet.js', import.meta.url))

let folder: string
let site: SmallSite
let slow: SmallSite

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-smoke-'))
  ;[site, slow] = await Promise.all([smallSite(5), smallSite(400, 100)])
  const handlers = '{ *start(page) { yield { title: page.title }; yield* page.links() } }'
  await writeFile(join(folder, 'shop.mjs'), `export default { name: 'shop', seeds: ['${site.url}'], handlers: ${handlers} }`)
  expect((await avocet(['crawl', 'shop.mjs', '-O', 'items.jsonl', ...QUICK])).code).toBe(0)
})
afterAll(async () => {
  site.close()
  slow.close()
  await rm(folder, { recursive: true })
})

function avocet(words: readonly string[], options: Partial<SpawnOptions> = {}): Promise<CliRun> {
  return spawnCli(words, { folder, ...options })
}

describe('the command', () => {
  it.each([
    [['--version'], /^\d+\.\d+\.\d+\n$/],
    [['--help'], /avocet crawl/],
    [['help', 'crawl'], /--max-pages/],
    [['status'], /done|5 pages/],
    [['report', 'shop'], /5 pages/],
    [['export', 'shop'], /^\{.*"page 0"/],
    [['parse', 'shop.mjs', '--spider', 'shop.mjs', '--url', 'http://127.0.0.1/'], /title/],
    [['check', '--values'], /concurrency/],
    [['store', 'verify', 'shop'], /./],
  ])('answers %j on standard output, and ends with 0', async (words, said) => {
    const run = await avocet(words)

    expect(run.stdout).toMatch(said)
    expect(run.code).toBe(0)
  })

  it('writes the items of a spider file', async () => {
    const lines = (await readFile(join(folder, 'items.jsonl'), 'utf8')).trim().split('\n')

    expect(lines.map((line) => (JSON.parse(line) as { title: string }).title).sort()).toEqual(
      [0, 1, 2, 3, 4].map((n) => `page ${n}`),
    )
  })

  it('reads seeds from standard input', async () => {
    const run = await avocet(['crawl', '--seeds', '-', '--max-depth', '0', '--store', ':memory:', '--json', ...QUICK], {
      input: `${site.url}1\n`,
    })

    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('"done":1') as string })
  })

  it.each([
    [['crwal'], 2, "did you mean 'crawl'?"],
    [['crawl', 'shop.example'], 3, 'AVO_SEED_INVALID'],
    [['crawl', 'missing.ts'], 3, 'AVO_SPIDER_LOAD'],
  ])('says in one line what is wrong with %j, and ends with %i', async (words, code, said) => {
    const run = await avocet(words)

    expect(run).toMatchObject({ code, stdout: '' })
    expect(run.stderr.trimEnd().split('\n')).toEqual([expect.stringContaining(said)])
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('stops on %s with %i, and leaves a store that can be read', async (signal, code) => {
    const words = ['crawl', slow.url, '--store', `${signal}.db`, '--max-pages', '20', ...QUICK]
    const before = slow.asked.length
    const run = await avocet(words, {
      meanwhile: (child) =>
        void expect
          .poll(() => slow.asked.length)
          .toBeGreaterThan(before)
          .then(() => child.kill(signal)),
    })

    expect(run.code).toBe(code)
    expect((await avocet(['status', `${signal}.db`])).code).toBe(0)
  })

  it('ends without a word when the reader of its output goes away', async () => {
    const script = `"$0" --conditions=@avocet/source "$1" crawl "$2" --store :memory: --rate none --delay 0 -O - | head -n 1`
    const child = spawn('bash', ['--norc', '-o', 'pipefail', '-c', script, process.execPath, BIN, site.url], { cwd: folder })
    let said = ''
    child.stdout.on('data', (text: Buffer) => (said += text.toString()))
    await once(child, 'close')

    expect(said.trimEnd().split('\n')).toHaveLength(1)
  })
})
